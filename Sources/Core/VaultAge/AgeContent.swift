/// The payload of a binary age file whose header was opened. It can be read from any chunk, repeatedly.
package struct AgeContent: Sendable {
  private let payload: AgePayload
  private let payloadOffset: Int

  /// Byte count of the plaintext of each chunk except the last.
  package static let chunkByteCount = AgePayload.chunkByteCount

  /// Reads a file's header and opens it. `read` gives the file from its start; bytes that it gives beyond the header
  /// are read again.
  package init(with credentials: [AgeCredential], read: AgeRead) throws(AgeError) {
    var input = try AgeInput(.binary, from: read)
    let opening = try AgeOpening(&input, credentials: credentials, from: read)
    payload = opening.payload
    payloadOffset = opening.header.byteCount + AgePayload.nonceByteCount
  }

  /// The file offset of a chunk, counted from 0.
  package func fileOffset(ofChunk index: Int) -> Int { payloadOffset + index * AgePayload.boxByteCount }

  /// Reads the plaintext from a chunk on. `read` gives the file from ``fileOffset(ofChunk:)`` on.
  package func reader(fromChunk index: Int = 0, read: @escaping AgeRead) -> AgeReader {
    AgeReader(payload, fromChunk: index, read: read)
  }
}
