#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ExchangeError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { description }
  /// What to do next.
  public var recoverySuggestion: String? { advice.isEmpty ? nil : advice.joined(separator: "\n") }
}

extension ExportError: LocalizedError {
  /// What `localizedDescription` shows: the same one line.
  public var errorDescription: String? { [record, path, reason].compactMap(\.self).joined(separator: ": ") }
}
