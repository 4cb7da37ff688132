package import VaultDocument

/// How long ago something was, in words.
package enum Elapsed {
  private static let units: [(name: String, seconds: Int64)] = [
    ("year", 31_556_952), ("month", 2_629_746), ("week", 604_800), ("day", 86_400), ("hour", 3600),
  ]

  package static func words(from time: Timestamp, to now: Timestamp) -> String {
    words(seconds: now.secondsSinceEpoch - time.secondsSinceEpoch)
  }

  /// `now`, `3 min`, `1 hour`, `2 days`: in the largest unit of which there are two; a day and an hour count as well.
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
