package import VaultDocument

package enum Elapsed {
  private static let units: [(name: String, seconds: Int64)] = [
    ("year", 31_556_952), ("month", 2_629_746), ("week", 604_800), ("day", 86_400), ("hour", 3600),
  ]

  package static func words(from time: Timestamp, to now: Timestamp) -> String {
    words(seconds: now.secondsSinceEpoch - time.secondsSinceEpoch)
  }

  /// The time in words: `now`, `3 min`, `1 hour`, `2 days`. The unit is the largest one that gives at least two, or one
  /// day or hour.
  package static func words(seconds: Int64) -> String {
    guard seconds >= 60 else { return "now" }
    for (name, size) in units {
      let count = seconds / size
      if count > 1 { return "\(count) \(name)s" }
      if count == 1, size <= 86_400 { return "1 \(name)" }
    }
    return "\(seconds / 60) min"
  }
}
