internal import VaultCrypto
internal import VaultDocument

/// The vault of Aegis with a password: scrypt, and AES-256-GCM for the key and the content.
enum AegisVault {
  /// The limit of 1 GiB. Only a hostile file has higher costs.
  private static let maximumMemoryByteCount = 1 << 30

  /// The document with its entries in clear.
  @Sendable static func opened(_ document: JSONValue, _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    guard let sealed = document["db"]?.string else { return document }
    let slots = (document["header"]?["slots"]?.array ?? []).filter { $0["type"]?.int == 1 }
    guard !slots.isEmpty else { throw ExchangeError(.unsupported, "has no slot that a password opens") }
    guard let content = try? Base64.decode(sealed) else { throw ForeignBox.incomplete }
    let parts = try ForeignBox.parts(document["header"]?["params"])
    let passphrase = try options.sourcePassphrase()
    for slot in slots {
      guard let key = try key(of: slot, passphrase) else { continue }
      guard let text = try ForeignBox.open(content, parts, key: key) else {
        throw ExchangeError.changed(at: "db")
      }
      return .members(["db": try JSONReading.value(of: text)])
    }
    throw ExchangeError.wrongPassword
  }

  private static func key(
    of slot: JSONValue, _ passphrase: SecretBytes
  ) throws(ExchangeError) -> SecretBytes? {
    guard let n = slot["n"]?.int, let r = slot["r"]?.int, let p = slot["p"]?.int,
      let salt = slot["salt"]?.string.flatMap({ try? Hex.decode($0.lowercased()) }),
      let sealed = slot["key"]?.string.flatMap({ try? Hex.decode($0.lowercased()) })
    else { throw ForeignBox.incomplete }
    let parts = try ForeignBox.parts(slot["key_params"])
    guard n > 1, n & (n - 1) == 0, (1...64).contains(p),
      let memory = Scrypt.memoryByteCount(logN: n.trailingZeroBitCount, r: r, p: p), memory <= maximumMemoryByteCount
    else { throw ExchangeError.tooCostly() }
    return try inCrypto { () throws(CryptoError) in
      let master = try passphrase.withBytes { passphrase throws(CryptoError) in
        try Scrypt.derive(
          passphrase: passphrase, salt: RawSpan(_elements: salt.span), logN: n.trailingZeroBitCount, r: r, p: p)
      }
      guard let key = try ForeignBox.opened(sealed, parts, key: master), key.count == 32 else { return nil }
      return try SecretBytes(copying: RawSpan(_elements: key.span))
    }
  }
}

/// The backup of 2FAS with a password: PBKDF2 with SHA-256, and AES-256-GCM.
enum TwoFASBackup {
  /// The count that the app uses.
  private static let iterationCount = 10_000

  /// The document with its services in clear.
  @Sendable static func opened(_ document: JSONValue, _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    guard let text = document["servicesEncrypted"]?.string else { return document }
    let parts = text.parts(separatedBy: ":").compactMap { try? Base64.decode(String($0)) }
    guard parts.count == 3, parts[0].count > 16, (1...64).contains(parts[2].count) else {
      throw ForeignBox.incomplete
    }
    let (sealed, salt, nonce) = (parts[0], parts[1], parts[2])
    let passphrase = try options.sourcePassphrase()
    let opened = try inCrypto { () throws(CryptoError) in
      let key = try passphrase.withBytes { passphrase throws(CryptoError) in
        try PBKDF2.derive(
          .sha256, passphrase: passphrase, salt: RawSpan(_elements: salt.span), iterations: iterationCount)
      }
      return try ForeignBox.opened(sealed, (nonce, []), key: key)
    }
    guard let opened else { throw ExchangeError.wrongPassword }
    var members = document.object ?? JSONObject()
    members["servicesEncrypted"] = nil
    members["reference"] = nil
    members["services"] = try JSONReading.value(of: opened)
    return .object(members)
  }
}

/// The backup of andOTP, which has no mark: JSON, or a nonce, ciphertext and tag of AES-256-GCM.
///
/// Since version 0.6.3, an iteration count and a salt for PBKDF2 with SHA-1 precede the nonce. Before that, the key was
/// the SHA-256 of the password.
enum AndOTPBackup {
  private static let (saltByteCount, nonceByteCount, tagByteCount) = (12, 12, 16)
  /// The app uses at most 160,000. A larger number is the beginning of an older file, or hostile.
  private static let maximumIterationCount = 1_000_000

  @Sendable static func parsed(
    _ source: ImportSource, _ options: ImportOptions
  ) throws(ExchangeError) -> JSONValue {
    let bytes = try source.readAll()
    let text = JSONReading.text(of: bytes, options: options)
    guard isSealed(bytes, text), options.encoding == nil else { return try JSONReading.value(of: text) }
    guard bytes.count >= nonceByteCount + tagByteCount else {
      throw ExchangeError(.malformed, "is too short for an encrypted backup")
    }
    let passphrase = try options.sourcePassphrase()
    var opened = try current(bytes, passphrase)
    if opened == nil { opened = try old(bytes, passphrase) }
    guard let opened else { throw ExchangeError.wrongPassword }
    return try JSONReading.value(of: opened)
  }

  /// Whether the bytes are neither text nor the beginning of a list of objects, in the encoding that they seem to have.
  private static func isSealed(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
    let begin = text.lazy.filter { $0 > UInt8(ascii: " ") }.prefix(2)
    let isList = begin.elementsEqual(Array("[{".utf8)) || begin.elementsEqual(Array("[]".utf8))
    return !isList && (bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil)
  }

  private static func current(_ bytes: [UInt8], _ passphrase: SecretBytes) throws(ExchangeError) -> [UInt8]? {
    let headByteCount = 4 + saltByteCount
    let iterationCount = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= headByteCount + nonceByteCount + tagByteCount,
      (1...maximumIterationCount).contains(iterationCount)
    else { return nil }
    return try inCrypto { () throws(CryptoError) in
      let salt = Array(bytes[4..<headByteCount])
      let key = try passphrase.withBytes { passphrase throws(CryptoError) in
        try PBKDF2.derive(
          .sha1, passphrase: passphrase, salt: RawSpan(_elements: salt.span), iterations: iterationCount)
      }
      return try opened(bytes[headByteCount...], key)
    }
  }

  private static func old(_ bytes: [UInt8], _ passphrase: SecretBytes) throws(ExchangeError) -> [UInt8]? {
    try inCrypto { () throws(CryptoError) in
      let hash = try passphrase.withBytes { passphrase throws(CryptoError) in try SHA256.hash(passphrase) }
      return try opened(bytes[...], try SecretBytes(copying: RawSpan(_elements: hash.span)))
    }
  }

  private static func opened(_ bytes: ArraySlice<UInt8>, _ key: SecretBytes) throws(CryptoError) -> [UInt8]? {
    try ForeignBox.opened(Array(bytes.dropFirst(nonceByteCount)), (Array(bytes.prefix(nonceByteCount)), []), key: key)
  }
}

/// AES-256-GCM as these apps write it.
enum ForeignBox {
  typealias Parts = (nonce: [UInt8], tag: [UInt8])

  static var incomplete: ExchangeError { ExchangeError(.malformed, "does not have all parts of an encrypted backup") }

  static func parts(_ value: JSONValue?) throws(ExchangeError) -> Parts {
    guard let nonce = value?["nonce"]?.string.flatMap({ try? Hex.decode($0.lowercased()) }),
      let tag = value?["tag"]?.string.flatMap({ try? Hex.decode($0.lowercased()) }), tag.count == 16,
      (1...64).contains(nonce.count)
    else { throw ForeignBox.incomplete }
    return (nonce, tag)
  }

  static func open(
    _ sealed: [UInt8], _ parts: Parts, key: SecretBytes, associatedData: [UInt8] = []
  ) throws(ExchangeError) -> [UInt8]? {
    try inCrypto { () throws(CryptoError) in try opened(sealed, parts, key: key, associatedData: associatedData) }
  }

  /// The plaintext; nil if the tag does not match.
  static func opened(
    _ sealed: [UInt8], _ parts: Parts, key: SecretBytes, associatedData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8]? {
    let (box, nonce) = (sealed + parts.tag, parts.nonce)
    do throws(CryptoError) {
      return try key.withBytes { key throws(CryptoError) in
        try AESGCM.openForeign(
          RawSpan(_elements: box.span), nonce: RawSpan(_elements: nonce.span), key: key,
          associatedData: RawSpan(_elements: associatedData.span))
      }
    } catch {
      if error.code == .authenticationFailed { return nil }
      throw error
    }
  }
}
