/// Finds member names with different bytes that Unicode considers the same text.
enum CanonicalNames {
  /// Names up to this many bytes go to the standard library unchanged.
  private static let shortByteCount = 256

  /// Whether two of the names are canonically equivalent.
  static func collide(_ members: [JSONObject.Element]) -> Bool {
    guard members.count > 1 else { return false }
    var seen = Set<String>(minimumCapacity: members.count)
    return !members.allSatisfy { seen.insert(key(for: $0.name)).inserted }
  }

  /// A string that Swift's `==` and `hash` compare in linear time, canonically equivalent to `name`.
  ///
  /// The standard library sorts runs of combining marks by insertion, so one hostile name of 16 MiB would take hours.
  /// The runs of a long name are therefore sorted here first, which keeps the name equivalent and leaves nothing to
  /// move.
  static func key(for name: String) -> String {
    guard name.utf8.count > shortByteCount else { return name }
    var result = String.UnicodeScalarView()
    var run: [Unicode.Scalar] = []
    for scalar in name.unicodeScalars.lazy.flatMap(decomposed) {
      if scalar.isCombining {
        run.append(scalar)
      } else {
        flush(&run, to: &result)
        result.append(scalar)
      }
    }
    flush(&run, to: &result)
    return String(result)
  }

  /// Appends the run, sorted by combining class, and empties it.
  private static func flush(_ run: inout [Unicode.Scalar], to result: inout String.UnicodeScalarView) {
    guard !run.isEmpty else { return }
    // Marks of one class keep their order. `sort` does not promise that, so the position breaks ties.
    let order = run.enumerated().sorted {
      ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
    }
    result.append(contentsOf: order.map(\.element))
    run.removeAll(keepingCapacity: true)
  }

  /// The only three scalars of class 0 that decompose into combining marks alone (UnicodeData.txt, Tibetan vowels).
  private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    switch scalar {
    case "\u{0F73}": ["\u{0F71}", "\u{0F72}"]
    case "\u{0F75}": ["\u{0F71}", "\u{0F74}"]
    case "\u{0F81}": ["\u{0F71}", "\u{0F80}"]
    default: [scalar]
    }
  }
}

extension Unicode.Scalar {
  fileprivate var combiningClass: UInt8 { properties.canonicalCombiningClass.rawValue }
  fileprivate var isCombining: Bool { value >= 0x300 && combiningClass != 0 }
}
