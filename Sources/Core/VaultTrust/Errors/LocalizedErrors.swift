#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import VaultAge
public import VaultStorage

// The layers below do without Foundation, whose protocol this is.

extension AgeError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
}

extension VaultError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
  /// What to do next, as far as that holds in every program.
  public var recoverySuggestion: String? {
    let sentences = remedies.compactMap(\.sentence)
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}
