#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension VaultError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
  /// The next steps that apply to every program.
  public var recoverySuggestion: String? {
    let sentences = remedies.compactMap(\.sentence)
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}
