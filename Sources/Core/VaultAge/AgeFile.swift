public import VaultCrypto

/// Whole age files in memory, such as the slots of a vault.
///
/// Use `AgeFile` for small files, `AgeWriter` and `AgeReader` for streams, `AgeHeader.parse` to inspect a file before
/// any work is done, and `AgeIdentityFile` for key files. These rules never change:
///
/// - The format is age v1 (c2sp.org/age) and nothing else.
/// - File keys, scalars, passphrases and shared secrets live only in `SecretBytes`.
/// - A plugin runs only for a key that names it, and only if the program has plugins.
/// - No error holds text of its input.
public enum AgeFile {
  /// The work factor of new files: scrypt with N = 2^18, about a second.
  public static let defaultWorkFactor = 18
  /// The default limit of `open` for the plaintext, 256 KiB, because the plaintext must fit in secure memory.
  public static let defaultMaximumByteCount = 256 * 1024

  /// Seals `plaintext` to each of `recipients`, as a binary age file.
  ///
  /// - Throws: `.noRecipient`, `.unsupportedRecipient`, `.mixedRecipients`, `.lowOrderShare`, `.malformedRecipient`,
  ///   `.tooLarge`, `.cryptoFailed`.
  public static func seal(_ plaintext: RawSpan, to recipients: [AgeRecipient]) throws(AgeError) -> [UInt8] {
    try seal(plaintext, AgeSealing(to: recipients))
  }

  /// Seals `plaintext` with the UTF-8 bytes of a passphrase, at 2 to the power of `workFactor`, as a binary age file.
  ///
  /// - Throws: `.emptyPassphrase`, `.workFactorOutOfRange` (1…22), `.cryptoFailed`.
  public static func seal(
    _ plaintext: RawSpan, passphrase: RawSpan, workFactor: Int = defaultWorkFactor
  ) throws(AgeError) -> [UInt8] {
    try seal(plaintext, AgeSealing(passphrase: passphrase, workFactor: workFactor))
  }

  /// Opens an age file; nothing is released unless all of it is authentic.
  ///
  /// - Parameter maximumByteCount: the largest plaintext to take memory for.
  /// - Throws: `.malformedHeader`, `.tooLarge`, `.malformedArmor`, `.noMatchingIdentity`, `.wrongPassphrase`,
  ///   `.workFactorOutOfRange`, `.lowOrderShare`, `.headerAuthenticationFailed`, `.payloadAuthenticationFailed`,
  ///   `.truncated`, `.cryptoFailed`.
  public static func open(
    _ file: RawSpan, with credentials: [AgeCredential], encoding: AgeEncoding = .binary,
    maximumByteCount: Int = defaultMaximumByteCount
  ) throws(AgeError) -> SecretBytes {
    let isArmored = encoding == .armored || encoding == .detected && AgeArmor.isBegun(in: file)
    guard isArmored else { return try openBinary(file, with: credentials, maximumByteCount) }
    let binary = try AgeArmor.decode(file)
    return try openBinary(RawSpan(_elements: binary.span), with: credentials, maximumByteCount)
  }

  /// Whether a payload can have this size: a nonce, then chunks. Only the single chunk of an empty payload may be
  /// empty.
  ///
  /// - Parameter byteCount: the number of bytes after the header.
  public static func canBePayload(byteCount: Int) -> Bool {
    let tagByteCount = ChaCha20Poly1305.tagByteCount
    let boxes = byteCount - AgePayload.nonceByteCount
    let last = boxes % AgePayload.boxByteCount
    return boxes == tagByteCount || boxes > 0 && (last == 0 || last > tagByteCount)
  }

  private static func openBinary(
    _ file: RawSpan, with credentials: [AgeCredential], _ maximumByteCount: Int
  ) throws(AgeError) -> SecretBytes {
    let opening = try AgeOpening(file, credentials: credentials)
    let start = opening.header.byteCount + AgePayload.nonceByteCount
    return try opening.payload.openAll(file.extracting(start..<file.byteCount), maximumByteCount: maximumByteCount)
  }

  private static func seal(_ plaintext: RawSpan, _ sealing: AgeSealing) throws(AgeError) -> [UInt8] {
    var file = sealing.prefix
    var index: UInt64 = 0
    var start = 0
    repeat {
      let end = min(start + AgePayload.chunkByteCount, plaintext.byteCount)
      let isLast = end == plaintext.byteCount
      file += try sealing.payload.seal(plaintext.extracting(start..<end), index: index, isLast: isLast)
      start = end
      index += 1
    } while start < plaintext.byteCount
    return file
  }
}
