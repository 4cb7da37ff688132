package import VaultCrypto

/// Seals one binary age file, in constant memory, from plaintext that the caller appends piece by piece.
///
/// Up to 64 KiB of plaintext wait in ordinary memory, so use it only for plaintext that is not secret.
package final class AgeWriter {
  private let payload: AgePayload
  private let write: AgeWrite
  private var chunk: [UInt8] = []
  private var index: UInt64 = 0

  /// Begins a file for `recipients` and writes its header.
  ///
  /// - Parameter mayMix: whether post-quantum recipients may stand beside others.
  package convenience init(
    to recipients: [AgeRecipient], mayMix: Bool = false, write: @escaping AgeWrite
  ) throws(AgeError) {
    let sealing = try AgeSealing(to: recipients, mayMix: mayMix)
    try self.init(sealing.payload, after: sealing.prefix, write)
  }

  /// Begins a file for the UTF-8 bytes of a passphrase, at 2 to the power of `workFactor`, and writes its header.
  package convenience init(
    passphrase: SecretBytes, workFactor: Int = AgeFile.defaultWorkFactor, write: @escaping AgeWrite
  ) throws(AgeError) {
    let sealing = try passphrase.withBytes { (bytes) throws(AgeError) in
      try AgeSealing(passphrase: bytes, workFactor: workFactor)
    }
    try self.init(sealing.payload, after: sealing.prefix, write)
  }

  /// Begins the payload of an age file without header and nonce.
  ///
  /// - Parameter key: 32 bytes, used only for this payload.
  package convenience init(payloadUnder key: SecretBytes, write: @escaping AgeWrite) throws(AgeError) {
    try self.init(AgePayload(key: key), after: [], write)
  }

  private init(_ payload: AgePayload, after prefix: [UInt8], _ write: @escaping AgeWrite) throws(AgeError) {
    self.payload = payload
    self.write = write
    chunk.reserveCapacity(AgePayload.chunkByteCount)
    if !prefix.isEmpty { try Self.put(prefix, write) }
  }

  /// Appends a piece of any size, which may be empty. After an error the file is incomplete, and the writer must not
  /// be used again: it could repeat a nonce.
  package func append(_ bytes: RawSpan) throws(AgeError) {
    var rest = bytes
    while !rest.isEmpty {
      // A full chunk waits until more bytes follow, because the last chunk is sealed differently.
      if chunk.count == AgePayload.chunkByteCount { try sealChunk(isLast: false) }
      if chunk.isEmpty, rest.byteCount > AgePayload.chunkByteCount {
        try seal(rest.extracting(first: AgePayload.chunkByteCount), isLast: false)
        rest = rest.extracting(droppingFirst: AgePayload.chunkByteCount)
        continue
      }
      let count = min(AgePayload.chunkByteCount - chunk.count, rest.byteCount)
      // Many times faster than byte by byte; unsafe only in that a span lends its bytes as memory.
      unsafe rest.extracting(first: count).withUnsafeBytes { unsafe chunk.append(contentsOf: $0) }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// Ends the file; the caller calls it once and appends nothing after it.
  package func finish() throws(AgeError) { try sealChunk(isLast: true) }

  private func sealChunk(isLast: Bool) throws(AgeError) {
    let plain = chunk
    try seal(RawSpan(_elements: plain.span), isLast: isLast)
    chunk.removeAll(keepingCapacity: true)
  }

  private func seal(_ plain: RawSpan, isLast: Bool) throws(AgeError) {
    try Self.put(payload.seal(plain, index: index, isLast: isLast), write)
    index += 1
  }

  private static func put(_ bytes: [UInt8], _ write: AgeWrite) throws(AgeError) {
    do {
      try write(RawSpan(_elements: bytes.span))
    } catch {
      throw AgeError(.writeFailed, "the age file could not be written", underlying: error)
    }
  }
}
