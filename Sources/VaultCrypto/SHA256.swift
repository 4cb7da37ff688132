import COpenSSL

/// SHA-256 (FIPS 180-4), at once or in pieces.
public enum SHA256 {
  /// Size of a hash in bytes.
  public static let byteCount = 32

  /// The hash, 32 bytes, of a whole message.
  ///
  /// - Throws: `.libraryFailed`.
  public static func hash(_ message: RawSpan) throws(CryptoError) -> [UInt8] {
    var hasher = try Hasher()
    try hasher.update(message)
    return try hasher.finish()
  }

  /// The hash of a message that arrives in pieces; owns one EVP_MD_CTX.
  @safe public struct Hasher: ~Copyable {
    private let pointer: OpaquePointer

    /// Starts an empty message.
    ///
    /// - Throws: `.libraryFailed`.
    public init() throws(CryptoError) {
      unsafe pointer = try Self.makeStartedContext()
    }

    deinit { unsafe EVP_MD_CTX_free(pointer) }

    /// Appends a piece, which may be empty.
    ///
    /// - Throws: `.libraryFailed`.
    public mutating func update(_ piece: RawSpan) throws(CryptoError) {
      try unsafe piece.withInput { start throws(CryptoError) in
        try ErrorQueue.check("SHA-256 failed") { unsafe EVP_DigestUpdate(pointer, start, piece.byteCount) == 1 }
      }
    }

    /// The hash, 32 bytes, of all pieces; ends the hasher.
    ///
    /// - Throws: `.libraryFailed`.
    public consuming func finish() throws(CryptoError) -> [UInt8] {
      try unsafe [UInt8](byteCount: SHA256.byteCount) { output throws(CryptoError) in
        var written: UInt32 = 0
        try ErrorQueue.check("SHA-256 failed") {
          unsafe EVP_DigestFinal_ex(pointer, output.byteStart, &written) == 1 && Int(written) == output.count
        }
      }
    }

    // Apart from init because a noncopyable type cannot throw between having its fields and being whole.
    @unsafe private static func makeStartedContext() throws(CryptoError) -> OpaquePointer {
      let digest = try unsafe Algorithms.sha256.get()
      let context = try unsafe ErrorQueue.make("no context for SHA-256") { unsafe EVP_MD_CTX_new() }
      do throws(CryptoError) {
        try ErrorQueue.check("SHA-256 failed") { unsafe EVP_DigestInit_ex2(context, digest, nil) == 1 }
      } catch {
        unsafe EVP_MD_CTX_free(context)
        throw error
      }
      return unsafe context
    }
  }
}
