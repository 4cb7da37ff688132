import COpenSSL

/// PBKDF2 with HMAC-SHA-256 (RFC 8018), for files of other tools; this program's own files use scrypt.
package enum PBKDF2SHA256 {
  /// Derives `byteCount` bytes with `iterations` rounds; both are at least 1.
  package static func derive(
    passphrase: RawSpan, salt: RawSpan, iterations: Int, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    try unsafe PBKDF2.derive(
      EVP_sha256(), passphrase: passphrase, salt: salt, iterations: iterations, byteCount: byteCount)
  }
}

/// PBKDF2 with HMAC-SHA-1 (RFC 8018), for files of other tools that use nothing else.
package enum PBKDF2SHA1 {
  /// Derives `byteCount` bytes with `iterations` rounds; both are at least 1.
  package static func derive(
    passphrase: RawSpan, salt: RawSpan, iterations: Int, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    try unsafe PBKDF2.derive(
      EVP_sha1(), passphrase: passphrase, salt: salt, iterations: iterations, byteCount: byteCount)
  }
}

/// PBKDF2 with HMAC-SHA-512 (RFC 8018), for files of other tools.
package enum PBKDF2SHA512 {
  /// Derives `byteCount` bytes with `iterations` rounds; both are at least 1.
  package static func derive(
    passphrase: RawSpan, salt: RawSpan, iterations: Int, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    try unsafe PBKDF2.derive(
      EVP_sha512(), passphrase: passphrase, salt: salt, iterations: iterations, byteCount: byteCount)
  }
}

private enum PBKDF2 {
  @unsafe static func derive(
    _ digest: OpaquePointer?, passphrase: RawSpan, salt: RawSpan, iterations: Int, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...Int(Int32.max)).contains(iterations) else {
      throw CryptoError(.costOutOfRange, "PBKDF2 does not accept this number of iterations")
    }
    guard byteCount >= 1 else { throw CryptoError(.wrongByteCount, "PBKDF2 gives at least 1 byte") }
    _ = Algorithms.isLibraryStarted
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe passphrase.withInput { pass throws(CryptoError) in
          try unsafe salt.withInput { saltStart throws(CryptoError) in
            try ErrorQueue.check("PBKDF2 failed") {
              unsafe pass.withMemoryRebound(to: CChar.self, capacity: passphrase.byteCount) { pass in
                unsafe PKCS5_PBKDF2_HMAC(
                  pass, Int32(passphrase.byteCount), saltStart, Int32(salt.byteCount), Int32(iterations), digest,
                  Int32(output.count), output.byteStart) == 1
              }
            }
          }
        }
      }
    }
  }
}
