internal import VaultDocument

/// Which backups to keep: rules with the meanings that `restic forget` gives them, in UTC.
///
/// A backup stays if any rule keeps it. A counting rule goes from the newest backup to the oldest, and keeps the newest
/// one of each period until its count is used up. Periods without a backup do not count. While the count is not used
/// up, the oldest backup stays, too.
public struct RetentionPolicy: Equatable, Sendable {
  /// How many backups a rule keeps; 0 means no rule.
  public enum Count: Equatable, Sendable {
    /// A maximum; 0 means no rule.
    case limited(Int)
    /// All backups.
    case unlimited

    var isRule: Bool {
      if case .limited(let count) = self { count > 0 } else { true }
    }
  }

  /// The counting rules, in the order of output.
  public enum Period: String, CaseIterable, Sendable {
    /// No period: each backup counts.
    case last
    /// Hours. All periods are in UTC.
    case hourly
    /// Days.
    case daily
    /// ISO 8601 weeks, from Monday to Sunday.
    case weekly
    /// Calendar months.
    case monthly
    /// Calendar years.
    case yearly
  }

  private var counts: [Period: Count] = [:]
  /// Keeps every backup within this span before the newest one; nil means no rule.
  public var within: RetentionSpan?

  /// Makes a policy without rules.
  public init() {}

  /// How many backups a rule keeps. `last` counts backups, and weeks are those of ISO 8601, from Monday to Sunday.
  public subscript(period: Period) -> Count {
    get { counts[period] ?? .limited(0) }
    set { counts[period] = newValue.isRule ? newValue : nil }
  }

  /// Whether there are no rules.
  public var isEmpty: Bool { counts.isEmpty && (within?.isZero ?? true) }
}

/// A calendar span, such as `1y5m7d2h`: years, months, days and hours.
public struct RetentionSpan: Equatable, Sendable, CustomStringConvertible {
  /// The limit for each unit. More is a typing error, and would exceed the valid years of a date.
  private static let limit = 9999

  /// Calendar years, 0…9999 as all units.
  public let years: Int
  /// Calendar months.
  public let months: Int
  /// Days.
  public let days: Int
  /// Hours.
  public let hours: Int

  /// Reads numbers with the units `y`, `m` (months), `d` and `h`, each at most once and in this order; nil for any
  /// other text.
  public init?(_ text: String) {
    var rest = text.utf8[...]
    var amounts: [Int] = []
    for unit in "ymdh".utf8 {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard rest.dropFirst(digits.count).first == unit else {
        amounts.append(0)
        continue
      }
      guard digits.count <= 4, let amount = Int(String(Substring(digits))), amount <= Self.limit else { return nil }
      amounts.append(amount)
      rest = rest.dropFirst(digits.count + 1)
    }
    guard !text.isEmpty, rest.isEmpty else { return nil }
    (years, months, days, hours) = (amounts[0], amounts[1], amounts[2], amounts[3])
  }

  var isZero: Bool { years == 0 && months == 0 && days == 0 && hours == 0 }

  /// The text form, without zeros.
  public var description: String {
    let parts = [(years, "y"), (months, "m"), (days, "d"), (hours, "h")]
    return parts.filter { $0.0 != 0 }.map { "\($0.0)\($0.1)" }.joined()
  }

  /// The time that much before `time`, in seconds since 1970. Years, months and days are subtracted by the calendar,
  /// where a missing day continues into the next month. The hours follow.
  func secondsSinceEpoch(before time: Timestamp) -> Int64 {
    let (day, second) = time.secondsSinceEpoch.quotientAndRemainder(flooringBy: 86_400)
    let date = CivilDate(daysSinceEpoch: Int(day))
    let month = date.year * 12 + date.month - 1 - years * 12 - months
    // There are no backups before the year 1, so everything is younger.
    guard month >= 12 else { return .min }
    let start = CivilDate(year: month / 12, month: month % 12 + 1, day: 1).daysSinceEpoch + date.day - 1 - days
    return Int64(start) * 86_400 + second - Int64(hours) * 3600
  }
}

extension Int64 {
  /// Floored division, so the remainder is never negative.
  func quotientAndRemainder(flooringBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
