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

  /// The hash of a message that arrives in pieces.
  public struct Hasher: ~Copyable {
    private let context: DigestContext

    /// Starts an empty message.
    ///
    /// - Throws: `.libraryFailed`.
    public init() throws(CryptoError) { context = try DigestContext(Algorithms.sha256) }

    /// Appends a piece, which may be empty.
    ///
    /// - Throws: `.libraryFailed`.
    public mutating func update(_ piece: RawSpan) throws(CryptoError) { try context.update(piece) }

    /// The hash, 32 bytes, of all pieces; ends the hasher.
    ///
    /// - Throws: `.libraryFailed`.
    public consuming func finish() throws(CryptoError) -> [UInt8] { try context.finish(byteCount: SHA256.byteCount) }
  }
}
