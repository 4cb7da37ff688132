internal import VaultCrypto
internal import VaultDocument
internal import VaultMarkup

/// The database of KeePass 2, KeePassXC, Strongbox and others: KDBX 3.1 and 4.
struct KDBXImporter: Importer {
  let format = ImportFormat(
    "keepass-kdbx", title: "KeePass database, KDBX",
    versions: "2, 3.1, 4.0, 4.1; AES, ChaCha20, Twofish; AES-KDF, Argon2",
    keeps: "as keepass-xml; opened with its password, its key file, or both",
    idPrefix: "keepass-xml")

  func detects(_ sample: ImportSample) -> Bool { KDBXHeader.begins(sample.head) }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let file = try source.readAll()
    var cursor = ByteCursor(file)
    let header = try KDBXHeader(&cursor, of: file)
    if header.major == 4 { try KDBXBlocks.check(header, &cursor) }
    let body = cursor
    let content = try Self.opened(options) { composite throws(ExchangeError) in
      try KDBXContent(header, body, composite: composite)
    }
    return ImportedItems(try content.items())
  }

  /// Tries the key file alone, then with the password, because only the user knows whether there is a password.
  private static func opened(
    _ options: ImportOptions, _ open: ([UInt8]) throws(ExchangeError) -> KDBXContent
  ) throws(ExchangeError) -> KDBXContent {
    let keyFile = try options.keyFile.map { bytes throws(ExchangeError) in try KDBXKey.ofFile(bytes) }
    if let keyFile {
      do throws(ExchangeError) {
        return try open(try KDBXKey.composite(nil, keyFile))
      } catch {
        guard error.code == .wrongPassphrase, options.passphrase != nil else { throw error }
      }
    }
    return try open(try KDBXKey.composite(try options.sourcePassphrase(), keyFile))
  }
}

/// A database whose sealed part is open.
private struct KDBXContent {
  private let root: XMLElement
  /// Attachments in base64, by number. In version 3 they are in the XML instead.
  private let binaries: [String]

  init(_ header: KDBXHeader, _ body: ByteCursor, composite: [UInt8]) throws(ExchangeError) {
    let key = try KDBXKey.transformed(composite, header.derivation)
    var stream: KDBXStream
    var (text, binaries): ([UInt8], [String]) = ([], [])
    if header.major == 4 {
      let sealed = try KDBXBlocks.authenticated(body, header, key: key)
      text = try Self.unpacked(try Self.decrypted(sealed, header: header, key: key), header)
      (stream, binaries) = try Self.inner(&text)
    } else {
      text = try Self.unpacked(
        try KDBXBlocks.hashed(try Self.decrypted(body.rest, header: header, key: key), header), header)
      stream = try KDBXStream(id: header.stream.id, key: header.stream.key)
    }
    root = try ExchangeError.xmlRoot(of: text)
    self.binaries = binaries
    if header.major < 4, let check = root.first("Meta")?.first("HeaderHash")?.text, !check.isEmpty {
      guard try Base64.encode(KDBXKey.hash(header.bytes)) == check else {
        throw KDBXBlocks.changedHeader
      }
    }
    try stream.unprotect(root)
  }

  func items() throws(ExchangeError) -> [ImportedItem] {
    try KeePassReading(root, outer: binaries, isOpened: true).items()
  }

  private static func decrypted(
    _ sealed: [UInt8], header: KDBXHeader, key: [UInt8]
  ) throws(ExchangeError) -> [UInt8] {
    let own = try KDBXKey.hash(header.seed + key)
    if header.cipher == .twofish, !TwofishCBC.isAvailable {
      throw ExchangeError(
        .unsupported, "is encrypted with Twofish, for which the library libgcrypt (Debian: libgcrypt20) is missing")
    }
    guard header.cipher == .chaCha20 || !sealed.isEmpty && sealed.count % 16 == 0 else {
      throw ExchangeError.truncated
    }
    let (nonce, cipher) = (header.nonce, header.cipher)
    do throws(CryptoError) {
      let (sealed, nonce, own) = (RawSpan(_elements: sealed.span), RawSpan(_elements: nonce.span), own)
      let key = RawSpan(_elements: own.span)
      switch cipher {
      case .aes: return try AESCBC.open(sealed, nonce: nonce, key: key)
      case .twofish: return try TwofishCBC.open(sealed, nonce: nonce, key: key)
      case .chaCha20: return try StreamCipher(.chaCha20, key: key, nonce: nonce).process(sealed)
      }
    } catch {
      if error.code == .authenticationFailed { throw KDBXBlocks.wrongKey }
      throw ExchangeError(.reading, "could not be opened", underlying: error)
    }
  }

  private static func unpacked(_ bytes: [UInt8], _ header: KDBXHeader) throws(ExchangeError) -> [UInt8] {
    guard header.isPacked else { return bytes }
    // There is no limit for the ratio: the author had the key, and an attachment can be all zeros.
    return try Inflate.gzip(bytes, limit: 512 << 20)
  }

  /// Reads the inner header, which is sealed with the rest. Afterwards `text` holds only the rest.
  private static func inner(_ text: inout [UInt8]) throws(ExchangeError) -> (KDBXStream, binaries: [String]) {
    var cursor = ByteCursor(text)
    var (id, key): (Int, [UInt8]) = (0, [])
    var binaries: [String] = []
    while true {
      let type = try cursor.take(1)[0]
      let value = try cursor.take(try cursor.count(4))
      switch type {
      case 0:
        text = cursor.rest
        return (try KDBXStream(id: id, key: key), binaries)
      case 1: id = value.first.map { Int($0) } ?? 0
      case 2: key = value
      // The first byte is the flag for protection in memory.
      case 3: binaries.append(Base64.encode(Array(value.dropFirst())))
      default: break
      }
    }
  }
}

/// The blocks of a database, each with a check of its own.
private enum KDBXBlocks {
  static var wrongKey: ExchangeError {
    ExchangeError(
      .wrongPassphrase, "the password or the key file does not open the database",
      advice: [
        .keyFile, "hardware tokens are not supported: remove the token from a copy of the database with KeePassXC",
      ])
  }

  static var changedHeader: ExchangeError {
    ExchangeError(.notAuthentic, "has been changed: its header does not match its checksum")
  }

  private static var changedBlock: ExchangeError {
    ExchangeError(.notAuthentic, "has been changed: a block does not match its checksum")
  }

  /// Checks the header of version 4 for damage, before anybody is asked and before the costly derivation.
  static func check(_ header: KDBXHeader, _ cursor: inout ByteCursor) throws(ExchangeError) {
    guard try KDBXKey.hash(header.bytes) == cursor.take(32) else { throw changedHeader }
  }

  /// The sealed part of version 4, whose header and blocks are authenticated.
  static func authenticated(
    _ body: ByteCursor, _ header: KDBXHeader, key: [UInt8]
  ) throws(ExchangeError) -> [UInt8] {
    var cursor = body
    let base = try KDBXKey.longHash(header.seed + key + [1])
    func blockKey(_ number: UInt64) throws(ExchangeError) -> [UInt8] {
      try KDBXKey.longHash(number.littleEndianBytes + base)
    }
    guard try KDBXKey.authenticator(of: header.bytes, key: blockKey(.max)) == cursor.take(32) else { throw wrongKey }
    var sealed: [UInt8] = []
    var number: UInt64 = 0
    while true {
      let check = try cursor.take(32)
      let count = try cursor.integer(4)
      let block = try cursor.take(Int(count))
      let message = number.littleEndianBytes + UInt32(count).littleEndianBytes + block
      guard try KDBXKey.authenticator(of: message, key: blockKey(number)) == check else {
        throw changedBlock
      }
      if block.isEmpty { return sealed }
      sealed += block
      number += 1
    }
  }

  /// The text of version 3, whose first bytes tell whether the key is right.
  static func hashed(_ bytes: [UInt8], _ header: KDBXHeader) throws(ExchangeError) -> [UInt8] {
    guard bytes.starts(with: header.startBytes) else { throw wrongKey }
    var cursor = ByteCursor(bytes, from: header.startBytes.count)
    var text: [UInt8] = []
    while true {
      _ = try cursor.integer(4)
      let check = try cursor.take(32)
      let block = try cursor.take(try cursor.count(4))
      if block.isEmpty { return text }
      guard try KDBXKey.hash(block) == check else {
        throw changedBlock
      }
      text += block
    }
  }
}
