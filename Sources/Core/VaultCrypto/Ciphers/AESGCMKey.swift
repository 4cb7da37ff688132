import Synchronization

/// One key of AES-GCM, expanded once for many messages; see ``AESGCM`` for nonces and limits.
///
/// After its first use, the expanded key stays in OpenSSL's context, in ordinary memory, as long as this object lives.
/// Freeing wipes it. Threads take turns.
public final class AESGCMKey: Sendable {
  private let key: SecretBytes
  private let byteCount: Int
  private let context: Mutex<KeyedContext>

  /// A context that gets its key with the first message.
  private struct KeyedContext: ~Copyable {
    let context: CipherContext
    var hasKey = false
  }

  /// Takes the first 32 bytes of a secret.
  ///
  /// - Throws: `.wrongByteCount` if it has fewer, `.libraryFailed`.
  public init(beginningOf key: SecretBytes) throws(CryptoError) {
    guard key.count >= AESGCM.keyByteCount else { throw CryptoError(.wrongByteCount, "a key must have 32 bytes") }
    (self.key, byteCount) = (key, AESGCM.keyByteCount)
    context = Mutex(KeyedContext(context: try CipherContext()))
  }

  /// Takes a whole key of AES-128, AES-192 or AES-256, because other programs use all three.
  package init(ofAnySize key: SecretBytes) throws(CryptoError) {
    guard [16, 24, 32].contains(key.count) else {
      throw CryptoError(.wrongByteCount, "a key must have 16, 24 or 32 bytes")
    }
    (self.key, byteCount) = (key, key.count)
    context = Mutex(KeyedContext(context: try CipherContext()))
  }

  private var algorithm: Algorithms.Fetched {
    switch byteCount {
    case 16: Algorithms.aes128GCM
    case 24: Algorithms.aes192GCM
    default: Algorithms.aes256GCM
    }
  }

  /// Begins a message under the lock. Only the first message reads the key; the context then keeps it.
  private func begin(
    _ keyed: inout KeyedContext, nonce: RawSpan, isSealing: Bool
  ) throws(CryptoError) {
    if keyed.hasKey { return try keyed.context.restart(nonce: nonce, isSealing: isSealing) }
    try key.withBytes { bytes throws(CryptoError) in
      try keyed.context.begin(
        algorithm, key: bytes.extracting(first: byteCount), nonce: nonce, isSealing: isSealing)
    }
    keyed.hasKey = true
  }

  /// Seals `plaintext` followed by `padding` under a random nonce; the result is nonce 12 ‖ ciphertext ‖ tag 16.
  ///
  /// The two parts are one message. Passing them separately saves a copy of the secret part.
  ///
  /// - Throws: `.wrongByteCount` for more than 2 GiB, `.randomFailed`, `.libraryFailed`.
  public func seal(
    _ plaintext: RawSpan, padding: RawSpan, associatedData: RawSpan
  ) throws(CryptoError) -> [UInt8] {
    let byteCount = plaintext.byteCount + padding.byteCount
    guard byteCount <= AEAD.maximumByteCount, associatedData.byteCount <= AEAD.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
    let nonceByteCount = AESGCM.nonceByteCount
    return try unsafe [UInt8](byteCount: nonceByteCount + byteCount + AESGCM.tagByteCount) {
      output throws(CryptoError) in
      let nonce = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<nonceByteCount])
      let text = unsafe UnsafeMutableRawBufferPointer(rebasing: output[nonceByteCount...])
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: text[plaintext.byteCount...])
      let tag = unsafe UnsafeMutableRawBufferPointer(rebasing: text[byteCount...])
      try unsafe NoncePool.shared.fill(nonce)
      try context.withLock { keyed throws(CryptoError) in
        try unsafe begin(&keyed, nonce: nonce.bytes, isSealing: true)
        try keyed.context.authenticate(associatedData)
        try unsafe keyed.context.process(plaintext, into: text)
        try unsafe keyed.context.process(padding, into: rest)
        try unsafe keyed.context.finishSealing(tag: tag)
      }
    }
  }

  /// Opens nonce 12 ‖ ciphertext ‖ tag 16; nothing is released unless the tag is valid.
  ///
  /// - Throws: `.authenticationFailed`, `.wrongByteCount` for a box below 28 bytes, `.secureMemoryExhausted`,
  ///   `.secureMemoryUnavailable`, `.libraryFailed`.
  public func open(_ box: RawSpan, associatedData: RawSpan) throws(CryptoError) -> SecretBytes {
    guard box.byteCount >= AESGCM.nonceByteCount + AESGCM.tagByteCount else {
      throw CryptoError(.wrongByteCount, "a sealed box is shorter than its nonce and tag")
    }
    guard box.byteCount <= AEAD.maximumByteCount, associatedData.byteCount <= AEAD.maximumByteCount else {
      throw CryptoError(.wrongByteCount, "a message is longer than 2 GiB")
    }
    let nonce = box.extracting(first: AESGCM.nonceByteCount)
    let text = box.extracting(AESGCM.nonceByteCount..<box.byteCount - AESGCM.tagByteCount)
    // If anything fails, the initialiser throws and wipes the bytes written so far.
    return try SecretBytes(count: text.byteCount) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try context.withLock { keyed throws(CryptoError) in
          try begin(&keyed, nonce: nonce, isSealing: false)
          try keyed.context.authenticate(associatedData)
          try unsafe keyed.context.process(text, into: output)
          try keyed.context.finishOpening(tag: box.extracting(last: AESGCM.tagByteCount))
        }
      }
    }
  }
}
