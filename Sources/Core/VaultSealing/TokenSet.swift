internal import VaultDocument

/// The tokens of one record: few as a rule, and then compared one by one, which takes less than hashing them.
struct TokenSet {
  private static let fewCount = 16

  private var few: [String] = []
  private var many: Set<String> = []

  /// Whether it has exactly these bytes: what only looks like a token may be equivalent to one.
  func contains(_ token: String) -> Bool {
    if few.contains(where: { sameBytes($0, token) }) { return true }
    return many.firstIndex(of: token).map { sameBytes(many[$0], token) } ?? false
  }

  /// Adds a token, and tells whether it was not there.
  mutating func insert(_ token: String) -> Bool {
    guard !few.contains(where: { sameBytes($0, token) }) else { return false }
    if few.count < Self.fewCount {
      few.append(token)
      return true
    }
    return many.insert(token).inserted
  }
}
