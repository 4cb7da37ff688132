internal import VaultDocument

/// Which backups to keep: rules with the meanings that `restic forget` gives them, in UTC.
///
/// A backup stays when any rule keeps it. A counting rule goes from the newest backup to the oldest and keeps the
/// newest one of each period until its count is used up; periods without a backup do not count. While it has some count
/// left, the oldest backup of all stays, too.
public struct RetentionPolicy: Equatable, Sendable {
  /// How many backups a rule keeps; 0 is no rule.
  public enum Count: Equatable, Sendable {
    /// At most so many; 0 is no rule.
    case limited(Int)
    /// All of them.
    case unlimited

    var isRule: Bool {
      if case .limited(let count) = self { count > 0 } else { true }
    }
  }

  /// The rules that count, in the order in which they are told.
  public enum Period: String, CaseIterable, Sendable {
    /// No period: each backup counts.
    case last
    /// Hours, in UTC as all of these.
    case hourly
    /// Days.
    case daily
    /// Weeks of ISO 8601, from Monday to Sunday.
    case weekly
    /// Months of the calendar.
    case monthly
    /// Years of the calendar.
    case yearly
  }

  private var counts: [Period: Count] = [:]
  /// Keeps every backup that is younger than this, seen from the newest one; nil is no rule.
  public var within: RetentionSpan?

  /// No rule.
  public init() {}

  /// How many backups a rule keeps. `last` counts backups; a week is one of ISO 8601, from Monday to Sunday.
  public subscript(period: Period) -> Count {
    get { counts[period] ?? .limited(0) }
    set { counts[period] = newValue.isRule ? newValue : nil }
  }

  /// Whether nothing says what to keep.
  public var isEmpty: Bool { counts.isEmpty && (within?.isZero ?? true) }
}

/// A span of the calendar, such as `1y5m7d2h`: years, months, days and hours.
public struct RetentionSpan: Equatable, Sendable, CustomStringConvertible {
  /// No unit can be above this: more is a slip of the finger, and would leave the years that a date can have.
  private static let limit = 9999

  /// Years of the calendar, 0…9999 as all units.
  public let years: Int
  /// Months of the calendar.
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

  /// As it is read, without what is 0.
  public var description: String {
    let parts = [(years, "y"), (months, "m"), (days, "d"), (hours, "h")]
    return parts.filter { $0.0 != 0 }.map { "\($0.0)\($0.1)" }.joined()
  }

  /// So long before `time`, in seconds since 1970: first years, months and days by the calendar, where a day that the
  /// month does not have counts on into the next one, then the hours.
  func secondsSinceEpoch(before time: Timestamp) -> Int64 {
    let (day, second) = time.secondsSinceEpoch.quotientAndRemainder(flooringBy: 86_400)
    let date = CivilDate(daysSinceEpoch: Int(day))
    let month = date.year * 12 + date.month - 1 - years * 12 - months
    // Before the year 1 there is no backup: everything is younger.
    guard month >= 12 else { return .min }
    let start = CivilDate(year: month / 12, month: month % 12 + 1, day: 1).daysSinceEpoch + date.day - 1 - days
    return Int64(start) * 86_400 + second - Int64(hours) * 3600
  }
}

extension Int64 {
  /// As of a calendar: the remainder is never negative.
  func quotientAndRemainder(flooringBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
