import COpenSSL

/// Owner of one EVP_CIPHER_CTX; freeing it wipes the expanded key.
///
/// Each message begins on an empty error queue. The context serves one message, or with its own key (``AESGCMKey``) one
/// message after the other.
@safe struct CipherContext: ~Copyable, @unchecked Sendable {
  // @unchecked: the one owner may hand it to another thread; nothing else knows the pointer.
  private let pointer: OpaquePointer

  /// An empty context; `begin` must follow.
  init() throws(CryptoError) {
    _ = Algorithms.isLibraryStarted
    unsafe pointer = try ErrorQueue.make("there is no cipher context") { unsafe EVP_CIPHER_CTX_new() }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

  /// Begins the next message under the cipher and key that `begin` has set.
  func restart(nonce: RawSpan, isSealing: Bool) throws(CryptoError) {
    try unsafe nonce.withInput { nonce throws(CryptoError) in
      try ErrorQueue.check("the cipher refused its nonce") {
        // NULL keeps the cipher and the key, which in GCM is the same for both directions.
        unsafe EVP_CipherInit_ex2(pointer, nil, nil, nonce, isSealing ? 1 : 0, nil) == 1
      }
    }
  }

  /// Sets key and nonce, whose sizes the caller has checked.
  func begin(
    _ cipher: Algorithms.Fetched, key: RawSpan, nonce: RawSpan, isSealing: Bool
  ) throws(CryptoError) {
    let cipher = try unsafe cipher.get()
    try unsafe key.withInput { key throws(CryptoError) in
      try unsafe nonce.withInput { nonce throws(CryptoError) in
        try ErrorQueue.check("the cipher refused its key or nonce") {
          unsafe EVP_CipherInit_ex2(pointer, cipher, key, nonce, isSealing ? 1 : 0, nil) == 1
        }
      }
    }
  }

  /// Adds associated data, after `begin` and before the message. The caller has checked that its size fits 32 bits.
  func authenticate(_ associatedData: RawSpan) throws(CryptoError) {
    if associatedData.byteCount == 0 { return }
    var written: Int32 = 0
    try unsafe associatedData.withInput { data throws(CryptoError) in
      try ErrorQueue.check("the cipher refused the associated data", continues: true) {
        unsafe EVP_CipherUpdate(pointer, nil, &written, data, Int32(associatedData.byteCount)) == 1
      }
    }
  }

  /// Processes the next part of the message and writes as many bytes to the start of `output`. The caller has checked
  /// that the size fits 32 bits. An opened part is not authentic until `finishOpening` returns.
  @unsafe func process(_ input: RawSpan, into output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    if input.byteCount == 0 { return }
    // OpenSSL would take a NULL output to mean associated data.
    guard let target = unsafe output.byteStart, output.count >= input.byteCount else {
      throw CryptoError(.wrongByteCount, "the output is smaller than the text")
    }
    let count = Int32(input.byteCount)
    var written: Int32 = 0
    try unsafe input.withInput { input throws(CryptoError) in
      try ErrorQueue.check("the cipher refused the message", continues: true) {
        unsafe EVP_CipherUpdate(pointer, target, &written, input, count) == 1 && written == count
      }
    }
  }

  /// Ends sealing and writes the tag of 16 bytes to `tag`.
  @unsafe func finishSealing(tag: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    var nothing: UInt8 = 0
    var written: Int32 = 0
    try ErrorQueue.check("the cipher gave no tag", continues: true) {
      unsafe EVP_CipherFinal_ex(pointer, &nothing, &written) == 1 && written == 0
        && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
    }
  }

  /// Ends opening; the message is valid only if this returns. If it throws, the caller wipes the opened bytes.
  func finishOpening(tag: RawSpan) throws(CryptoError) {
    // OpenSSL only reads the tag, though its signature says otherwise; Final writes nothing for these ciphers.
    try unsafe tag.withInput { tag throws(CryptoError) in
      try ErrorQueue.check("the cipher refused the tag's size", continues: true) {
        unsafe EVP_CIPHER_CTX_ctrl(
          pointer, EVP_CTRL_AEAD_SET_TAG, Int32(AEAD.tagByteCount), UnsafeMutablePointer(mutating: tag)) == 1
      }
    }
    var nothing: UInt8 = 0
    var written: Int32 = 0
    guard unsafe EVP_CipherFinal_ex(pointer, &nothing, &written) == 1 else {
      // OpenSSL's entries for a bad tag help nobody and must not be reported as a library error.
      ErrorQueue.clear()
      throw CryptoError(.authenticationFailed, "the key is wrong or the bytes were changed")
    }
  }

  /// Sets key and nonce of AES-256-GCM for opening, with a nonce of any size that OpenSSL accepts. The caller
  /// has checked the size of the key.
  func beginForeignGCM(key: RawSpan, nonce: RawSpan) throws(CryptoError) {
    let cipher = try unsafe Algorithms.aes256GCM.get()
    try unsafe key.withInput { key throws(CryptoError) in
      try unsafe nonce.withInput { start throws(CryptoError) in
        try ErrorQueue.check("the cipher refused its key or nonce") {
          unsafe EVP_CipherInit_ex2(pointer, cipher, nil, nil, 0, nil) == 1
            && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.byteCount), nil) == 1
            && EVP_CipherInit_ex2(pointer, nil, key, start, 0, nil) == 1
        }
      }
    }
  }

  /// The plaintext of whole AES-256-CBC blocks without their padding; the caller has checked sizes and MAC.
  func openCBC(_ ciphertext: RawSpan, key: RawSpan, nonce: RawSpan) throws(CryptoError) -> [UInt8] {
    try unsafe beginPlain(EVP_aes_256_cbc(), key: key, nonce: nonce, isSealing: false)
    var written: Int32 = 0
    var last: Int32 = 0
    var output = try unsafe [UInt8](byteCount: ciphertext.byteCount + 16) { output throws(CryptoError) in
      guard let target = unsafe output.byteStart else { return }
      try unsafe ciphertext.withInput { input throws(CryptoError) in
        try ErrorQueue.check("the cipher refused the message") {
          unsafe EVP_CipherUpdate(pointer, target, &written, input, Int32(ciphertext.byteCount)) == 1
        }
      }
      try ErrorQueue.check("the padding is wrong", code: .authenticationFailed) {
        unsafe EVP_CipherFinal_ex(pointer, target + Int(written), &last) == 1
      }
    }
    output.removeLast(output.count - Int(written + last))
    return output
  }

  /// Sets key and nonce of a cipher without authentication; the caller has checked their sizes.
  @unsafe func beginPlain(
    _ cipher: OpaquePointer?, key: RawSpan, nonce: RawSpan, isSealing: Bool, isPadded: Bool = true
  ) throws(CryptoError) {
    try unsafe key.withInput { key throws(CryptoError) in
      try unsafe nonce.withInput { nonce throws(CryptoError) in
        try ErrorQueue.check("the cipher refused its key or nonce") {
          unsafe EVP_CipherInit_ex2(pointer, cipher, key, nonce, isSealing ? 1 : 0, nil) == 1
            && EVP_CIPHER_CTX_set_padding(pointer, isPadded ? 1 : 0) == 1
        }
      }
    }
  }
}
