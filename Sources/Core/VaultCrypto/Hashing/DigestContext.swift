import COpenSSL

/// Owner of one EVP_MD_CTX: a hash of a message that arrives in pieces.
@safe struct DigestContext: ~Copyable {
  private let pointer: OpaquePointer

  init(_ algorithm: Algorithms.Fetched) throws(CryptoError) {
    unsafe pointer = try Self.makeStartedContext(algorithm)
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }

  func update(_ piece: RawSpan) throws(CryptoError) {
    try unsafe piece.withInput { start throws(CryptoError) in
      try ErrorQueue.check("hashing failed") { unsafe EVP_DigestUpdate(pointer, start, piece.byteCount) == 1 }
    }
  }

  /// Ends the hash, whose size is `byteCount`; nothing may follow.
  func finish(byteCount: Int) throws(CryptoError) -> [UInt8] {
    try unsafe [UInt8](byteCount: byteCount) { output throws(CryptoError) in try unsafe finish(into: output) }
  }

  /// Ends the hash and writes it to `output`, which has exactly its size.
  @unsafe func finish(into output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    var written: UInt32 = 0
    try ErrorQueue.check("hashing failed") {
      unsafe EVP_DigestFinal_ex(pointer, output.byteStart, &written) == 1 && Int(written) == output.count
    }
  }

  /// Ends the hash of a function whose output has any size, and fills `output`.
  @unsafe func finishOfAnySize(into output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    try ErrorQueue.check("hashing failed") {
      unsafe EVP_DigestFinalXOF(pointer, output.byteStart, output.count) == 1
    }
  }

  // Not in init, because a noncopyable type cannot throw after setting only some fields.
  @unsafe private static func makeStartedContext(_ algorithm: Algorithms.Fetched) throws(CryptoError) -> OpaquePointer {
    let digest = try unsafe algorithm.get()
    let context = try unsafe ErrorQueue.make("there is no context for hashing") { unsafe EVP_MD_CTX_new() }
    do throws(CryptoError) {
      try ErrorQueue.check("hashing failed") { unsafe EVP_DigestInit_ex2(context, digest, nil) == 1 }
    } catch {
      unsafe EVP_MD_CTX_free(context)
      throw error
    }
    return unsafe context
  }
}
