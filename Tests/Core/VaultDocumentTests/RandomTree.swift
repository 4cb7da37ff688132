import VaultDocument
import VaultTestSupport

/// Trees that hold whatever has once been printed wrongly somewhere.
enum RandomTree {
  private static let pieces: [String] = [
    "a", "B", "z", "0", "_", " ", "/", "\\", "\"", "\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\u{b}", "\u{c}", "\r",
    "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "\u{e9}", "e\u{301}", "\u{1100}\u{1161}", "\u{ac00}", "\u{212a}",
    "\u{2028}", "\u{2029}", "\u{feff}", "\u{ff5e}", "\u{fffd}", "\u{ffff}", "\u{e000}", "\u{d7ff}", "\u{1F600}",
    "\u{10ffff}", "\u{1d15e}", "\u{316}\u{301}", "<", "&", "\u{200d}", "es1:", "$vault", ".", "[",
  ]

  static func value(depth: Int, using generator: inout SeededGenerator) throws(DocumentError) -> JSONValue {
    switch Int.random(in: 0..<(depth > 1 ? 9 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .number(number(using: &generator))
    case 3, 4: return .string(text(using: &generator))
    case 5, 6:
      var items: [JSONValue] = []
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        items.append(try value(depth: depth - 1, using: &generator))
      }
      return .array(items)
    default: return .object(try object(depth: depth, using: &generator))
    }
  }

  /// Names are kept apart by Swift's own equality, which is canonical equivalence.
  private static func object(
    depth: Int, using generator: inout SeededGenerator
  ) throws(DocumentError) -> JSONObject {
    var used = Set<String>()
    var members: [(String, JSONValue)] = []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let name = text(using: &generator)
      guard used.insert(name).inserted else { continue }
      members.append((name, try value(depth: depth - 1, using: &generator)))
    }
    return try JSONObject(members)
  }

  private static func text(using generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
  }

  private static func number(using generator: inout SeededGenerator) -> JSONNumber {
    let integer = Int.random(in: .min ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator)
    let half = Bool.random(using: &generator) && abs(integer >> 1) < 1 << 40
    return half ? JSONNumber(literal: "\(Double(integer) + 0.5)") ?? JSONNumber(integer) : JSONNumber(integer)
  }
}
