import VaultCrypto

/// The header of a stream, read in full and opened.
struct AgeOpening {
  let header: AgeHeader
  let payload: AgePayload

  private static let firstByteCount = 4096

  /// Reads header and nonce from `input` and unwraps the file key.
  init(_ input: inout AgeInput, credentials: [AgeCredential], from read: AgeRead) throws(AgeError) {
    try Self.readHeader(&input, from: read)
    let (header, fileKey) = try input.queue.withBytes { (file) throws(AgeError) in
      try Self.fileKey(of: file, credentials: credentials)
    }
    input.consume(header.byteCount)
    try input.fill(AgePayload.nonceByteCount, from: read)
    self.header = header
    payload = try input.queue.withBytes { (rest) throws(AgeError) in try Self.payload(rest, fileKey: fileKey) }
    input.consume(AgePayload.nonceByteCount)
  }

  /// Opens a file that is completely in memory.
  init(_ file: RawSpan, credentials: [AgeCredential]) throws(AgeError) {
    let (header, fileKey) = try Self.fileKey(of: file, credentials: credentials)
    self.header = header
    payload = try Self.payload(file.extracting(header.byteCount..<file.byteCount), fileKey: fileKey)
  }

  private static func fileKey(
    of file: RawSpan, credentials: [AgeCredential]
  ) throws(AgeError) -> (AgeHeader, SecretBytes) {
    let header = try AgeHeader.parse(file)
    return (header, try header.fileKey(for: credentials, file: file))
  }

  private static func payload(_ rest: RawSpan, fileKey: SecretBytes) throws(AgeError) -> AgePayload {
    let nonce = [UInt8](copying: rest.extracting(first: AgePayload.nonceByteCount))
    guard nonce.count == AgePayload.nonceByteCount else {
      throw AgeError(.malformedHeader, "the file ends before the nonce of its payload")
    }
    return try AgePayload(fileKey: fileKey, nonce: nonce)
  }

  /// Fills the queue with the whole header if the input has it; parsing then reports every fault.
  ///
  /// The amount is doubled each time, so that the search stays linear, up to the limit.
  private static func readHeader(_ input: inout AgeInput, from read: AgeRead) throws(AgeError) {
    var count = firstByteCount
    while true {
      try input.fill(count, from: read)
      let isEnough = try input.queue.withBytes { (bytes) throws(AgeError) in
        !bytes.has(AgeHeader.versionLine) || bytes.byteCount < count || AgeHeader.end(in: bytes) != nil
      }
      guard !isEnough, count <= AgeHeader.maximumByteCount else { return }
      count *= 2
    }
  }
}
