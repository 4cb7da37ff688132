package import VaultCrypto

/// Opens one age file piece by piece, in constant memory, when the caller asks for more plaintext.
///
/// The pieces are in ordinary memory, so use it only for plaintext that is not secret.
public final class AgeReader {
  private var input: AgeInput
  private let payload: AgePayload
  private let read: AgeRead
  private var index: UInt64 = 0
  private var isAtEnd = false
  /// The error to report after the last piece.
  private var failure: AgeError?

  /// Reads the header and opens it.
  ///
  /// - Throws: `.malformedHeader`, `.tooLarge`, `.malformedArmor`, `.noMatchingIdentity`, `.wrongPassphrase`,
  ///   `.workFactorOutOfRange`, `.lowOrderShare`, `.headerAuthenticationFailed`, `.readFailed`, `.cryptoFailed`.
  public init(
    with credentials: [AgeCredential], encoding: AgeEncoding = .binary, read: @escaping AgeRead
  ) throws(AgeError) {
    var input = try AgeInput(encoding, from: read)
    payload = try AgeOpening(&input, credentials: credentials, from: read).payload
    self.input = input
    self.read = read
  }

  /// Reads a payload without a header, as ``AgeWriter/init(payloadUnder:write:)`` writes it.
  ///
  /// - Parameter key: 32 bytes.
  package convenience init(payloadUnder key: SecretBytes, read: @escaping AgeRead) {
    self.init(AgePayload(key: key), fromChunk: 0, read: read)
  }

  /// Reads the chunks of a binary file from `index` on, with which `read` begins.
  init(_ payload: AgePayload, fromChunk index: Int, read: @escaping AgeRead) {
    input = AgeInput()
    (self.payload, self.index, self.read) = (payload, UInt64(index), read)
  }

  /// The next piece, at most 64 KiB; nil once the file has ended properly.
  ///
  /// Each piece is authentic, but only nil shows that nothing is missing. Before that, and after an error, the output
  /// is incomplete.
  /// - Throws: `.payloadAuthenticationFailed`, `.truncated`, `.malformedArmor`, `.readFailed`, `.cryptoFailed`.
  public func next() throws(AgeError) -> [UInt8]? {
    if let failure { throw failure }
    guard !isAtEnd else { return nil }
    // One byte more than a chunk shows whether this one is the last.
    try input.fill(AgePayload.boxByteCount + 1, from: read)
    let hasMore = input.queue.count > AgePayload.boxByteCount
    let count = min(input.queue.count, AgePayload.boxByteCount)
    guard count > 0 else { throw AgeError(.truncated, "the payload is missing") }
    var piece: [UInt8]?
    do throws(AgeError) {
      try input.queue.withBytes(first: count) { (box) throws(AgeError) in
        try payload.release(box, index: index, hasMore: hasMore) { piece = [UInt8](copying: $0) }
      }
    } catch {
      guard piece != nil else { throw error }
      failure = error
    }
    input.consume(count)
    index += 1
    isAtEnd = !hasMore
    return piece
  }
}
