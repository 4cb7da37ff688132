import VaultCrypto

// All cryptography of age except the key agreements, and why each nonce is safe.

/// The 16 random bytes that belong to one file and are wrapped in each of its stanzas.
enum FileKey {
  static let byteCount = 16
  static let wrappedByteCount = byteCount + ChaCha20Poly1305.tagByteCount

  /// The nonce of X25519 and scrypt stanzas: twelve zero bytes. Each wrap key is derived for one stanza from a fresh
  /// ephemeral secret or a fresh salt, and seals only this one file key.
  static let zeroNonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceByteCount)

  /// A new file key. It is never used for a second file.
  static func random() throws(AgeError) -> SecretBytes {
    try AgeError.mappingCrypto { () throws(CryptoError) in try SecretBytes.random(count: byteCount) }
  }

  /// The body of a stanza.
  static func wrap(
    _ fileKey: SecretBytes, with wrapKey: SecretBytes, nonce: [UInt8] = zeroNonce
  ) throws(CryptoError) -> [UInt8] {
    try wrapKey.withBytes { (key) throws(CryptoError) in
      try fileKey.withBytes { (plaintext) throws(CryptoError) in
        try ChaCha20Poly1305.seal(
          plaintext, key: key, nonce: RawSpan(_elements: nonce.span), associatedData: RawSpan())
      }
    }
  }

  /// The file key in the body of a stanza; nil if the stanza is for another recipient.
  ///
  /// The caller has checked that the body has 32 bytes: a longer one could open under two keys (partitioning oracle).
  static func unwrap(
    _ body: [UInt8], with wrapKey: SecretBytes, nonce: [UInt8] = zeroNonce
  ) throws(AgeError) -> SecretBytes? {
    precondition(body.count == wrappedByteCount, "the caller checks the byte count first")
    return try nilWhenNotAuthentic { () throws(CryptoError) in
      try wrapKey.withBytes { (key) throws(CryptoError) in
        try ChaCha20Poly1305.open(
          RawSpan(_elements: body.span), key: key, nonce: RawSpan(_elements: nonce.span), associatedData: RawSpan())
      }
    }
  }

  /// The MAC of a header: HMAC-SHA-256 over its bytes up to and including `---`.
  static func headerMAC(_ header: RawSpan, fileKey: SecretBytes) throws(AgeError) -> [UInt8] {
    try AgeError.mappingCrypto { () throws(CryptoError) in
      try macKey(fileKey).withBytes { (key) throws(CryptoError) in try HMACSHA256.authenticate(header, key: key) }
    }
  }

  static func isValid(_ mac: [UInt8], for header: RawSpan, fileKey: SecretBytes) throws(AgeError) -> Bool {
    try AgeError.mappingCrypto { () throws(CryptoError) in
      try macKey(fileKey).withBytes { (key) throws(CryptoError) in
        try HMACSHA256.isValid(RawSpan(_elements: mac.span), for: header, key: key)
      }
    }
  }

  private static func macKey(_ fileKey: SecretBytes) throws(CryptoError) -> SecretBytes {
    try deriveKey(from: fileKey, salt: [], info: "header")
  }
}

/// HKDF-SHA-256 with a text as info and 32 bytes of output, the only form in age.
func deriveKey(from secret: SecretBytes, salt: [UInt8], info: String) throws(CryptoError) -> SecretBytes {
  let info = [UInt8](info.utf8)
  return try secret.withBytes { (bytes) throws(CryptoError) in
    try HKDFSHA256.derive(
      from: bytes, salt: RawSpan(_elements: salt.span), info: RawSpan(_elements: info.span), byteCount: 32)
  }
}

/// The result of `body`, or nil if the tag is wrong. Other failures are thrown.
func nilWhenNotAuthentic(_ body: () throws(CryptoError) -> SecretBytes) throws(AgeError) -> SecretBytes? {
  try AgeError.mappingCrypto { () throws(CryptoError) in
    do throws(CryptoError) {
      return try body()
    } catch {
      guard error.code == .authenticationFailed else { throw error }
      return nil
    }
  }
}
