/// AES-256-GCM (NIST SP 800-38D) with a fresh random nonce for each message.
///
/// Collisions of 96 random bits are negligible as long as one key seals fewer than 2^32 messages; see SP 800-38D, 8.3.
package enum AESGCM {
  package static let keyByteCount = AEAD.keyByteCount
  package static let nonceByteCount = AEAD.nonceByteCount
  package static let tagByteCount = AEAD.tagByteCount

  /// Seals under a random nonce; the result is nonce 12 ‖ ciphertext ‖ tag 16.
  package static func seal(
    _ plaintext: RawSpan, key: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    try unsafe seal(plaintext, key: key, associatedData: associatedData) { nonce throws(CryptoError) in
      try unsafe NoncePool.shared.fill(nonce)
    }
  }

  /// Seals under a given nonce of 12 bytes, only for test vectors: a nonce used twice reveals the authentication key.
  package static func seal(
    _ plaintext: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard nonce.byteCount == nonceByteCount else {
      throw CryptoError(.wrongByteCount, "a nonce must have 12 bytes")
    }
    return try unsafe seal(plaintext, key: key, associatedData: associatedData) { target throws(CryptoError) in
      unsafe nonce.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }
  }

  /// Opens nonce 12 ‖ ciphertext ‖ tag 16; nothing is released unless the tag is valid.
  package static func open(
    _ box: RawSpan, key: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> SecretBytes {
    guard box.byteCount >= nonceByteCount + tagByteCount else {
      throw CryptoError(.wrongByteCount, "a sealed box is shorter than its nonce and tag")
    }
    let nonce = box.extracting(first: nonceByteCount)
    let sealed = box.extracting(droppingFirst: nonceByteCount)
    return try SecretBytes(count: sealed.byteCount - tagByteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe AEAD.aes256GCM.open(sealed, key: key, nonce: nonce, associatedData: associatedData, into: output)
      }
    }
  }

  /// - Parameter makeNonce: writes all 12 bytes of the nonce.
  @unsafe private static func seal(
    _ plaintext: RawSpan, key: RawSpan, associatedData: RawSpan,
    makeNonce: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
  ) throws(CryptoError) -> [UInt8] {
    guard plaintext.byteCount <= AEAD.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
    let byteCount = nonceByteCount + plaintext.byteCount + tagByteCount
    return try unsafe [UInt8](byteCount: byteCount) { output throws(CryptoError) in
      let nonce = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<nonceByteCount])
      let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: output[nonceByteCount...])
      try unsafe makeNonce(nonce)
      try unsafe AEAD.aes256GCM.seal(
        plaintext, key: key, nonce: nonce.bytes, associatedData: associatedData, into: sealed)
    }
  }
}
