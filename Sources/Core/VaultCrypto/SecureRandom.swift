import COpenSSL

/// Random bytes from OpenSSL's generator (RAND_bytes), seeded by the kernel.
package enum SecureRandom {
  /// `count` random bytes for public values, such as nonces and ids; `SecretBytes.random` makes keys.
  package static func bytes(count: Int) throws(CryptoError) -> [UInt8] {
    guard count >= 0 else { throw CryptoError(.wrongByteCount, "the number of random bytes is negative") }
    return try unsafe [UInt8](byteCount: count) { buffer throws(CryptoError) in
      try unsafe fill(buffer, isPrivate: false)
    }
  }

  /// Fills the span from the public or the private generator, which OpenSSL keeps separate.
  static func fill(_ span: inout MutableRawSpan, isPrivate: Bool) throws(CryptoError) {
    try unsafe span.withUnsafeMutableBytes { buffer throws(CryptoError) in
      try unsafe fill(buffer, isPrivate: isPrivate)
    }
  }

  /// Fills a buffer of at most 2 GiB; an empty one stays empty.
  @unsafe static func fill(_ buffer: UnsafeMutableRawBufferPointer, isPrivate: Bool) throws(CryptoError) {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    guard let count = Int32(exactly: buffer.count) else {
      throw CryptoError(.wrongByteCount, "too many random bytes are requested at once")
    }
    _ = Algorithms.isLibraryStarted
    try ErrorQueue.check("the random generator failed", code: .randomFailed) {
      unsafe (isPrivate ? RAND_priv_bytes(start, count) : RAND_bytes(start, count)) == 1
    }
  }
}
