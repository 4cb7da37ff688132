import Testing
import VaultDocument
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct TimestampTests {
  private func refused(_ text: String) -> DocumentError.Code? {
    refusal { () throws(DocumentError) in try Timestamp(parsing: text) }
  }

  @Test(
    "known moments",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-21T01:40:28Z", 1_795_225_228), ("2000-02-29T23:59:59Z", 951_868_799),
      ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
      ("1969-12-31T23:59:59Z", -1), ("1900-03-01T00:00:00Z", -2_203_891_200),
    ] as [(String, Int64)])
  func known(text: String, seconds: Int64) throws {
    let time = try Timestamp(parsing: text)
    #expect(time.secondsSinceEpoch == seconds)
    #expect(time.nanoseconds == 0)
    #expect(time.text == text)
    #expect(try Timestamp(secondsSinceEpoch: seconds) == time)
    #expect(try Timestamp(parsingCompact: time.compactText) == time)
  }

  @Test("the compact form has no separators")
  func compact() throws {
    #expect(try Timestamp(parsing: "2026-11-21T01:40:28.999Z").compactText == "20261121T014028Z")
    for text in [
      "", "2026-11-21T01:40:28Z", "20261121T014028", "20261121T014028z", "20261321T014028Z", "20261121T014028.5Z",
    ] {
      #expect(refusal { () throws(DocumentError) in try Timestamp(parsingCompact: text) } == .invalidDate, "\(text)")
    }
  }

  @Test(
    "milliseconds are three digits, truncated toward the past, and omitted when they are 0",
    arguments: [
      ("2026-11-21T01:40:28.5Z", "2026-11-21T01:40:28.500Z"), ("2026-11-21T01:40:28.000Z", "2026-11-21T01:40:28Z"),
      ("2026-11-21T01:40:28.0009Z", "2026-11-21T01:40:28Z"), ("2026-11-21T01:40:28.0019Z", "2026-11-21T01:40:28.001Z"),
      ("2026-11-21T01:40:28.999999999Z", "2026-11-21T01:40:28.999Z"),
      ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"), ("1969-12-31T23:59:59.0001Z", "1969-12-31T23:59:59Z"),
    ])
  func milliseconds(text: String, written: String) throws { #expect(try Timestamp(parsing: text).text == written) }

  @Test(
    "an offset is taken off",
    arguments: [
      ("2026-11-21T01:40:28+00:00", "2026-11-21T01:40:28Z"), ("2026-11-21T01:40:28+02:30", "2026-11-20T23:10:28Z"),
      ("2026-12-31T23:30:00.25-01:00", "2027-01-01T00:30:00.250Z"),
      ("2024-02-28T23:59:59-23:59", "2024-02-29T23:58:59Z"),
    ])
  func offsets(text: String, written: String) throws { #expect(try Timestamp(parsing: text).text == written) }

  @Test(
    "anything but the form is refused",
    arguments: [
      "", "2026-11-21", "2026-11-21T01:40:28", "2026-11-21t01:40:28Z", "2026-11-21T01:40:28z", "2026-11-21 01:40:28Z",
      "2026-11-21T01:40Z", "2026-11-21T01:40:28.Z", "2026-11-21T01:40:28.1234567890Z", "2026-11-21T01:40:28,5Z",
      "2026-11-21T01:40:28+0200", "2026-11-21T01:40:28+02", "2026-11-21T01:40:28+02:00Z", "2026-11-21T01:40:28ZZ",
      "+2026-11-21T01:40:28Z", "-0001-11-21T01:40:28Z", "12026-11-21T01:40:28Z", "2026-1-21T01:40:28Z",
      "20261121T014028Z", " 2026-11-21T01:40:28Z", "2026-11-21T01:40:28Z\n", "2026-11-21T01:40:-1Z",
      "２026-11-21T01:40:28Z", "2026-W47-6T01:40:28Z",
    ])
  func malformed(text: String) { #expect(refused(text) == .invalidDate) }

  @Test(
    "what calendar and clock do not have is refused",
    arguments: [
      "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "0000-12-31T00:00:00Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2016-12-31T23:59:60Z", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00+00:60", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ])
  func unreal(text: String) { #expect(refused(text) == .invalidDate) }

  @Test("seconds and nanoseconds outside the range are refused")
  func range() {
    for seconds in [-62_135_596_801, 253_402_300_800, .min, .max] as [Int64] {
      #expect(refusal { () throws(DocumentError) in try Timestamp(secondsSinceEpoch: seconds) } == .invalidDate)
    }
    for rest in [-1, 1_000_000_000] as [Int32] {
      #expect(
        refusal { () throws(DocumentError) in try Timestamp(secondsSinceEpoch: 0, nanoseconds: rest) } == .invalidDate)
    }
  }

  @Test("every day of 400 years, after which the calendar repeats, is written and read back, in order")
  func everyDay() throws {
    var last = ""
    for day in -62_091..<84_006 {
      let time = try Timestamp(secondsSinceEpoch: Int64(day) * 86_400 + 43_200)
      let text = time.compactText
      guard text > last, try Timestamp(parsingCompact: text) == time else {
        Issue.record("day \(day)")
        return
      }
      last = text
    }
  }

  @Test("random moments are written as Foundation writes them")
  func foundation() throws {
    var generator = SeededGenerator.announced(for: "dates against Foundation")
    for _ in 0..<2_000 {
      // Foundation switches to the Julian calendar before 1582.
      let seconds = Int64.random(in: -12_212_553_600...253_402_300_799, using: &generator)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(try Timestamp(secondsSinceEpoch: seconds).text == date.formatted(.iso8601))
    }
  }

  @Test("order is order in time, and now is now")
  func order() throws {
    let earlier = try Timestamp(parsing: "2026-11-21T01:40:28.1Z")
    let later = try Timestamp(parsing: "2026-11-21T01:40:28.2Z")
    #expect(earlier < later)
    #expect(earlier != later)
    let now = Timestamp.now()
    #expect(abs(Double(now.secondsSinceEpoch) - Date().timeIntervalSince1970) < 60)
  }
}
