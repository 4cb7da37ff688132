public import VaultDocument

extension RetentionPolicy {
  /// Why a backup stays.
  public enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// It is the newest of its period.
    case newest(Period)
    /// It is the oldest of all, and the rule had some count left.
    case oldest(Period)
    /// It is younger than the span that ``RetentionPolicy/within`` keeps.
    case within(RetentionSpan)
    /// Its time is later than now: no rule looks at it, and none removes it.
    case future

    /// Such as `daily`, `oldest daily`, `within 7d`, `from the future`.
    public var description: String {
      switch self {
      case .newest(let period): period.rawValue
      case .oldest(let period): "oldest \(period.rawValue)"
      case .within(let span): "within \(span)"
      case .future: "from the future"
      }
    }
  }

  /// Says of each backup of one vault why it stays; one without a reason is to be removed.
  ///
  /// - Parameters:
  ///   - times: when each was made, in any order; of equal ones the first counts as the newest.
  ///   - now: what is later has no part in the rules.
  /// - Returns: the reasons, in the order of `times`, each in the order of the rules.
  public func reasons(toKeep times: [Timestamp], now: Timestamp) -> [[Reason]] {
    var reasons = [[Reason]](repeating: [], count: times.count)
    for index in times.indices where times[index] > now { reasons[index] = [.future] }
    let past = times.indices.filter { times[$0] <= now }
    // Stable, so that equal times stay as they came.
    let order = past.sorted { times[$0] == times[$1] ? $0 < $1 : times[$0] > times[$1] }
    for period in Period.allCases { count(period, over: order, times, into: &reasons) }
    guard let within, !within.isZero, let newest = order.first else { return reasons }
    let start = within.secondsSinceEpoch(before: times[newest])
    for index in order where times[index].isAfter(start, times[newest]) { reasons[index].append(.within(within)) }
    return reasons
  }

  private func count(_ period: Period, over order: [Int], _ times: [Timestamp], into reasons: inout [[Reason]]) {
    var left = self[period]
    var previous: Int64?
    for (place, index) in order.enumerated() {
      guard left.isRule else { return }
      let number = times[index].number(of: period, at: place)
      let isOldest = place == order.count - 1
      guard number != previous || isOldest else { continue }
      reasons[index].append(number == previous ? .oldest(period) : .newest(period))
      previous = number
      if case .limited(let count) = left { left = .limited(count - 1) }
    }
  }
}

extension Timestamp {
  /// A number that all moments of one period have, and no other.
  ///
  /// - Parameter place: of the backup among all: each is a period of its own for `last`.
  fileprivate func number(of period: RetentionPolicy.Period, at place: Int) -> Int64 {
    let day = secondsSinceEpoch.quotientAndRemainder(flooringBy: 86_400).quotient
    switch period {
    case .last: return Int64(place)
    case .hourly: return secondsSinceEpoch.quotientAndRemainder(flooringBy: 3600).quotient
    case .daily: return day
    // 1970-01-01 was a Thursday: with three days more, weeks begin on Monday.
    case .weekly: return (day + 3).quotientAndRemainder(flooringBy: 7).quotient
    case .monthly:
      let date = CivilDate(daysSinceEpoch: Int(day))
      return Int64(date.year * 12 + date.month)
    case .yearly: return Int64(CivilDate(daysSinceEpoch: Int(day)).year)
    }
  }

  /// Whether it is later than `start`, which has the fraction of a second of `newest`.
  fileprivate func isAfter(_ start: Int64, _ newest: Timestamp) -> Bool {
    (secondsSinceEpoch, nanoseconds) > (start, newest.nanoseconds)
  }
}
