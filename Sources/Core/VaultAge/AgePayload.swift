import VaultCrypto

/// The payload of one age file: 64 KiB chunks, each sealed separately (STREAM). Source: c2sp.org/age, "Payload".
package struct AgePayload {
  private let key: SecretBytes

  /// Byte count of the random nonce before the first chunk.
  package static let nonceByteCount = 16
  /// Byte count of a full chunk's plaintext.
  package static let chunkByteCount = 64 * 1024
  /// Byte count of a full chunk with its tag.
  package static let boxByteCount = chunkByteCount + ChaCha20Poly1305.tagByteCount

  /// - Parameter key: 32 bytes, used only for these chunks.
  init(key: SecretBytes) { self.key = key }

  init(fileKey: SecretBytes, nonce: [UInt8]) throws(AgeError) {
    key = try AgeError.mappingCrypto { () throws(CryptoError) in
      try deriveKey(from: fileKey, salt: nonce, info: "payload")
    }
  }

  // The payload key belongs to one file (random file key and random salt), and the counter to one chunk of it. The last
  // byte marks the final chunk. So no nonce is used twice, and no cut or reordering goes unnoticed.
  private static func nonce(index: UInt64, isLast: Bool) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceByteCount)
    for offset in 0..<8 { nonce[3 + offset] = UInt8(truncatingIfNeeded: index >> UInt64(8 * (7 - offset))) }
    nonce[11] = isLast ? 1 : 0
    return nonce
  }

  /// Seals the chunk at `index`, counted from 0. The caller seals each index once, because a repeated nonce reveals
  /// the text. Every chunk but the last has ``chunkByteCount`` bytes.
  package func seal(_ chunk: RawSpan, index: UInt64, isLast: Bool) throws(AgeError) -> [UInt8] {
    let nonce = Self.nonce(index: index, isLast: isLast)
    return try AgeError.mappingCrypto { () throws(CryptoError) in
      try key.withBytes { (key) throws(CryptoError) in
        try ChaCha20Poly1305.seal(chunk, key: key, nonce: RawSpan(_elements: nonce.span), associatedData: RawSpan())
      }
    }
  }

  /// Opens the chunk at `index`; nil if it is another chunk, or if its final flag is not `isLast`.
  func open(_ box: RawSpan, index: UInt64, isLast: Bool) throws(AgeError) -> SecretBytes? {
    guard box.byteCount >= ChaCha20Poly1305.tagByteCount else { return nil }
    let nonce = Self.nonce(index: index, isLast: isLast)
    return try nilWhenNotAuthentic { () throws(CryptoError) in
      try key.withBytes { (key) throws(CryptoError) in
        try ChaCha20Poly1305.open(box, key: key, nonce: RawSpan(_elements: nonce.span), associatedData: RawSpan())
      }
    }
  }
}

extension AgePayload {
  /// Opens one chunk of a stream and hands it to `write`. `hasMore` says whether any byte follows `box`.
  ///
  /// Each chunk handed on is authentic and in its place, but a fault may still come after it, as in every streaming
  /// reader. The caller must not use the output until the whole call has returned.
  func release(_ box: RawSpan, index: UInt64, hasMore: Bool, to write: AgeWrite) throws(AgeError) {
    if let chunk = try open(box, index: index, isLast: !hasMore) {
      guard index == 0 || chunk.count > 0 else {
        throw AgeError(.payloadAuthenticationFailed, "the final chunk is empty")
      }
      return try chunk.write(to: write)
    }
    // Only a full chunk can have the wrong final flag; a short one always ends the file.
    guard box.byteCount == Self.boxByteCount, let chunk = try open(box, index: index, isLast: hasMore) else {
      throw AgeError(.payloadAuthenticationFailed, "a part of the file was changed or is missing")
    }
    try chunk.write(to: write)
    if hasMore { throw AgeError(.payloadAuthenticationFailed, "there is data after the end of the encrypted part") }
    throw AgeError(.truncated, "the end of the file is missing")
  }
}

extension AgePayload {
  /// Opens all chunks at once into one piece of secure memory.
  func openAll(_ boxes: RawSpan, maximumByteCount: Int) throws(AgeError) -> SecretBytes {
    guard !boxes.isEmpty else { throw AgeError(.truncated, "the payload is missing") }
    let last = (boxes.byteCount - 1) / Self.boxByteCount
    let lastBox = boxes.extracting(last * Self.boxByteCount..<boxes.byteCount)
    // An empty final chunk is valid only as the whole payload.
    let tagByteCount = ChaCha20Poly1305.tagByteCount
    guard lastBox.byteCount > tagByteCount || last == 0 && lastBox.byteCount == tagByteCount else {
      throw AgeError(.payloadAuthenticationFailed, "the final chunk is empty or truncated")
    }
    let byteCount = boxes.byteCount - (last + 1) * tagByteCount
    guard byteCount <= maximumByteCount else { throw AgeError(.tooLarge, "the plaintext is larger than the maximum") }
    let plaintext = try nilWhenNotAuthentic { () throws(CryptoError) in
      try SecretBytes(count: byteCount) { (output) throws(CryptoError) in
        for index in 0...last { try open(boxes, index: index, isLast: index == last, into: &output) }
      }
    }
    if let plaintext { return plaintext }
    if lastBox.byteCount == Self.boxByteCount, try open(lastBox, index: UInt64(last), isLast: false) != nil {
      throw AgeError(.truncated, "the end of the file is missing")
    }
    throw AgeError(.payloadAuthenticationFailed, "a part of the file was changed or is missing")
  }

  /// Opens the chunk at `index` of all `boxes` into its place in `output`.
  private func open(
    _ boxes: RawSpan, index: Int, isLast: Bool, into output: inout MutableRawSpan
  ) throws(CryptoError) {
    let nonce = Self.nonce(index: UInt64(index), isLast: isLast)
    let start = index * Self.boxByteCount
    let box = boxes.extracting(start..<min(start + Self.boxByteCount, boxes.byteCount))
    let place = index * Self.chunkByteCount
    var part = output._mutatingExtracting(place..<(place + box.byteCount - ChaCha20Poly1305.tagByteCount))
    try key.withBytes { (key) throws(CryptoError) in
      try ChaCha20Poly1305.open(
        box, key: key, nonce: RawSpan(_elements: nonce.span), associatedData: RawSpan(), into: &part)
    }
  }
}

extension SecretBytes {
  func write(to write: AgeWrite) throws(AgeError) {
    do {
      try withBytes { (bytes) throws in try write(bytes) }
    } catch {
      throw AgeError(.writeFailed, "the plaintext could not be written", underlying: error)
    }
  }
}
