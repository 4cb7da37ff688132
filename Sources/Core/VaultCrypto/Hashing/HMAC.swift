import COpenSSL

/// HMAC (RFC 2104) with the hash functions of one-time codes. The vault's own MACs use ``HMACSHA256``.
package enum HMAC {
  package enum Hash: String, Sendable, CaseIterable {
    /// 20 bytes; almost all one-time codes (RFC 6238) use it.
    case sha1 = "SHA1"
    /// 32 bytes.
    case sha256 = "SHA256"
    /// 64 bytes.
    case sha512 = "SHA512"

    /// Size of a MAC in bytes.
    package var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// The MAC of a message under a key of any size: 20, 32 or 64 bytes.
  package static func authenticate(_ message: RawSpan, key: RawSpan, with hash: Hash) throws(CryptoError) -> [UInt8] {
    try unsafe [UInt8](byteCount: hash.byteCount) { output throws(CryptoError) in
      try unsafe key.withInput { keyStart throws(CryptoError) in
        try unsafe message.withInput { start throws(CryptoError) in
          var written = 0
          try ErrorQueue.check("HMAC failed") {
            unsafe EVP_Q_mac(
              nil, "HMAC", nil, hash.rawValue, nil, keyStart, key.byteCount, start, message.byteCount,
              output.byteStart, output.count, &written) != nil && written == output.count
          }
        }
      }
    }
  }
}
