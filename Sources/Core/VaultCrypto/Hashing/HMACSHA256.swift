import COpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
  /// Size of a MAC in bytes.
  package static let byteCount = 32

  /// The MAC, 32 bytes, of a message under a key of any size.
  package static func authenticate(_ message: RawSpan, key: RawSpan) throws(CryptoError) -> [UInt8] {
    let context = try MACContext()
    try context.begin(key: key)
    try context.update(message)
    return try context.finish()
  }

  /// Whether `mac` is the whole MAC of the message, compared in constant time. A truncated MAC is invalid.
  package static func isValid(_ mac: RawSpan, for message: RawSpan, key: RawSpan) throws(CryptoError) -> Bool {
    let expected = try authenticate(message, key: key)
    return unsafe constantTimeEqual(expected.span.bytes, mac)
  }
}

extension HMACSHA256 {
  /// The MAC of a message that arrives in pieces.
  package struct Authenticator: ~Copyable {
    private let context: MACContext

    /// Starts an empty message under a key of any size.
    package init(key: RawSpan) throws(CryptoError) {
      context = try MACContext.begun(key: key)
    }

    /// Appends a piece, which may be empty.
    package func update(_ piece: RawSpan) throws(CryptoError) { try context.update(piece) }

    /// The MAC, 32 bytes, of all pieces; call it once, at the end.
    package func finish() throws(CryptoError) -> [UInt8] { try context.finish() }
  }
}

/// Owner of one EVP_MAC_CTX; freeing it wipes the key's state. Creating it clears the error queue for all later calls.
@safe struct MACContext: ~Copyable {
  private let pointer: OpaquePointer

  /// A context without a key: `begin` must follow.
  init() throws(CryptoError) {
    let template = try unsafe Self.template.get()
    unsafe pointer = try ErrorQueue.make("there is no context for HMAC") { unsafe EVP_MAC_CTX_dup(template) }
  }

  deinit { unsafe EVP_MAC_CTX_free(pointer) }

  static func begun(key: RawSpan) throws(CryptoError) -> MACContext {
    let context = try MACContext()
    try context.begin(key: key)
    return context
  }

  func begin(key: RawSpan) throws(CryptoError) {
    try unsafe key.withInput { start throws(CryptoError) in
      try ErrorQueue.check("HMAC refused its key", continues: true) {
        unsafe EVP_MAC_init(pointer, start, key.byteCount, nil) == 1
      }
    }
  }

  /// Begins the next message under the same key, without setting the key up again.
  func beginAgain() throws(CryptoError) {
    try ErrorQueue.check("HMAC refused to begin again", continues: true) {
      unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1
    }
  }

  func update(_ message: RawSpan) throws(CryptoError) {
    try unsafe message.withInput { start throws(CryptoError) in
      try ErrorQueue.check("HMAC failed", continues: true) {
        unsafe EVP_MAC_update(pointer, start, message.byteCount) == 1
      }
    }
  }

  func finish() throws(CryptoError) -> [UInt8] {
    try unsafe [UInt8](byteCount: HMACSHA256.byteCount) { output throws(CryptoError) in try unsafe finish(into: output)
    }
  }

  /// Writes the MAC to 32 bytes; `begin` may follow.
  @unsafe func finish(into output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    var written = 0
    try ErrorQueue.check("HMAC failed", continues: true) {
      unsafe EVP_MAC_final(pointer, output.byteStart, &written, output.count) == 1 && written == output.count
    }
  }

  /// A context with its digest but no key. Copying it saves looking the digest up by name for each message.
  private static let template = unsafe Algorithms.Fetched(makeTemplate())

  /// Nil if this OpenSSL does not have HMAC or SHA-256.
  private static func makeTemplate() -> OpaquePointer? {
    guard let algorithm = unsafe try? Algorithms.hmac.get() else { return nil }
    guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
    let list = unsafe [Parameter.sha256, OSSL_PARAM_construct_end()]
    if unsafe EVP_MAC_CTX_set_params(context, list) == 1 { return unsafe context }
    unsafe EVP_MAC_CTX_free(context)
    return nil
  }
}
