/// MLKEM768-X25519, also called X-Wing: a shared secret that stays secret while one of ML-KEM-768 and X25519 holds.
///
/// Source: draft-ietf-hpke-pq-03, summarised at filippo.io/hpke-pq.
package enum HybridKEM {
  /// The number of the function in HPKE.
  package static let identifier: UInt16 = 0x647A
  /// Size in bytes of a private key, which is a seed.
  package static let seedByteCount = 32
  /// Size of a public key in bytes: ML-KEM's, then X25519's.
  package static let publicKeyByteCount = MLKEM768.publicKeyByteCount + X25519.byteCount
  /// Size of a ciphertext in bytes: ML-KEM's, then the ephemeral public key of X25519.
  package static let ciphertextByteCount = MLKEM768.ciphertextByteCount + X25519.byteCount

  private static let label = [UInt8](#"\.//^\"#.utf8)

  /// Whether the loaded OpenSSL has the functions: 3.5 and later do.
  package static var isAvailable: Bool { MLKEM768.isAvailable }

  /// The public key, 1216 bytes, of a seed of 32 bytes.
  package static func publicKey(for seed: RawSpan) throws(CryptoError) -> [UInt8] {
    let pair = try KeyPair(seed)
    return try pair.latticePublicKey() + pair.curvePublicKey()
  }

  /// A fresh shared secret of 32 bytes, and the ciphertext of 1120 bytes from which the owner of the key learns it.
  ///
  /// - Throws: `.invalidKey`, or `.lowOrderPoint`, if the public key cannot be used.
  package static func encapsulate(
    to publicKey: [UInt8]
  ) throws(CryptoError) -> (ciphertext: [UInt8], secret: SecretBytes) {
    guard publicKey.count == publicKeyByteCount else {
      throw CryptoError(.wrongByteCount, "a hybrid public key must have 1216 bytes")
    }
    let curveKey = [UInt8](publicKey[MLKEM768.publicKeyByteCount...])
    let (ciphertext, latticeSecret) = try unsafe MLKEM768.encapsulate(
      to: publicKey.span.bytes.extracting(0..<MLKEM768.publicKeyByteCount))
    let ephemeral = try SecretBytes.random(count: X25519.byteCount)
    let share = try ephemeral.withBytes { key throws(CryptoError) in try X25519.publicKey(for: key) }
    let curveSecret = try curveSecret(ephemeral, curveKey)
    return (ciphertext + share, try combine(latticeSecret, curveSecret, share: share, publicKey: curveKey))
  }

  /// The shared secret, 32 bytes. A ciphertext for another key gives another secret, and no error.
  ///
  /// - Throws: `.lowOrderPoint` if the X25519 half of the ciphertext is a point of low order.
  package static func decapsulate(_ ciphertext: [UInt8], seed: RawSpan) throws(CryptoError) -> SecretBytes {
    guard ciphertext.count == ciphertextByteCount else {
      throw CryptoError(.wrongByteCount, "a hybrid ciphertext must have 1120 bytes")
    }
    let pair = try KeyPair(seed)
    let share = [UInt8](ciphertext[MLKEM768.ciphertextByteCount...])
    let latticeSecret = try pair.latticeSeed.withBytes { seed throws(CryptoError) in
      try unsafe MLKEM768.decapsulate(
        ciphertext.span.bytes.extracting(0..<MLKEM768.ciphertextByteCount), seed: seed)
    }
    return try combine(
      latticeSecret, curveSecret(pair.curveKey, share), share: share, publicKey: pair.curvePublicKey())
  }

  private static func curveSecret(_ own: SecretBytes, _ other: [UInt8]) throws(CryptoError) -> SecretBytes {
    try own.withBytes { own throws(CryptoError) in
      try unsafe X25519.sharedSecret(privateKey: own, publicKey: other.span.bytes)
    }
  }

  // X25519's ciphertext and public key are part of the hash, because X25519 alone does not bind them. ML-KEM does.
  private static func combine(
    _ latticeSecret: SecretBytes, _ curveSecret: SecretBytes, share: [UInt8], publicKey: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    try SHA3.hash { hash throws(CryptoError) in
      for secret in [latticeSecret, curveSecret] {
        try secret.withBytes { bytes throws(CryptoError) in try hash.update(bytes) }
      }
      for part in [share, publicKey, label] { try unsafe hash.update(part.span.bytes) }
    }
  }
}

/// The two private keys of one seed.
private struct KeyPair {
  let latticeSeed: SecretBytes
  let curveKey: SecretBytes

  init(_ seed: RawSpan) throws(CryptoError) {
    guard seed.byteCount == HybridKEM.seedByteCount else {
      throw CryptoError(.wrongByteCount, "a hybrid private key must have 32 bytes")
    }
    let all = try SHA3.expand(seed, count: MLKEM768.seedByteCount + X25519.byteCount)
    latticeSeed = try all.slice(0..<MLKEM768.seedByteCount)
    curveKey = try all.slice(MLKEM768.seedByteCount..<all.count)
  }

  func latticePublicKey() throws(CryptoError) -> [UInt8] {
    try latticeSeed.withBytes { seed throws(CryptoError) in try MLKEM768.publicKey(for: seed) }
  }

  func curvePublicKey() throws(CryptoError) -> [UInt8] {
    try curveKey.withBytes { key throws(CryptoError) in try X25519.publicKey(for: key) }
  }
}
