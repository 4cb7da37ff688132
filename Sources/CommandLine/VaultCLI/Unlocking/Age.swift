package import VaultDocument
import VaultTerminal

/// A time span on the command line: a whole number and a unit, such as `30d`, `12h`, `90m`, `2w`, `45s`.
package struct Age {
  package let seconds: Int64

  package init(seconds: Int64) { self.seconds = seconds }

  package init(
    _ text: String, option: String, form: String = "takes an age such as 1y, 30d, 12h, 90m or 2w"
  ) throws {
    let refused = CommandError.usage(option, form)
    guard let unit = text.last.flatMap({ Self.units[$0] }),
      let count = JSONNumber(literal: String(text.dropLast()))?.int
    else { throw refused }
    let (seconds, isTooLong) = Int64(count).multipliedReportingOverflow(by: unit)
    // More than a thousand years is a typing error, and would exceed the valid years of a date.
    guard !isTooLong, seconds <= 1000 * 366 * 86_400 else { throw refused }
    self.seconds = seconds
  }

  private static let units: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400,
    "y": 365 * 86_400,
  ]

  /// The time that much before `time`.
  package func before(_ time: Timestamp) throws(DocumentError) -> Timestamp {
    try Timestamp(secondsSinceEpoch: time.secondsSinceEpoch - seconds, nanoseconds: time.nanoseconds)
  }
}
