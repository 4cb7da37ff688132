#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import VaultAge
public import VaultStorage

// The layers below do not use Foundation, whose protocol this is.

extension AgeError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension VaultError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
  /// The next steps that apply to every program.
  public var recoverySuggestion: String? {
    let sentences = remedies.compactMap(\.sentence)
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}
