/// SHA-512 (FIPS 180-4), at once or in pieces.
package enum SHA512 {
  /// Size of a hash in bytes.
  package static let byteCount = 64

  package static func hash(_ message: RawSpan) throws(CryptoError) -> [UInt8] {
    var hasher = try Hasher()
    try hasher.update(message)
    return try hasher.finish()
  }

  /// The hash of a message that arrives in pieces.
  package struct Hasher: ~Copyable {
    private let context: DigestContext

    /// Starts an empty message.
    package init() throws(CryptoError) { context = try DigestContext(Algorithms.sha512) }

    /// Appends a piece, which may be empty.
    package mutating func update(_ piece: RawSpan) throws(CryptoError) { try context.update(piece) }

    /// The hash, 64 bytes, of all pieces; ends the hasher.
    package consuming func finish() throws(CryptoError) -> [UInt8] { try context.finish(byteCount: SHA512.byteCount) }
  }
}
