import COpenSSL

/// X25519 key agreement (RFC 7748, sections 5 and 6.1).
public enum X25519 {
  /// Size of a private key, a public key and a shared secret in bytes.
  public static let byteCount = 32

  /// The public key, 32 bytes, of a private key of 32 bytes.
  ///
  /// - Throws: `.wrongByteCount`, `.libraryFailed`.
  public static func publicKey(for privateKey: RawSpan) throws(CryptoError) -> [UInt8] {
    let pair = try AgreementKey(privateKey: privateKey)
    return try unsafe [UInt8](byteCount: byteCount) { output throws(CryptoError) in
      var written = output.count
      try ErrorQueue.check("X25519 gave no public key") {
        unsafe EVP_PKEY_get_raw_public_key(pair.pointer, output.byteStart, &written) == 1 && written == output.count
      }
    }
  }

  /// The shared secret, 32 bytes, of a private key and the other side's public key, 32 bytes each.
  ///
  /// - Throws: `.lowOrderPoint` if the secret would be all zero (RFC 7748, 6.1), `.wrongByteCount`,
  ///   `.secureMemoryExhausted`, `.secureMemoryUnavailable`, `.libraryFailed`.
  public static func sharedSecret(privateKey: RawSpan, publicKey: RawSpan) throws(CryptoError) -> SecretBytes {
    let own = try AgreementKey(privateKey: privateKey)
    let other = try AgreementKey(publicKey: publicKey)
    let agreement = try Agreement(own)
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe agreement.derive(with: other, into: output)
      }
    }
  }
}

/// Owner of one EVP_PKEY. OpenSSL keeps the private half in its secure heap, which is therefore set up first.
@safe private struct AgreementKey: ~Copyable {
  let pointer: OpaquePointer

  init(privateKey: RawSpan) throws(CryptoError) {
    guard SecureMemory.status != .unavailable else {
      throw CryptoError(.secureMemoryUnavailable, "the secure heap could not be set up")
    }
    try unsafe self.init(privateKey, make: EVP_PKEY_new_raw_private_key_ex)
  }

  init(publicKey: RawSpan) throws(CryptoError) {
    _ = Algorithms.isLibraryStarted
    try unsafe self.init(publicKey, make: EVP_PKEY_new_raw_public_key_ex)
  }

  private typealias Make = (
    OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<UInt8>?, Int
  ) -> OpaquePointer?

  @unsafe private init(_ bytes: RawSpan, make: Make) throws(CryptoError) {
    guard bytes.byteCount == X25519.byteCount else {
      throw CryptoError(.wrongByteCount, "an X25519 key must have 32 bytes")
    }
    unsafe pointer = try bytes.withInput { start throws(CryptoError) in
      try unsafe ErrorQueue.make("X25519 refused a key") { unsafe make(nil, "X25519", nil, start, bytes.byteCount) }
    }
  }

  deinit { unsafe EVP_PKEY_free(pointer) }
}

/// Owner of one EVP_PKEY_CTX for one agreement.
@safe private struct Agreement: ~Copyable {
  private let pointer: OpaquePointer

  init(_ key: borrowing AgreementKey) throws(CryptoError) {
    let keyPointer = unsafe key.pointer
    unsafe pointer = try ErrorQueue.make("there is no context for X25519") {
      unsafe EVP_PKEY_CTX_new_from_pkey(nil, keyPointer, nil)
    }
  }

  deinit { unsafe EVP_PKEY_CTX_free(pointer) }

  /// Writes the shared secret, 32 bytes. The context serves this one call.
  @unsafe func derive(
    with other: borrowing AgreementKey, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    let otherPointer = unsafe other.pointer
    try ErrorQueue.check("X25519 refused its keys") {
      unsafe EVP_PKEY_derive_init(pointer) == 1 && EVP_PKEY_derive_set_peer(pointer, otherPointer) == 1
    }
    var written = output.count
    // Key and peer are set, so only the result can fail: OpenSSL refuses the all-zero secret.
    try ErrorQueue.check("the public key is a point of low order", code: .lowOrderPoint) {
      unsafe EVP_PKEY_derive(pointer, output.byteStart, &written) == 1
    }
    guard written == output.count else { throw CryptoError(.libraryFailed, "X25519 gave a secret of another size") }
  }
}
