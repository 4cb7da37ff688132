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
  /// What to do next.
  public var recoverySuggestion: String? { hints.isEmpty ? nil : hints.joined(separator: "\n") }
}
