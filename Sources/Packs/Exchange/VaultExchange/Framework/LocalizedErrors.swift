#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ExchangeError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
  /// What to do next, as far as that holds in every program.
  public var recoverySuggestion: String? {
    let sentences = advice.compactMap { if case .sentence(let text) = $0 { text } else { nil } }
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}

extension ExportError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { [record, path, reason].compactMap(\.self).joined(separator: ": ") }
}
