import FoundationEssentials
import Testing
import VaultDocument
import VaultSealing

@Suite("Dates of whole milliseconds")
struct DateMillisecondTests {
  @Test(
    "come back as they were, whichever count of seconds they were made of",
    arguments: [-2.1e9, -1.0e9, -1, 0, 1.0e8, 9.78307e8, 1.0e9, 1.7e9, 2.1e9, 4.0e9, 1.0e10])
  func roundTrip(_ start: Double) {
    var changed = 0
    for milliseconds in 0..<5_000 {
      for date in [
        Date(timeIntervalSince1970: start + Double(milliseconds) / 1000),
        Date(timeIntervalSince1970: (start * 1000 + Double(milliseconds)) / 1000),
        Date(timeIntervalSinceReferenceDate: start + Double(milliseconds) / 1000),
      ] {
        guard let time = Timestamp(date) else {
          changed += 1
          continue
        }
        // The moment is the same millisecond, and stored once more it does not change.
        let isSame = abs(Date(time).timeIntervalSince(date)) < 0.000_01
        if !isSame || time.nanoseconds % 1_000_000 != 0 || Timestamp(Date(time)) != time { changed += 1 }
      }
    }
    #expect(changed == 0)
  }

  @Test("what is below the millisecond is dropped, toward the past, also before 1970")
  func below() throws {
    for start in [-1.7e9, 0, 1.7e9] {
      let whole = try #require(Timestamp(Date(timeIntervalSince1970: start + 0.123)))
      #expect(whole.nanoseconds == 123_000_000)
      for rest in [0.000_01, 0.000_5, 0.000_99] {
        #expect(Timestamp(Date(timeIntervalSince1970: start + 0.123 + rest)) == whole, "\(start), \(rest)")
      }
    }
  }
}
