internal import VaultCrypto
internal import VaultDocument
internal import VaultMarkup

/// The key of a KeePass database, from a password, a key file, or both.
enum KDBXKey {
  static func composite(_ password: SecretBytes?, _ keyFile: [UInt8]?) throws(ExchangeError) -> [UInt8] {
    var parts: [UInt8] = []
    if let password {
      parts += try inCrypto { () throws(CryptoError) in
        try password.withBytes { password throws(CryptoError) in try SHA256.hash(password) }
      }
    }
    return try hash(parts + (keyFile ?? []))
  }

  /// Derives the key of this database.
  static func transformed(
    _ composite: [UInt8], _ derivation: KDBXHeader.Derivation
  ) throws(ExchangeError) -> [UInt8] {
    switch derivation {
    case .aes(let seed, let rounds):
      let blocks = try inCrypto { () throws(CryptoError) in
        try AESCBC.iterated(
          RawSpan(_elements: composite.span), key: RawSpan(_elements: seed.span), rounds: rounds)
      }
      return try hash(blocks)
    case .argon2(let costs):
      guard Argon2.isAvailable else {
        throw ExchangeError.libargon2Missing
      }
      return try inCrypto { () throws(CryptoError) in
        let key = try Argon2.derive(
          costs.isHybrid ? .id : .d, version: costs.isFirstVersion ? .first : .current,
          passphrase: RawSpan(_elements: composite.span), salt: RawSpan(_elements: costs.salt.span),
          passes: costs.passes, kibibytes: costs.kibibytes, lanes: costs.lanes)
        return key.foreignKey
      }
    }
  }

  static func hash(_ bytes: [UInt8]) throws(ExchangeError) -> [UInt8] {
    try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: bytes.span)) }
  }

  static func longHash(_ bytes: [UInt8]) throws(ExchangeError) -> [UInt8] {
    try inCrypto { () throws(CryptoError) in try SHA512.hash(RawSpan(_elements: bytes.span)) }
  }

  static func authenticator(of message: [UInt8], key: [UInt8]) throws(ExchangeError) -> [UInt8] {
    try inCrypto { () throws(CryptoError) in
      try HMACSHA256.authenticate(RawSpan(_elements: message.span), key: RawSpan(_elements: key.span))
    }
  }

  // MARK: Key files

  /// The 32 bytes of a key file: XML of version 1 or 2, 32 bytes, 64 hex digits, or the hash of any other file.
  static func ofFile(_ bytes: [UInt8]) throws(ExchangeError) -> [UInt8] {
    if bytes.count == 32 { return bytes }
    if bytes.count == 64, let key = try? Hex.decode(String(decoding: bytes, as: UTF8.self).lowercased()) { return key }
    let isXML = bytes.prefix(1024).contains(UInt8(ascii: "<")) && !bytes.ranges(of: Array("<KeyFile".utf8)).isEmpty
    guard isXML, let root = try? XMLReader.root(of: bytes), root.name == "KeyFile" else { return try hash(bytes) }
    guard let data = root.first("Key")?.first("Data"), let key = try key(of: data, in: root) else {
      throw ExchangeError(
        .malformed, "the key file is damaged or of an unknown version",
        advice: ["use a backup copy of the key file: the database cannot be opened without it"])
    }
    return key
  }

  private static func key(of data: XMLElement, in root: XMLElement) throws(ExchangeError) -> [UInt8]? {
    let text = String(data.text.filter { !$0.isWhitespace })
    let version = root.first("Meta")?.first("Version")?.text.trimmingSpaces ?? "1.0"
    if version.begins(with: "1.") { return try? Base64.decode(text) }
    guard version.begins(with: "2."), let key = try? Hex.decode(text.lowercased()) else { return nil }
    // The attribute holds the first bytes of the hash, to detect a wrong digit.
    guard let digits = data[attribute: "Hash"] else { return key }
    guard let check = try? Hex.decode(digits.lowercased()), !check.isEmpty else { return nil }
    return try hash(key).starts(with: check) ? key : nil
  }
}
