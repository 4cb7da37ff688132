#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ExchangeError: LocalizedError {
  /// The text of `localizedDescription`: the same line.
  public var errorDescription: String? { description }
  /// The next step, if the advice is valid in every program.
  public var recoverySuggestion: String? {
    let sentences = advice.compactMap { if case .sentence(let text) = $0 { text } else { nil } }
    return sentences.isEmpty ? nil : sentences.joined(separator: "\n")
  }
}

extension ExportError: LocalizedError {
  /// The text of `localizedDescription`: the same line.
  public var errorDescription: String? { [record, path, reason].compactMap(\.self).joined(separator: ": ") }
}
