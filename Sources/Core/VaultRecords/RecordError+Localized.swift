#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RecordError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
