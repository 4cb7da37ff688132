/// Opens age files of any size in constant memory.
public struct AgeDecryptor: Sendable {
  private let credentials: [AgeCredential]
  private let encoding: AgeEncoding

  /// - Parameters:
  ///   - credentials: tried in this order; identities on X25519 stanzas, passphrases on a scrypt stanza.
  ///   - encoding: what input to accept.
  public init(with credentials: [AgeCredential], encoding: AgeEncoding = .binary) {
    self.credentials = credentials
    self.encoding = encoding
  }

  /// Pulls an age file from `read` until it ends and pushes the plaintext to `write`, at most 64 KiB a call.
  ///
  /// Each piece written is authentic, but only a normal return says that nothing is missing: until then the caller must
  /// treat what was written as incomplete, and throw it away on an error.
  /// - Throws: `.malformedHeader`, `.tooLarge`, `.malformedArmor`, `.noMatchingIdentity`, `.wrongPassphrase`,
  ///   `.workFactorOutOfRange`, `.lowOrderShare`, `.headerAuthenticationFailed`, `.payloadAuthenticationFailed`,
  ///   `.truncated`, `.readFailed`, `.writeFailed`, `.cryptoFailed`.
  public func open(read: AgeRead, write: AgeWrite) throws(AgeError) {
    var input = try AgeInput(encoding, from: read)
    let payload = try AgeOpening(&input, credentials: credentials, from: read).payload
    var index: UInt64 = 0
    var hasMore = true
    while hasMore {
      // One byte more than a chunk tells whether this one is the last.
      try input.fill(AgePayload.boxByteCount + 1, from: read)
      hasMore = input.queue.count > AgePayload.boxByteCount
      let count = min(input.queue.count, AgePayload.boxByteCount)
      guard count > 0 else { throw AgeError(.truncated, "the payload is missing") }
      try input.queue.withBytes(first: count) { (box) throws(AgeError) in
        try payload.release(box, index: index, hasMore: hasMore, to: write)
      }
      input.consume(count)
      index += 1
    }
  }
}
