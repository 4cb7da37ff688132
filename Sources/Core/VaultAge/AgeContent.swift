/// The payload of a binary age file whose header was opened: read from any of its chunks on, as often as needed.
package struct AgeContent: Sendable {
  private let payload: AgePayload
  private let payloadOffset: Int

  /// Byte count of each chunk of plaintext but the last.
  package static let chunkByteCount = AgePayload.chunkByteCount

  /// Reads a file's header and opens it.
  ///
  /// - Parameter read: gives the file from its start on; what it gives beyond the header is read again.
  package init(with credentials: [AgeCredential], read: AgeRead) throws(AgeError) {
    var input = try AgeInput(.binary, from: read)
    let opening = try AgeOpening(&input, credentials: credentials, from: read)
    payload = opening.payload
    payloadOffset = opening.header.byteCount + AgePayload.nonceByteCount
  }

  /// Where in the file a chunk begins, counted from 0.
  package func fileOffset(ofChunk index: Int) -> Int { payloadOffset + index * AgePayload.boxByteCount }

  /// Reads the plaintext from a chunk on.
  ///
  /// - Parameter read: gives the file from ``fileOffset(ofChunk:)`` on.
  package func reader(fromChunk index: Int = 0, read: @escaping AgeRead) -> AgeReader {
    AgeReader(payload, fromChunk: index, read: read)
  }
}
