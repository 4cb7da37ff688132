#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import VaultCrypto
public import VaultDocument

// The layers below do not use Foundation, whose protocol this is.

extension CryptoError: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension Fault: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension CodingFailure: LocalizedError {
  /// The one-line description, for `localizedDescription`.
  public var errorDescription: String? { description }
}
