import VaultCrypto

/// A scrypt stanza whose form has been checked.
///
/// Source: c2sp.org/age, "scrypt recipient stanza".
struct ScryptStanza {
  /// The base-two logarithm of scrypt's N.
  let workFactor: Int
  private let salt: [UInt8]
  private let body: [UInt8]

  /// The range for sealing: 2^22 takes 4 GiB.
  static let sealingWorkFactors = 1...22
  private static let saltByteCount = 16
  private static let label = "age-encryption.org/v1/scrypt"

  /// Checks that the scrypt stanza, which the header must have, is alone and well formed. No key is derived.
  init(onlyStanzaOf header: AgeHeader) throws(AgeError) {
    // A person who knows the passphrase must be sure that nobody else could have sealed the file.
    guard header.stanzas.count == 1 else { throw AgeError(.malformedHeader, "a scrypt stanza must be the only stanza") }
    let stanza = header.stanzas[0]
    guard stanza.arguments.count == 2 else {
      throw AgeError(.malformedHeader, "a scrypt stanza must have exactly two arguments after its type")
    }
    guard let salt = stanza.bytes(ofArgument: 0, count: Self.saltByteCount) else {
      throw AgeError(.malformedHeader, "the salt of a scrypt stanza is not canonical base64 of 16 bytes")
    }
    guard stanza.body.count == FileKey.wrappedByteCount else {
      throw AgeError(.malformedHeader, "the body of a scrypt stanza is not 32 bytes long")
    }
    workFactor = try Self.workFactor(stanza.arguments[1])
    self.salt = salt
    body = stanza.body
  }

  // Plain decimal without sign or leading zero. Parsers like `int()` accept more, and readers would then disagree about
  // files.
  private static func workFactor(_ text: String) throws(AgeError) -> Int {
    let digits = [UInt8](text.utf8)
    let isDecimal = digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard isDecimal, digits[0] != UInt8(ascii: "0") else {
      throw AgeError(.malformedHeader, "the work factor is not a plain decimal number")
    }
    guard digits.count <= 3 else { throw AgeError(.workFactorOutOfRange, "the work factor has too many digits") }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Derives a key, at the cost of the work factor, and unwraps the file key; nil if the passphrase is wrong.
  func unwrap(with passphrase: SecretBytes, maximumWorkFactor: Int) throws(AgeError) -> SecretBytes? {
    guard workFactor <= maximumWorkFactor else {
      throw AgeError(.workFactorOutOfRange, "the work factor is higher than the maximum")
    }
    let wrapKey = try AgeError.mappingCrypto { () throws(CryptoError) in
      try passphrase.withBytes { (text) throws(CryptoError) in
        try Self.wrapKey(text, salt: salt, workFactor: workFactor)
      }
    }
    return try FileKey.unwrap(body, with: wrapKey)
  }

  /// The only stanza of a file sealed with a passphrase, with a fresh salt.
  static func wrap(_ fileKey: SecretBytes, passphrase: RawSpan, workFactor: Int) throws(AgeError) -> AgeStanza {
    guard !passphrase.isEmpty else { throw AgeError(.emptyPassphrase, "an empty passphrase protects nothing") }
    guard sealingWorkFactors.contains(workFactor) else {
      throw AgeError(.workFactorOutOfRange, "the work factor must be between 1 and 22")
    }
    let salt = try AgeError.mappingCrypto { () throws(CryptoError) in try SecureRandom.bytes(count: saltByteCount) }
    let body = try AgeError.mappingCrypto { () throws(CryptoError) in
      try FileKey.wrap(fileKey, with: wrapKey(passphrase, salt: salt, workFactor: workFactor))
    }
    return AgeStanza(type: AgeStanza.scryptType, arguments: [AgeStanza.text(salt), String(workFactor)], body: body)
  }

  private static func wrapKey(_ passphrase: RawSpan, salt: [UInt8], workFactor: Int) throws(CryptoError) -> SecretBytes
  {
    let labelled = [UInt8](label.utf8) + salt
    return try Scrypt.derive(passphrase: passphrase, salt: RawSpan(_elements: labelled.span), logN: workFactor)
  }
}
