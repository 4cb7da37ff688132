internal import VaultCrypto
internal import VaultDocument

/// A KeePass database, KDBX 4, sealed with a passphrase. It holds the XML of ``KeePassExporter`` with attachments,
/// encrypted with ChaCha20 in authenticated blocks.
struct KDBXExporter: Exporter {
  private static let blockByteCount = 1 << 20
  private static let (memoryByteCount, passCount, laneCount): (UInt64, UInt64, UInt32) = (64 << 20, 10, 2)
  /// The rounds without Argon2: about a second.
  private static let roundCount: UInt64 = 60_000_000

  private var content: KeePassExporter
  private let header: [UInt8]
  private let streamKey: [UInt8]
  private let cipher: StreamCipher
  private let base: [UInt8]
  private var buffer: [UInt8] = []
  private var number: UInt64 = 0

  var notes: ExportNotes { content.notes }

  init(passphrase: SecretBytes) throws(ExportError) {
    do throws(CryptoError) {
      let seed = try SecureRandom.bytes(count: 32)
      let nonce = try SecureRandom.bytes(count: 12)
      let key = try Self.key(of: passphrase, salt: try SecureRandom.bytes(count: 32))
      header = Self.header(seed: seed, nonce: nonce, derivation: key.derivation)
      let own = try SHA256.hash(RawSpan(_elements: (seed + key.bytes).span))
      cipher = try StreamCipher(
        .chaCha20, key: RawSpan(_elements: own.span), nonce: RawSpan(_elements: nonce.span))
      base = try SHA512.hash(RawSpan(_elements: (seed + key.bytes + [1]).span))
      let streamKey = try SecureRandom.bytes(count: 64)
      self.streamKey = streamKey
      let hash = try SHA512.hash(RawSpan(_elements: streamKey.span))
      let (inner, innerNonce) = (Array(hash[..<32]), Array(hash[32..<44]))
      let stream = try StreamCipher(
        .chaCha20, key: RawSpan(_elements: inner.span), nonce: RawSpan(_elements: innerNonce.span))
      content = KeePassExporter(KeePassExporter.Database(stream: stream))
    } catch {
      throw ExportError("a key could not be made", underlying: error)
    }
  }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) { try content.survey(record) }

  mutating func begin() throws(ExportError) -> [UInt8] {
    let hash = try inExport { [header] () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: header.span)) }
    let check = try authenticator(of: header, .max)
    var inner = Self.field(1, UInt32(3).littleEndianBytes) + Self.field(2, streamKey)
    // The first byte is the flag for protection in memory.
    for binary in content.binaries { inner += Self.field(3, [1] + binary) }
    return header + hash + check + (try sealed(inner + Self.field(0, []) + content.begin()))
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    try sealed(content.bytes(of: record))
  }

  mutating func end() throws(ExportError) -> [UInt8] {
    let rest = try sealed(content.end())
    let last = buffer.isEmpty ? [] : try block(buffer)
    return rest + last + (try block([]))
  }

  /// Encrypts the next bytes and returns the full blocks.
  private mutating func sealed(_ bytes: [UInt8]) throws(ExportError) -> [UInt8] {
    buffer += try inExport { [cipher] () throws(CryptoError) in try cipher.process(RawSpan(_elements: bytes.span)) }
    var output: [UInt8] = []
    while buffer.count >= Self.blockByteCount {
      output += try block(Array(buffer[..<Self.blockByteCount]))
      buffer.removeFirst(Self.blockByteCount)
    }
    return output
  }

  private mutating func block(_ bytes: [UInt8]) throws(ExportError) -> [UInt8] {
    let size = UInt32(bytes.count).littleEndianBytes
    defer { number += 1 }
    return try authenticator(of: number.littleEndianBytes + size + bytes, number) + size + bytes
  }

  private func authenticator(of message: [UInt8], _ number: UInt64) throws(ExportError) -> [UInt8] {
    try inExport { [base] () throws(CryptoError) in
      let key = try SHA512.hash(RawSpan(_elements: (number.littleEndianBytes + base).span))
      return try HMACSHA256.authenticate(RawSpan(_elements: message.span), key: RawSpan(_elements: key.span))
    }
  }

  // MARK: Header

  private static func header(seed: [UInt8], nonce: [UInt8], derivation: [UInt8]) -> [UInt8] {
    let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5, 0, 0, 4, 0]
    return signature + field(2, KDBXID.bytes(KDBXID.chaCha20)) + field(3, [0, 0, 0, 0]) + field(4, seed)
      + field(7, nonce)
      + field(11, derivation) + field(0, [0x0D, 0x0A, 0x0D, 0x0A])
  }

  private static func field(_ id: UInt8, _ value: [UInt8]) -> [UInt8] {
    [id] + UInt32(value.count).littleEndianBytes + value
  }

  private static func key(
    of passphrase: SecretBytes, salt: [UInt8]
  ) throws(CryptoError) -> (bytes: [UInt8], derivation: [UInt8]) {
    func item(_ type: UInt8, _ name: String, _ value: [UInt8]) -> [UInt8] {
      [type] + UInt32(name.utf8.count).littleEndianBytes + Array(name.utf8) + UInt32(value.count).littleEndianBytes
        + value
    }
    let password = try passphrase.withBytes { bytes throws(CryptoError) in try SHA256.hash(bytes) }
    let composite = try SHA256.hash(RawSpan(_elements: password.span))
    guard Argon2.isAvailable else {
      let blocks = try AESCBC.iterated(
        RawSpan(_elements: composite.span), key: RawSpan(_elements: salt.span), rounds: Int(roundCount))
      let items =
        item(0x42, "$UUID", KDBXID.bytes(KDBXID.aesRounds)) + item(5, "R", roundCount.littleEndianBytes)
        + item(0x42, "S", salt)
      return (try SHA256.hash(RawSpan(_elements: blocks.span)), [0, 1] + items + [0])
    }
    let key = try Argon2.derive(
      .d, passphrase: RawSpan(_elements: composite.span), salt: RawSpan(_elements: salt.span), passes: Int(passCount),
      kibibytes: Int(memoryByteCount >> 10), lanes: Int(laneCount))
    let items =
      item(0x42, "$UUID", KDBXID.bytes(KDBXID.argon2d)) + item(5, "I", passCount.littleEndianBytes)
      + item(5, "M", memoryByteCount.littleEndianBytes)
      + item(4, "P", laneCount.littleEndianBytes) + item(0x42, "S", salt) + item(4, "V", UInt32(0x13).littleEndianBytes)
    return (key.foreignKey, [0, 1] + items + [0])
  }
}
