internal import VaultDocument

/// The tokens of one record: mostly few, which are then compared one by one, because that is faster than hashing.
struct TokenSet {
  private static let fewCount = 16

  private var few: [String] = []
  private var many: Set<String> = []

  /// Whether it has exactly these bytes, because other text may be canonically equivalent to a token.
  func contains(_ token: String) -> Bool {
    if few.contains(where: { sameBytes($0, token) }) { return true }
    return many.firstIndex(of: token).map { sameBytes(many[$0], token) } ?? false
  }

  /// Adds a token and returns whether it is new.
  mutating func insert(_ token: String) -> Bool {
    guard !few.contains(where: { sameBytes($0, token) }) else { return false }
    if few.count < Self.fewCount {
      few.append(token)
      return true
    }
    return many.insert(token).inserted
  }
}
