/// SHA3-256 and SHAKE256 (FIPS 202) of secrets: their results are keys, and stay in secure memory.
enum SHA3 {
  /// The SHA3-256 hash, 32 bytes, of the message that `append` writes in pieces.
  static func hash(_ append: (borrowing DigestContext) throws(CryptoError) -> Void) throws(CryptoError) -> SecretBytes {
    let context = try DigestContext(Algorithms.sha3)
    try append(context)
    return try SecretBytes(count: 32) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in try unsafe context.finish(into: output) }
    }
  }

  /// `count` bytes of SHAKE256 for a secret.
  static func expand(_ secret: RawSpan, count: Int) throws(CryptoError) -> SecretBytes {
    let context = try DigestContext(Algorithms.shake256)
    try context.update(secret)
    return try SecretBytes(count: count) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe context.finishOfAnySize(into: output)
      }
    }
  }
}
