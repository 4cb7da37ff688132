import COpenSSL

/// Authenticated encryption with a 32-byte key, a 12-byte nonce and a 16-byte tag, the only sizes used here.
///
/// OpenSSL itself accepts other nonces and tags as short as one byte, so every size is checked before OpenSSL sees it.
struct AEAD {
  static let keyByteCount = 32
  static let nonceByteCount = 12
  static let tagByteCount = 16
  // EVP counts in 32-bit integers. A message that does not fit into one call is refused, not split.
  static let maximumByteCount = Int(Int32.max) - tagByteCount

  private let cipher: Algorithms.Fetched

  static let aes256GCM = AEAD(cipher: Algorithms.aes256GCM)
  static let chaCha20Poly1305 = AEAD(cipher: Algorithms.chaCha20Poly1305)

  /// Writes ciphertext ‖ tag to `output`, which has room for both.
  @unsafe func seal(
    _ plaintext: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan,
    into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    try checkSizes(key: key, nonce: nonce, plaintext.byteCount, associatedData.byteCount)
    try unsafe checkSize(of: output, plaintext.byteCount + Self.tagByteCount)
    let context = try CipherContext()
    try context.begin(cipher, key: key, nonce: nonce, isSealing: true)
    try context.authenticate(associatedData)
    try unsafe context.process(plaintext, into: output)
    try unsafe context.finishSealing(tag: UnsafeMutableRawBufferPointer(rebasing: output[plaintext.byteCount...]))
  }

  /// Opens ciphertext ‖ tag into `output`, which has 16 bytes less than `box`. Wipes it if anything fails.
  @unsafe func open(
    _ box: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan,
    into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    let byteCount = try plaintextByteCount(ofBox: box)
    try checkSizes(key: key, nonce: nonce, byteCount, associatedData.byteCount)
    try unsafe checkSize(of: output, byteCount)
    do throws(CryptoError) {
      let context = try CipherContext()
      try context.begin(cipher, key: key, nonce: nonce, isSealing: false)
      try context.authenticate(associatedData)
      try unsafe context.process(box.extracting(first: byteCount), into: output)
      try context.finishOpening(tag: box.extracting(last: Self.tagByteCount))
    } catch {
      // OpenSSL has already written plaintext that no tag vouches for.
      unsafe OPENSSL_cleanse(output.baseAddress, output.count)
      throw error
    }
  }

  /// Size of the plaintext in a box of ciphertext ‖ tag.
  func plaintextByteCount(ofBox box: RawSpan) throws(CryptoError) -> Int {
    guard box.byteCount >= Self.tagByteCount else {
      throw CryptoError(.wrongByteCount, "a sealed box is shorter than its tag")
    }
    return box.byteCount - Self.tagByteCount
  }

  private func checkSizes(
    key: RawSpan, nonce: RawSpan, _ textByteCount: Int, _ associatedByteCount: Int
  ) throws(CryptoError) {
    guard key.byteCount == Self.keyByteCount else { throw CryptoError(.wrongByteCount, "a key must have 32 bytes") }
    guard nonce.byteCount == Self.nonceByteCount else {
      throw CryptoError(.wrongByteCount, "a nonce must have 12 bytes")
    }
    guard textByteCount <= Self.maximumByteCount, associatedByteCount <= Self.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
  }

  @unsafe private func checkSize(of output: UnsafeMutableRawBufferPointer, _ byteCount: Int) throws(CryptoError) {
    guard output.count == byteCount else {
      throw CryptoError(.wrongByteCount, "the output has another size than the text")
    }
  }
}
