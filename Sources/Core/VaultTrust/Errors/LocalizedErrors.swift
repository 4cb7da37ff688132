#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension VaultError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
  /// What to do next, as far as that holds in every program.
  public var recoverySuggestion: String? {
    let sentences = remedies.compactMap(\.sentence)
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}
