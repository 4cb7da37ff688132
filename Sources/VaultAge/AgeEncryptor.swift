public import VaultCrypto

/// Seals age files of any size in constant memory.
///
/// Each call of `seal` makes a file of its own: a new file key, new ephemeral secrets, a new nonce.
public struct AgeEncryptor: Sendable {
  private enum Target {
    case recipients([AgeRecipient])
    case passphrase(SecretBytes, workFactor: Int)
  }

  private let target: Target
  private let isArmored: Bool

  /// Seals to each of `recipients`, binary unless `armored`.
  public init(to recipients: [AgeRecipient], armored: Bool = false) {
    target = .recipients(recipients)
    isArmored = armored
  }

  /// Seals with the UTF-8 bytes of a passphrase, at 2 to the power of `workFactor`.
  public init(passphrase: SecretBytes, workFactor: Int = AgeFile.defaultWorkFactor, armored: Bool = false) {
    target = .passphrase(passphrase, workFactor: workFactor)
    isArmored = armored
  }

  /// Pulls the plaintext from `read` until it ends and pushes the age file to `write`.
  ///
  /// - Throws: `.noRecipient`, `.emptyPassphrase`, `.workFactorOutOfRange` (1…22), `.lowOrderShare`, `.tooLarge`,
  ///   `.readFailed`, `.writeFailed`, `.cryptoFailed`. What was written until then is no valid age file.
  public func seal(read: AgeRead, write: AgeWrite) throws(AgeError) {
    let sealing = try begin()
    var output = AgeOutput(isArmored: isArmored)
    try output.append(sealing.prefix, to: write)
    var chunk = try PlaintextChunk(from: read)
    var index: UInt64 = 0
    while chunk.isFull {
      let next = try PlaintextChunk(from: read)
      // A full chunk is the final one when nothing follows: only an empty payload may end with an empty chunk.
      if next.count == 0 { break }
      try output.append(chunk.seal(sealing.payload, index: index, isLast: false), to: write)
      chunk = next
      index += 1
    }
    try output.append(chunk.seal(sealing.payload, index: index, isLast: true), to: write)
    try output.finish(to: write)
  }

  private func begin() throws(AgeError) -> AgeSealing {
    switch target {
    case .recipients(let recipients):
      return try AgeSealing(to: recipients)
    case .passphrase(let passphrase, let workFactor):
      return try passphrase.withBytes { (bytes) throws(AgeError) in
        try AgeSealing(passphrase: bytes, workFactor: workFactor)
      }
    }
  }
}

/// Up to 64 KiB of plaintext in secure memory.
private struct PlaintextChunk {
  private let bytes: SecretBytes
  let count: Int

  var isFull: Bool { count == AgePayload.chunkByteCount }

  /// Reads until the chunk is full or the input has ended.
  init(from read: AgeRead) throws(AgeError) {
    var filled = 0
    var failure: (any Error)?
    bytes = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: AgePayload.chunkByteCount) { (output) throws(CryptoError) in
        do {
          filled = try output.fill(from: read)
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw AgeError(.readFailed, "the plaintext could not be read", underlying: failure) }
    count = filled
  }

  func seal(_ payload: AgePayload, index: UInt64, isLast: Bool) throws(AgeError) -> [UInt8] {
    try bytes.withBytes { (bytes) throws(AgeError) in
      try payload.seal(bytes.extracting(0..<count), index: index, isLast: isLast)
    }
  }
}

extension MutableRawSpan {
  /// Reads until the span is full or the input has ended; gives the byte count.
  fileprivate mutating func fill(from read: AgeRead) throws -> Int {
    var filled = 0
    while filled < byteCount {
      let total = byteCount
      var free = _mutatingExtracting(filled..<total)
      let count = try read(&free)
      // More than was asked for means that the caller wrote outside the span or counts wrongly.
      precondition(count >= 0 && count <= total - filled, "`read` returned a count outside its span")
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}

/// Where sealed bytes go: as they are, or through the armor.
private struct AgeOutput {
  private var armor: ArmorEncoder?

  init(isArmored: Bool) {
    armor = isArmored ? ArmorEncoder() : nil
  }

  mutating func append(_ bytes: [UInt8], to write: AgeWrite) throws(AgeError) {
    guard armor != nil else { return try Self.put(bytes, to: write) }
    var text: [UInt8] = []
    armor?.append(RawSpan(_elements: bytes.span), to: &text)
    try Self.put(text, to: write)
  }

  mutating func finish(to write: AgeWrite) throws(AgeError) {
    guard armor != nil else { return }
    var text: [UInt8] = []
    armor?.finish(to: &text)
    try Self.put(text, to: write)
  }

  private static func put(_ bytes: [UInt8], to write: AgeWrite) throws(AgeError) {
    do {
      try write(RawSpan(_elements: bytes.span))
    } catch {
      throw AgeError(.writeFailed, "the age file could not be written", underlying: error)
    }
  }
}
