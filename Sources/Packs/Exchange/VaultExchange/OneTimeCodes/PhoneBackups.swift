internal import VaultCrypto
internal import VaultDocument
internal import VaultRecords

/// Authy accounts, each sealed with the password of the backups: PBKDF2 with SHA-1, and AES-256-CBC.
enum AuthyBackup {
  /// The count that the app uses.
  private static let iterationCount = 1000

  /// The accounts with their keys in clear.
  static func opened(_ accounts: [JSONValue], _ options: ImportOptions) throws(ExchangeError) -> [JSONValue] {
    guard accounts.contains(where: isSealed) else { return accounts }
    let passphrase = try options.sourcePassphrase()
    var opened: [JSONValue] = []
    for account in accounts {
      opened.append(isSealed(account) ? try open(account, passphrase) : account)
    }
    return opened
  }

  private static func isSealed(_ account: JSONValue) -> Bool {
    account["decryptedSecret"] == nil && account["encryptedSecret"] != nil
  }

  private static func open(_ account: JSONValue, _ passphrase: SecretBytes) throws(ExchangeError) -> JSONValue {
    guard let salt = account["salt"]?.string.map({ Array($0.utf8) }), var members = account.object,
      let sealed = account["encryptedSecret"]?.string.flatMap({ try? Base64.decode($0) }), !sealed.isEmpty,
      sealed.count % 16 == 0
    else { throw ForeignBox.incomplete }
    let key = try inCrypto { () throws(CryptoError) in
      try passphrase.withBytes { passphrase throws(CryptoError) in
        try PBKDF2.derive(
          .sha1, passphrase: passphrase, salt: RawSpan(_elements: salt.span), iterations: iterationCount)
      }
    }
    let nonce = [UInt8](repeating: 0, count: 16)
    let text = try? key.withBytes { key throws(CryptoError) in
      try AESCBC.open(RawSpan(_elements: sealed.span), nonce: RawSpan(_elements: nonce.span), key: key)
    }
    // Nothing authenticates the account. A wrong password gives invalid padding or an invalid key.
    guard let secret = text.flatMap({ String(validating: $0, as: UTF8.self) }),
      let bytes = Base32.decode(secret), !bytes.isEmpty
    else { throw ExchangeError.wrongPassword }
    (members["encryptedSecret"], members["salt"], members["decryptedSecret"]) = (nil, nil, .string(secret))
    return .object(members)
  }
}

/// The backup of FreeOTP 2, a serialised Java map. PBKDF2 and AES-256-GCM open a key, and that key opens the keys of
/// the accounts.
enum FreeOTPBackup {
  private static let maximumIterationCount = 1_000_000

  static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: JavaMap.start) }

  /// The document with its accounts in clear.
  static func document(of bytes: [UInt8], _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    let map = try JavaMap.texts(of: bytes)
    let values = map.compactMapValues { try? JSONReading.value(of: Array($0.utf8)) }
    guard let master = values["masterKey"] else { throw ForeignBox.incomplete }
    let key = try masterKey(master, try options.sourcePassphrase())
    var tokens: [JSONValue] = []
    for (id, token) in values.sorted(by: { $0.key < $1.key }) where id.ends(with: "-token") {
      let name = String(Substring(id.utf8.dropLast("-token".utf8.count)))
      guard var members = token.object, let text = values[name]?["key"]?.string else { throw ForeignBox.incomplete }
      guard let secret = try opened(try JSONReading.value(of: Array(text.utf8)), key: key) else {
        throw ExchangeError(.notAuthentic, "has been changed: the tag of an account does not match")
      }
      // The form in which the app writes keys in clear: signed bytes.
      members["secret"] = .array(secret.map { .number(JSONNumber(Int(Int8(bitPattern: $0)))) })
      tokens.append(.object(members))
    }
    return .members(["tokens": tokens])
  }

  private static func masterKey(
    _ value: JSONValue, _ passphrase: SecretBytes
  ) throws(ExchangeError) -> SecretBytes {
    guard let count = value["mIterations"]?.int, let salt = bytes(value["mSalt"]), let sealed = value["mEncryptedKey"]
    else { throw ForeignBox.incomplete }
    let name = value["mAlgorithm"]?.string
    guard name == "PBKDF2withHmacSHA512" || name == "PBKDF2withHmacSHA1" else {
      throw ExchangeError.unknownDerivation()
    }
    guard (1...maximumIterationCount).contains(count) else {
      throw ExchangeError.tooCostly()
    }
    let derived = try inCrypto { () throws(CryptoError) in
      try passphrase.withBytes { passphrase throws(CryptoError) in
        let salt = RawSpan(_elements: salt.span)
        if name == "PBKDF2withHmacSHA1" {
          return try PBKDF2.derive(.sha1, passphrase: passphrase, salt: salt, iterations: count)
        }
        return try PBKDF2.derive(.sha512, passphrase: passphrase, salt: salt, iterations: count)
      }
    }
    guard let key = try opened(sealed, key: derived), key.count == 32 else {
      throw ExchangeError.wrongPassword
    }
    return try inCrypto { () throws(CryptoError) in try SecretBytes(copying: RawSpan(_elements: key.span)) }
  }

  /// The plaintext of a sealed key; nil if the tag does not match.
  private static func opened(_ value: JSONValue, key: SecretBytes) throws(ExchangeError) -> [UInt8]? {
    guard let sealed = bytes(value["mCipherText"]), let parameters = bytes(value["mParameters"]),
      let name = value["mToken"]?.string, let nonce = nonce(in: parameters)
    else { throw ForeignBox.incomplete }
    guard value["mCipher"]?.string == "AES/GCM/NoPadding" else {
      throw ExchangeError(.unsupported, "is encrypted in an unknown way")
    }
    let (tag, text) = (Array(sealed.suffix(16)), Array(sealed.dropLast(16)))
    guard tag.count == 16 else { throw ForeignBox.incomplete }
    return try ForeignBox.open(text, (nonce, tag), key: key, associatedData: Array(name.utf8))
  }

  /// The first byte string in a DER sequence, or a byte string alone.
  private static func nonce(in bytes: [UInt8]) -> [UInt8]? {
    let text = bytes.first == 0x30 ? bytes.dropFirst(2) : bytes[...]
    guard let kind = text.first, kind == 4, let count = text.dropFirst().first, (1...64).contains(count) else {
      return nil
    }
    let nonce = Array(text.dropFirst(2).prefix(Int(count)))
    return nonce.count == Int(count) ? nonce : nil
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    let numbers = value?.array?.compactMap { Int8($0.leafText) }
    return numbers.flatMap { $0.count == value?.array?.count ? $0.map { UInt8(bitPattern: $0) } : nil }
  }
}

/// Reads a Java map of strings (Java Object Serialization Specification, version 5), and no other object.
private enum JavaMap {
  static let start: [UInt8] = [0xAC, 0xED, 0, 5]
  /// An object with the class description of `java.util.HashMap`.
  private static let head: [UInt8] = start + [0x73, 0x72, 0, 17] + Array("java.util.HashMap".utf8)
  private static let maximumCount = 20_000

  static func texts(of bytes: [UInt8]) throws(ExchangeError) -> [String: String] {
    var cursor = ByteCursor(bytes)
    guard try cursor.take(head.count) == head else { throw ExchangeError.truncated }
    // The class version, its flags, and its members: a fraction, and on some phones a number.
    _ = try cursor.take(9)
    let memberCount = try number(&cursor, 2)
    guard (1...2).contains(memberCount) else { throw ExchangeError.truncated }
    for _ in 0..<memberCount {
      guard "FI".utf8.contains(try cursor.take(1)[0]) else { throw ExchangeError.truncated }
      _ = try cursor.take(try number(&cursor, 2))
    }
    // The end of the description, no parent class, the members; then a block with the capacity and the count.
    guard try cursor.take(2) == [0x78, 0x70] else { throw ExchangeError.truncated }
    _ = try cursor.take(4 * memberCount)
    guard try cursor.take(2) == [0x77, 8] else { throw ExchangeError.truncated }
    _ = try cursor.take(4)
    let count = try number(&cursor, 4)
    guard count <= maximumCount else { throw ExchangeError.truncated }
    var texts: [String: String] = [:]
    for _ in 0..<count {
      let name = try text(&cursor)
      guard texts.updateValue(try text(&cursor), forKey: name) == nil else { throw ExchangeError.truncated }
    }
    return texts
  }

  private static func text(_ cursor: inout ByteCursor) throws(ExchangeError) -> String {
    guard try cursor.take(1) == [0x74] else { throw ExchangeError.truncated }
    return try text(try cursor.take(try number(&cursor, 2)))
  }

  /// Text in UTF-16 units, each encoded in one to three bytes.
  private static func text(_ bytes: [UInt8]) throws(ExchangeError) -> String {
    var (units, rest): ([UInt16], ArraySlice<UInt8>) = ([], bytes[...])
    while let first = rest.popFirst() {
      let count = first < 0x80 ? 0 : first & 0xE0 == 0xC0 ? 1 : 2
      guard rest.count >= count else { throw ExchangeError.truncated }
      let head = UInt16(first) & (count == 0 ? 0x7F : count == 1 ? 0x1F : 0x0F)
      units.append(rest.prefix(count).reduce(head) { $0 << 6 | UInt16($1 & 0x3F) })
      rest = rest.dropFirst(count)
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func number(_ cursor: inout ByteCursor, _ byteCount: Int) throws(ExchangeError) -> Int {
    try cursor.take(byteCount).reduce(0) { $0 << 8 | Int($1) }
  }
}
