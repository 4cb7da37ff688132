import Testing
import VaultDocument
import VaultFields

@Suite("Formats of dates")
struct DateFormatTests {
  private func time(_ seconds: Int64, _ nanoseconds: Int32 = 0) throws -> Timestamp {
    try Timestamp(secondsSinceEpoch: seconds, nanoseconds: nanoseconds)
  }

  @Test(
    "write a moment and read it again",
    arguments: [
      ("yyyy-MM-dd HH:mm:ss", "2017-12-18 14:56:00", Int64(1_513_608_960)), ("dd/MM/yyyy", "31/12/1969", -86_400),
      ("yyyyMMdd'T'HHmmss'Z'", "20261121T014028Z", 1_795_225_228), ("yyyy.MM.dd", "0001.01.01", -62_135_596_800),
      ("yyyy-MM-dd HH:mm:ss", "9999-12-31 23:59:59", 253_402_300_799), ("yyyy-MM-dd", "2000-02-29", 951_782_400),
    ])
  func patterns(pattern: String, text: String, seconds: Int64) throws {
    let format = try DateFormat(pattern: pattern)
    #expect(try format.timestamp(from: text) == time(seconds))
    #expect(format.text(of: try time(seconds)) == text)
  }

  @Test("keep milliseconds where the pattern has them, and drop what it has not")
  func precision() throws {
    let format = try DateFormat(pattern: "yyyy-MM-dd HH:mm:ss.SSS")
    #expect(try format.timestamp(from: "1970-01-01 00:00:01.250") == time(1, 250_000_000))
    #expect(format.text(of: try time(-1, 999_999_999)) == "1969-12-31 23:59:59.999")
    #expect(DateFormat.day.text(of: try time(86_399, 5)) == "1970-01-01")
  }

  @Test(
    "refuse what does not fit the pattern or does not exist",
    arguments: [
      "2017-12-18", "2017-12-18 14:56:0", "2017-12-18 14:56:000", "2017-02-29 14:56:00", "2017-12-18 24:00:00",
    ])
  func refusals(text: String) throws {
    let format = try DateFormat(pattern: "yyyy-MM-dd HH:mm:ss")
    #expect(throws: DocumentError(code: .invalidDate)) { try format.timestamp(from: text) }
  }

  @Test(
    "refuse a pattern that is none",
    arguments: [
      "", "yyyy", "yyyy-MM", "yy-MM-dd", "yyyy-MM-dd 'x", "yyyy-MM-ddTHH", "yyyy-MM-dd dd", "yyyy-MM-ddd", "HH:mm",
      "yyyy-MM-dd h", "yyyy-MM-dd a", "yyyy-MM-dd HH h a", "yyyy-MM-dd EE", "yyyy-MM-dd ZZ", "yyyy-MM-dd XX",
    ])
  func badPatterns(pattern: String) {
    #expect(throws: DocumentError(code: .invalidDate)) { try DateFormat(pattern: pattern) }
  }

  @Test(
    "write names of months and numbers without zeros, and read them in any case",
    arguments: [
      ("d MMM yyyy", "4 Oct 1987", Int64(560_304_000)), ("MMMM d, yyyy", "October 14, 1987", 561_168_000),
      ("M/d/yyyy", "10/4/1987", 560_304_000), ("d MMM yyyy", "31 May 2026", 1_780_185_600),
      ("EEE, d MMM yyyy", "Sun, 4 Oct 1987", 560_304_000),
      ("EEEE d MMMM yyyy", "Wednesday 14 October 1987", 561_168_000),
      ("EEE d MMM yyyy", "Thu 1 Jan 1970", 0), ("EEE d MMM yyyy", "Wed 31 Dec 1969", -86_400),
      ("yyyy-MM-dd h:mm a", "1987-10-04 12:00 AM", 560_304_000), ("yyyy-MM-dd h a", "1987-10-04 12 PM", 560_347_200),
      ("yyyy-MM-dd hh:mm:ss a", "1987-10-04 01:05:09 PM", 560_351_109), ("d.M.yyyy H:m", "4.10.1987 0:0", 560_304_000),
    ])
  func names(pattern: String, text: String, seconds: Int64) throws {
    let format = try DateFormat(pattern: pattern)
    #expect(try format.timestamp(from: text) == time(seconds))
    #expect(try format.timestamp(from: text.uppercased()) == time(seconds))
    #expect(format.text(of: try time(seconds)) == text)
  }

  @Test(
    "read a difference from UTC, and write a moment in UTC",
    arguments: [
      ("yyyy-MM-dd HH:mm:ssXXX", "1987-10-04 02:00:00+02:00", "1987-10-04 00:00:00Z"),
      ("yyyy-MM-dd HH:mm:ssXXX", "1987-10-04 00:00:00Z", "1987-10-04 00:00:00Z"),
      ("yyyy-MM-dd HH:mm Z", "1987-10-03 19:00 -0500", "1987-10-04 00:00 +0000"),
      ("EEE MMM dd HH:mm:ss Z yyyy", "Sun Oct 04 05:45:00 +0545 1987", "Sun Oct 04 00:00:00 +0000 1987"),
    ])
  func offsets(pattern: String, text: String, written: String) throws {
    let format = try DateFormat(pattern: pattern)
    #expect(try format.timestamp(from: text) == time(560_304_000))
    #expect(format.text(of: try time(560_304_000)) == written)
  }

  @Test(
    "refuse another weekday, an hour that half a day does not have, and a difference that is none",
    arguments: [
      ("EEE, d MMM yyyy", "Mon, 4 Oct 1987"), ("EEE, d MMM yyyy", "Sunday, 4 Oct 1987"),
      ("yyyy-MM-dd h a", "1987-10-04 0 AM"), ("yyyy-MM-dd h a", "1987-10-04 13 PM"),
      ("yyyy-MM-dd h a", "1987-10-04 1 XM"), ("yyyy-MM-dd HH:mm Z", "1987-10-04 00:00 +2400"),
      ("yyyy-MM-dd HH:mm Z", "1987-10-04 00:00 +0260"), ("yyyy-MM-dd HH:mm Z", "1987-10-04 00:00 +02:00"),
      ("yyyy-MM-dd HH:mm XXX", "1987-10-04 00:00 +0200"), ("yyyy-MM-dd HH:mm XXX", "1987-10-04 00:00 "),
    ])
  func badParts(pattern: String, text: String) throws {
    let format = try DateFormat(pattern: pattern)
    #expect(throws: DocumentError(code: .invalidDate)) { try format.timestamp(from: text) }
  }

  @Test(
    "write days as in English, with the right ending",
    arguments: [(1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (11, "th"), (12, "th"), (13, "th"), (21, "st"), (30, "th")])
  func ordinals(day: Int64, ending: String) throws {
    let moment = try time(560_044_800 + (day - 1) * 86_400)
    #expect(DateFormat.englishDay.text(of: moment) == "October \(day)\(ending), 1987")
    #expect(try DateFormat.englishDay.timestamp(from: "October \(day)\(ending), 1987") == moment)
  }

  @Test(
    "refuse a month that is none, and the wrong ending of a day",
    arguments: ["Octobre 4th, 1987", "October 4st, 1987", "October 4, 1987", "October 32nd, 1987", "October th, 1987"])
  func badNames(text: String) {
    #expect(throws: DocumentError(code: .invalidDate)) { try DateFormat.englishDay.timestamp(from: text) }
  }

  @Test(
    "read and write seconds since 2001 and milliseconds, before and after both years",
    arguments: [
      (DateFormat.referenceSeconds, "580794178.33", Int64(1_559_101_378), Int32(330_000_000)),
      (.referenceSeconds, "0", 978_307_200, 0), (.referenceSeconds, "-978307200", 0, 0),
      (.referenceSeconds, "-0.25", 978_307_199, 750_000_000), (.unixMilliseconds, "1550799900000", 1_550_799_900, 0),
      (.unixMilliseconds, "1550799900125", 1_550_799_900, 125_000_000), (.unixMilliseconds, "-250", -1, 750_000_000),
    ])
  func numbers(_ format: DateFormat, text: String, seconds: Int64, nanoseconds: Int32) throws {
    #expect(try format.timestamp(from: text) == time(seconds, nanoseconds))
    #expect(format.text(of: try time(seconds, nanoseconds)) == text)
    #expect(format.isNumber)
  }

  @Test("milliseconds are read with a fraction, and written without one")
  func fractions() throws {
    #expect(try DateFormat.unixMilliseconds.timestamp(from: "1.5") == time(0, 1_500_000))
    #expect(DateFormat.unixMilliseconds.text(of: try time(0, 1_999_999)) == "1")
  }

  @Test(
    "read and write Unix seconds, whole or with a fraction, before and after 1970",
    arguments: [
      ("0", Int64(0), Int32(0)), ("1550799900", 1_550_799_900, 0), ("1.25", 1, 250_000_000), ("-1", -1, 0),
      ("-0.25", -1, 750_000_000), ("-1.000000001", -2, 999_999_999), ("1.000000001", 1, 1),
    ])
  func unix(text: String, seconds: Int64, nanoseconds: Int32) throws {
    #expect(try DateFormat.unixSeconds.timestamp(from: text) == time(seconds, nanoseconds))
    #expect(DateFormat.unixSeconds.text(of: try time(seconds, nanoseconds)) == text)
  }

  @Test(
    "refuse Unix seconds that are no plain decimal",
    arguments: ["", "-", "1.", ".5", "1e3", "+1", "1.0000000001", "9999999999999"])
  func notUnix(text: String) {
    #expect(throws: DocumentError(code: .invalidDate)) { try DateFormat.unixSeconds.timestamp(from: text) }
  }

  @Test("read ISO 8601 with and without a fraction, with Z and with an offset")
  func iso8601() throws {
    for text in ["2019-02-22T01:45:00.000Z", "2019-02-22T01:45:00Z", "2019-02-21T20:45:00-05:00"] {
      #expect(try DateFormat.iso8601.timestamp(from: text) == time(1_550_799_900))
    }
  }
}
