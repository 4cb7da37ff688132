import VaultCrypto

/// An X25519 stanza whose form has been checked.
///
/// Source: c2sp.org/age, "X25519 recipient stanza".
struct X25519Stanza {
  private let share: [UInt8]
  private let body: [UInt8]

  private static let info = "age-encryption.org/v1/X25519"

  /// Checks the number of arguments, the share and the byte count of the body.
  init(_ stanza: AgeStanza) throws(AgeError) {
    guard stanza.arguments.count == 1 else {
      throw AgeError(.malformedHeader, "an X25519 stanza must have exactly one argument after its type")
    }
    guard let share = stanza.bytes(ofArgument: 0, count: AgeRecipient.publicKeyByteCount) else {
      throw AgeError(.malformedHeader, "the share of an X25519 stanza is not canonical base64 of 32 bytes")
    }
    guard stanza.body.count == FileKey.wrappedByteCount else {
      throw AgeError(.malformedHeader, "the body of an X25519 stanza is not 32 bytes long")
    }
    self.share = share
    body = stanza.body
  }

  /// The file key; nil if the stanza is for another recipient.
  func unwrap(with scalar: SecretBytes, of publicKey: [UInt8]) throws(AgeError) -> SecretBytes? {
    let shared = try Self.sharedSecret(scalar, share)
    let wrapKey = try AgeError.mappingCrypto { () throws(CryptoError) in
      try deriveKey(from: shared, salt: share + publicKey, info: Self.info)
    }
    return try FileKey.unwrap(body, with: wrapKey)
  }

  /// A stanza that only the identity of `recipient` unwraps, with a fresh ephemeral secret.
  static func wrap(_ fileKey: SecretBytes, to publicKey: [UInt8]) throws(AgeError) -> AgeStanza {
    let (ephemeral, share) = try AgeError.mappingCrypto { () throws(CryptoError) in
      let scalar = try SecretBytes.random(count: AgeIdentity.scalarByteCount)
      return (scalar, try scalar.withBytes { (bytes) throws(CryptoError) in try X25519.publicKey(for: bytes) })
    }
    let shared = try sharedSecret(ephemeral, publicKey)
    let body = try AgeError.mappingCrypto { () throws(CryptoError) in
      let wrapKey = try deriveKey(from: shared, salt: share + publicKey, info: info)
      return try FileKey.wrap(fileKey, with: wrapKey)
    }
    return AgeStanza(type: AgeStanza.x25519Type, arguments: [AgeStanza.text(share)], body: body)
  }

  // A low-order point makes the secret all zero for every scalar, so everybody could unwrap. It is an error for the
  // whole file.
  private static func sharedSecret(_ scalar: SecretBytes, _ point: [UInt8]) throws(AgeError) -> SecretBytes {
    do {
      return try scalar.withBytes { (bytes) throws(CryptoError) in
        try X25519.sharedSecret(privateKey: bytes, publicKey: RawSpan(_elements: point.span))
      }
    } catch {
      guard error.code == .lowOrderPoint else {
        throw AgeError(.cryptoFailed, "a cryptographic operation failed", underlying: error)
      }
      throw AgeError(.lowOrderShare, "an X25519 point is of low order")
    }
  }
}
