import COpenSSL

/// ML-KEM-768 (FIPS 203): a key agreement that also withstands quantum computers.
///
/// OpenSSL has it since 3.5. It is asked for by name, with functions that 3.0 has too, so one program runs on both.
enum MLKEM768 {
  /// Size in bytes of a private key's seed, d ‖ z.
  static let seedByteCount = 64
  /// Size of a public key in bytes.
  static let publicKeyByteCount = 1184
  /// Size of a ciphertext in bytes.
  static let ciphertextByteCount = 1088
  /// Size of a shared secret in bytes.
  static let secretByteCount = 32

  static let isAvailable: Bool = {
    _ = Algorithms.isLibraryStarted
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, name, nil) else {
      ErrorQueue.clear()
      return false
    }
    unsafe EVP_PKEY_CTX_free(context)
    return true
  }()

  fileprivate static let name = "ML-KEM-768"

  /// The public key, 1184 bytes, of a seed of 64 bytes.
  static func publicKey(for seed: RawSpan) throws(CryptoError) -> [UInt8] {
    let pair = try KEMKey(seed: seed)
    return try unsafe [UInt8](byteCount: publicKeyByteCount) { output throws(CryptoError) in
      var written = output.count
      try ErrorQueue.check("ML-KEM gave no public key") {
        unsafe EVP_PKEY_get_raw_public_key(pair.pointer, output.byteStart, &written) == 1 && written == output.count
      }
    }
  }

  /// A fresh shared secret of 32 bytes, and the ciphertext of 1088 bytes from which the owner of the key learns it.
  ///
  /// - Throws: `.invalidKey` if OpenSSL refuses the public key: it checks each coefficient (FIPS 203, section 7.2).
  static func encapsulate(to publicKey: RawSpan) throws(CryptoError) -> (ciphertext: [UInt8], secret: SecretBytes) {
    let context = try KEMContext(KEMKey(publicKey: publicKey))
    var ciphertext: [UInt8] = []
    let secret = try SecretBytes(count: secretByteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        ciphertext = try unsafe [UInt8](byteCount: ciphertextByteCount) { ciphertext throws(CryptoError) in
          try unsafe context.encapsulate(into: ciphertext, secret: output)
        }
      }
    }
    return (ciphertext, secret)
  }

  /// The shared secret of a ciphertext. A ciphertext for another key gives another secret, and no error.
  static func decapsulate(_ ciphertext: RawSpan, seed: RawSpan) throws(CryptoError) -> SecretBytes {
    guard ciphertext.byteCount == ciphertextByteCount else {
      throw CryptoError(.wrongByteCount, "a ciphertext of ML-KEM-768 must have 1088 bytes")
    }
    let context = try KEMContext(KEMKey(seed: seed))
    return try SecretBytes(count: secretByteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe context.decapsulate(ciphertext, into: output)
      }
    }
  }
}

/// Owner of one EVP_PKEY of ML-KEM-768.
///
/// OpenSSL expands a private key into ordinary memory, which it wipes when the key is freed. So a key lives only for
/// one operation, and the seed is what lasts, in secure memory.
@safe private struct KEMKey: ~Copyable {
  let pointer: OpaquePointer

  init(seed: RawSpan) throws(CryptoError) {
    guard seed.byteCount == MLKEM768.seedByteCount else {
      throw CryptoError(.wrongByteCount, "a seed of ML-KEM-768 must have 64 bytes")
    }
    unsafe pointer = try Self.make(seed: seed)
  }

  init(publicKey: RawSpan) throws(CryptoError) {
    guard publicKey.byteCount == MLKEM768.publicKeyByteCount else {
      throw CryptoError(.wrongByteCount, "a public key of ML-KEM-768 must have 1184 bytes")
    }
    _ = Algorithms.isLibraryStarted
    unsafe pointer = try publicKey.withInput { start throws(CryptoError) in
      ErrorQueue.clear()
      guard
        let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, MLKEM768.name, nil, start, MLKEM768.publicKeyByteCount)
      else { throw CryptoError(.invalidKey, "ML-KEM refused a public key", underlying: ErrorQueue.drain()) }
      return unsafe key
    }
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  // OpenSSL takes the expanded form as "the raw private key"; a seed goes in as a named parameter.
  @unsafe private static func make(seed: RawSpan) throws(CryptoError) -> OpaquePointer {
    _ = Algorithms.isLibraryStarted
    let context = try unsafe ErrorQueue.make("there is no context for ML-KEM") {
      unsafe EVP_PKEY_CTX_new_from_name(nil, MLKEM768.name, nil)
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return try unsafe seed.withInput { start throws(CryptoError) in
      var list = unsafe [
        Parameter.bytes("seed", start: start, count: MLKEM768.seedByteCount), OSSL_PARAM_construct_end(),
      ]
      return try unsafe ErrorQueue.make("ML-KEM refused a seed") {
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1 else { return nil }
        return unsafe EVP_PKEY_fromdata(context, &key, Parameter.keyPair, &list) == 1 ? key : nil
      }
    }
  }
}

/// Owner of one EVP_PKEY_CTX for one operation.
@safe private struct KEMContext: ~Copyable {
  private let pointer: OpaquePointer

  init(_ key: consuming KEMKey) throws(CryptoError) {
    let keyPointer = unsafe key.pointer
    // The context holds a reference of its own to the key.
    unsafe pointer = try ErrorQueue.make("there is no context for ML-KEM") {
      unsafe EVP_PKEY_CTX_new_from_pkey(nil, keyPointer, nil)
    }
  }

  deinit { unsafe EVP_PKEY_CTX_free(pointer) }

  @unsafe func encapsulate(
    into ciphertext: UnsafeMutableRawBufferPointer, secret: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    var (written, secretCount) = (ciphertext.count, secret.count)
    try ErrorQueue.check("ML-KEM refused to encapsulate") {
      unsafe EVP_PKEY_encapsulate_init(pointer, nil) == 1
        && EVP_PKEY_encapsulate(pointer, ciphertext.byteStart, &written, secret.byteStart, &secretCount) == 1
        && written == ciphertext.count && secretCount == secret.count
    }
  }

  @unsafe func decapsulate(
    _ ciphertext: RawSpan, into secret: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    var written = secret.count
    try unsafe ciphertext.withInput { start throws(CryptoError) in
      try ErrorQueue.check("ML-KEM refused to decapsulate") {
        unsafe EVP_PKEY_decapsulate_init(pointer, nil) == 1
          && EVP_PKEY_decapsulate(pointer, secret.byteStart, &written, start, ciphertext.byteCount) == 1
          && written == secret.count
      }
    }
  }
}
