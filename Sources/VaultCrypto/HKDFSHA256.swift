import COpenSSL

/// HKDF with HMAC-SHA-256 (RFC 5869), extract and expand in one call.
public enum HKDFSHA256 {
  /// Longest output in bytes: 255 blocks of SHA-256.
  public static let maximumByteCount = 255 * SHA256.byteCount

  /// Derives `byteCount` bytes, 1 to 8160, from a key of any size; salt and info may be empty.
  ///
  /// - Throws: `.wrongByteCount` for an output size out of range, `.secureMemoryExhausted`, `.secureMemoryUnavailable`,
  ///   `.libraryFailed`.
  public static func derive(
    from key: RawSpan, salt: RawSpan, info: RawSpan, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...maximumByteCount).contains(byteCount) else {
      throw CryptoError(.wrongByteCount, "HKDF gives 1 to 8160 bytes")
    }
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      let context = try KDFContext()
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe context.derive(key: key, salt: salt, info: info, into: output)
      }
    }
  }
}

/// Owner of one EVP_KDF_CTX; freeing it wipes the copy of the key that it holds.
@safe private struct KDFContext: ~Copyable {
  private let pointer: OpaquePointer

  init() throws(CryptoError) {
    let algorithm = try unsafe Algorithms.hkdf.get()
    unsafe pointer = try ErrorQueue.make("no context for HKDF") { unsafe EVP_KDF_CTX_new(algorithm) }
  }

  deinit { unsafe EVP_KDF_CTX_free(pointer) }

  @unsafe func derive(
    key: RawSpan, salt: RawSpan, info: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    try unsafe key.withInput { keyStart throws(CryptoError) in
      try unsafe salt.withInput { saltStart throws(CryptoError) in
        try unsafe info.withInput { infoStart throws(CryptoError) in
          let list = unsafe [
            Parameter.sha256, Parameter.bytes("key", keyStart, key.byteCount),
            Parameter.bytes("salt", saltStart, salt.byteCount), Parameter.bytes("info", infoStart, info.byteCount),
            OSSL_PARAM_construct_end(),
          ]
          try ErrorQueue.check("HKDF failed") {
            unsafe EVP_KDF_derive(pointer, output.byteStart, output.count, list) == 1
          }
        }
      }
    }
  }
}
