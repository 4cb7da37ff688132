import COpenSSL

/// PBKDF2 with HMAC (RFC 8018), for files of other tools; this program's own files use scrypt.
package enum PBKDF2 {
  /// The hash function of the HMAC.
  package enum Hash {
    case sha1
    case sha256
    case sha512

    @unsafe fileprivate var digest: OpaquePointer? {
      switch self {
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha512: unsafe EVP_sha512()
      }
    }
  }

  /// Derives `byteCount` bytes with `iterations` rounds; both are at least 1.
  package static func derive(
    _ hash: Hash, passphrase: RawSpan, salt: RawSpan, iterations: Int, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    guard (1...Int(Int32.max)).contains(iterations) else {
      throw CryptoError(.costOutOfRange, "PBKDF2 does not accept this number of iterations")
    }
    guard byteCount >= 1 else { throw CryptoError(.wrongByteCount, "PBKDF2 gives at least 1 byte") }
    _ = Algorithms.isLibraryStarted
    return try unsafe SecretBytes(
      count: byteCount, derivedFrom: passphrase, salt: salt, orFail: "PBKDF2 failed"
    ) { pass, saltStart, output in
      unsafe pass.withMemoryRebound(to: CChar.self, capacity: passphrase.byteCount) { pass in
        unsafe PKCS5_PBKDF2_HMAC(
          pass, Int32(passphrase.byteCount), saltStart, Int32(salt.byteCount), Int32(iterations), hash.digest,
          Int32(output.count), output.byteStart) == 1
      }
    }
  }
}
