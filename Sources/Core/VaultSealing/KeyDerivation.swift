package import VaultCrypto
internal import VaultDocument

/// `KDF(key, label; items; L)` of format 1, section 1.3, Primitives: HKDF-SHA-256 (RFC 5869) with info = ENC(label;
/// items).
package enum KeyDerivation {
  /// Derives `byteCount` bytes; `salt` is the vault id, or empty outside a vault.
  package static func derive(
    from key: RawSpan, label: String, items: [[UInt8]] = [], salt: [UInt8], byteCount: Int
  ) throws(SealingError) -> SecretBytes {
    try derive(from: key, info: CanonicalEncoding.enc(label, items), salt: salt, byteCount: byteCount)
  }

  /// Like `derive(from:label:items:salt:byteCount:)`, with `info` as ENC(label; items).
  static func derive(
    from key: RawSpan, info: [UInt8], salt: [UInt8], byteCount: Int
  ) throws(SealingError) -> SecretBytes {
    do throws(CryptoError) {
      return try unsafe HKDFSHA256.derive(from: key, salt: salt.span.bytes, info: info.span.bytes, byteCount: byteCount)
    } catch {
      throw SealingError(crypto: error)
    }
  }
}

extension SealingError {
  /// Translates a failure of the layer below; the result has no path.
  package init(crypto error: CryptoError) {
    switch error.code {
    case .authenticationFailed:
      self.init(.authenticationFailed, "does not authenticate: it was changed or damaged", underlying: error)
    case .wrongByteCount:
      self.init(.wrongByteCount, "a key or box has the wrong size", underlying: error)
    case .secureMemoryExhausted, .secureMemoryUnavailable:
      self.init(
        .memoryUnavailable,
        "the locked memory for secrets is full: open fewer values at a time, or let the process lock more (ulimit -l)",
        underlying: error)
    default:
      self.init(.cryptoFailed, "the cryptographic library failed", underlying: error)
    }
  }
}
