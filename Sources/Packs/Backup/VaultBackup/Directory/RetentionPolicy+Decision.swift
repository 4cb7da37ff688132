public import VaultDocument

extension RetentionPolicy {
  /// Why a backup stays.
  public enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The newest of its period.
    case newest(Period)
    /// The oldest of all, because the count of the rule was not used up.
    case oldest(Period)
    /// Younger than the span ``RetentionPolicy/within``.
    case within(RetentionSpan)
    /// Later than now. Rules ignore such a backup, and it is never removed.
    case future

    /// The reason in words, such as `daily`, `oldest daily`, `within 7d`, `from the future`.
    public var description: String {
      switch self {
      case .newest(let period): period.rawValue
      case .oldest(let period): "oldest \(period.rawValue)"
      case .within(let span): "within \(span)"
      case .future: "from the future"
      }
    }
  }

  /// Why each backup of one vault stays. A backup without a reason is removed.
  ///
  /// - Parameters:
  ///   - times: the times of the backups, in any order; of equal times the first counts as the newest.
  ///   - now: the rules ignore later backups.
  /// - Returns: the reasons, in the order of `times`, each in the order of the rules.
  public func reasons(toKeep times: [Timestamp], now: Timestamp) -> [[Reason]] {
    var reasons = [[Reason]](repeating: [], count: times.count)
    for index in times.indices where times[index] > now { reasons[index] = [.future] }
    let past = times.indices.filter { times[$0] <= now }
    // Stable, so that equal times keep their order.
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
  /// A number that is unique for the period of a time.
  ///
  /// - Parameter place: the index of the backup among all. For `last` each backup is a period of its own.
  fileprivate func number(of period: RetentionPolicy.Period, at place: Int) -> Int64 {
    let day = secondsSinceEpoch.quotientAndRemainder(flooringBy: 86_400).quotient
    switch period {
    case .last: return Int64(place)
    case .hourly: return secondsSinceEpoch.quotientAndRemainder(flooringBy: 3600).quotient
    case .daily: return day
    // 1970-01-01 was a Thursday. Three more days make weeks begin on Monday.
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
