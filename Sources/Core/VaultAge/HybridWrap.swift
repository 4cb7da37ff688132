import VaultCrypto

/// A stanza for a hybrid (post-quantum) recipient, whose form has been checked.
///
/// Source: c2sp.org/age, "mlkem768x25519 recipient stanza".
struct HybridStanza {
  private let ciphertext: [UInt8]
  private let body: [UInt8]

  /// Checks the number of arguments, the encapsulated key and the byte count of the body.
  init(_ stanza: AgeStanza) throws(AgeError) {
    guard stanza.arguments.count == 1 else {
      throw AgeError(.malformedHeader, "a post-quantum stanza must have exactly one argument after its type")
    }
    guard let ciphertext = stanza.bytes(ofArgument: 0, count: HybridKEM.ciphertextByteCount) else {
      throw AgeError(.malformedHeader, "the key of a post-quantum stanza is not canonical base64 of 1120 bytes")
    }
    guard stanza.body.count == FileKey.wrappedByteCount else {
      throw AgeError(.malformedHeader, "the body of a post-quantum stanza is not 32 bytes long")
    }
    self.ciphertext = ciphertext
    body = stanza.body
  }

  /// The file key; nil if the stanza is for another recipient.
  func unwrap(with seed: SecretBytes) throws(AgeError) -> SecretBytes? {
    let wrap = try AgeError.mappingHybrid { () throws(CryptoError) in
      try HybridWrapKey(
        shared: seed.withBytes { (seed) throws(CryptoError) in try HybridKEM.decapsulate(ciphertext, seed: seed) })
    }
    return try FileKey.unwrap(body, with: wrap.key, nonce: wrap.nonce)
  }

  /// A stanza that only the identity of the recipient with this public key unwraps.
  static func wrap(_ fileKey: SecretBytes, to publicKey: [UInt8]) throws(AgeError) -> AgeStanza {
    try AgeError.mappingHybrid { () throws(CryptoError) in
      let (ciphertext, shared) = try HybridKEM.encapsulate(to: publicKey)
      let wrap = try HybridWrapKey(shared: shared)
      return AgeStanza(
        type: AgeStanza.hybridType, arguments: [AgeStanza.text(ciphertext)],
        body: try FileKey.wrap(fileKey, with: wrap.key, nonce: wrap.nonce))
    }
  }
}

/// Key and nonce for the one message of HPKE in its base mode (RFC 9180, section 5.1), with HKDF-SHA256 and
/// ChaCha20-Poly1305.
private struct HybridWrapKey {
  let key: SecretBytes
  let nonce: [UInt8]

  private static let info = [UInt8]("age-encryption.org/mlkem768x25519".utf8)
  // "HPKE" and the numbers of key encapsulation, key derivation and encryption.
  private static let suite = [UInt8]("HPKE".utf8) + twoBytes(HybridKEM.identifier) + twoBytes(1) + twoBytes(3)

  /// Derives both from the secret of 32 bytes that a ciphertext carries.
  init(shared: SecretBytes) throws(CryptoError) {
    // The base mode has the number 0; its pre-shared key and that key's name are empty.
    let context = try [0] + Self.extractedHash("psk_id_hash", []) + Self.extractedHash("info_hash", Self.info)
    key = try Self.derive(shared, "key", context, byteCount: ChaCha20Poly1305.keyByteCount)
    // A nonce may be known. The first message of a key has the derived nonce, unchanged.
    nonce = try Self.derive(shared, "base_nonce", context, byteCount: ChaCha20Poly1305.nonceByteCount)
      .withBytes { [UInt8](copying: $0) }
  }

  private static func labelled(_ label: String, _ bytes: [UInt8]) -> [UInt8] {
    [UInt8]("HPKE-v1".utf8) + suite + [UInt8](label.utf8) + bytes
  }

  private static func extractedHash(_ label: String, _ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    try HMACSHA256.authenticate(RawSpan(_elements: labelled(label, bytes).span), key: RawSpan())
  }

  // LabeledExtract with the shared secret as salt, then LabeledExpand: one HKDF.
  private static func derive(
    _ shared: SecretBytes, _ label: String, _ context: [UInt8], byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    let (preSharedKey, info) = (labelled("secret", []), twoBytes(UInt16(byteCount)) + labelled(label, context))
    return try shared.withBytes { (salt) throws(CryptoError) in
      try HKDFSHA256.derive(
        from: RawSpan(_elements: preSharedKey.span), salt: salt, info: RawSpan(_elements: info.span),
        byteCount: byteCount)
    }
  }

  private static func twoBytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

extension AgeError {
  static let needsNewerLibrary: StaticString = "post-quantum keys need OpenSSL (libcrypto) 3.5 or later"

  /// Whether the key is good, and only the loaded OpenSSL is too old for it.
  package var isOfOlderLibrary: Bool { reason == Self.needsNewerLibrary.description }

  /// Runs `body`. A public key or a share that cannot be used is an error of the input, not of the library.
  fileprivate static func mappingHybrid<Result>(
    _ body: () throws(CryptoError) -> Result
  ) throws(AgeError) -> Result {
    do throws(CryptoError) {
      return try body()
    } catch {
      switch error.code {
      case .lowOrderPoint: throw AgeError(.lowOrderShare, "an X25519 point is of low order")
      case .invalidKey: throw AgeError(.malformedRecipient, "the post-quantum half of the key is not valid")
      default: throw AgeError(.cryptoFailed, "a cryptographic operation failed", underlying: error)
      }
    }
  }
}
