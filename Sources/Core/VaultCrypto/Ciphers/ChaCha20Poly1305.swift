/// ChaCha20-Poly1305 (RFC 8439). The caller counts nonces, or uses each key once, as age does.
package enum ChaCha20Poly1305 {
  package static let keyByteCount = AEAD.keyByteCount
  package static let nonceByteCount = AEAD.nonceByteCount
  package static let tagByteCount = AEAD.tagByteCount

  /// Seals under a nonce of 12 bytes that was never used with this key; the result is ciphertext ‖ tag 16.
  package static func seal(
    _ plaintext: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    guard plaintext.byteCount <= AEAD.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
    return try unsafe [UInt8](byteCount: plaintext.byteCount + tagByteCount) { output throws(CryptoError) in
      try unsafe AEAD.chaCha20Poly1305.seal(
        plaintext, key: key, nonce: nonce, associatedData: associatedData, into: output)
    }
  }

  /// Seals into the caller's memory, which has exactly 16 bytes more than the text.
  package static func seal(
    _ plaintext: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan, into output: inout MutableRawSpan
  ) throws(CryptoError) {
    try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
      try unsafe AEAD.chaCha20Poly1305.seal(
        plaintext, key: key, nonce: nonce, associatedData: associatedData, into: output)
    }
  }

  /// Opens ciphertext ‖ tag 16; nothing is released unless the tag is valid.
  package static func open(
    _ box: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> SecretBytes {
    let byteCount = try AEAD.chaCha20Poly1305.plaintextByteCount(ofBox: box)
    return try SecretBytes(count: byteCount) { output throws(CryptoError) in
      try open(box, key: key, nonce: nonce, associatedData: associatedData, into: &output)
    }
  }

  /// Opens into the caller's memory, which has exactly 16 bytes less than the box. Wipes it if the tag is invalid.
  package static func open(
    _ box: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan, into output: inout MutableRawSpan
  ) throws(CryptoError) {
    try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
      try unsafe AEAD.chaCha20Poly1305.open(
        box, key: key, nonce: nonce, associatedData: associatedData, into: output)
    }
  }
}
