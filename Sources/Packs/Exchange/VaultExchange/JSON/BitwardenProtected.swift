internal import VaultCrypto
internal import VaultDocument

/// Bitwarden's JSON with a password of its own: PBKDF2 or Argon2id, AES-256-CBC and HMAC-SHA-256.
struct BitwardenProtectedImporter: Importer {
  let format = ImportFormat(
    "bitwarden-protected-json", title: "Bitwarden, JSON with a password", versions: "2022 to 2026, PBKDF2 and Argon2id",
    keeps: "as bitwarden-json", idPrefix: "bitwarden-json")

  func detects(_ sample: ImportSample) -> Bool { sample.outline.has("passwordProtected", "data") }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let envelope = try JSONReading.value(of: source, options: options)
    let text = try Self.opened(envelope, options)
    return try BitwardenImporter.items(of: try JSONReading.value(of: text))
  }

  private static func opened(_ envelope: JSONValue, _ options: ImportOptions) throws(ExchangeError) -> [UInt8] {
    guard envelope["passwordProtected"]?.bool == true, let salt = envelope["salt"]?.string,
      let check = envelope["encKeyValidation_DO_NOT_EDIT"]?.string, let data = envelope["data"]?.string
    else { throw ExchangeError(.malformed, "does not have all parts of an encrypted export") }
    let sealedCheck = try Box(check)
    let sealedData = try Box(data)
    let costs = try Costs(envelope)
    let passphrase = try options.sourcePassphrase()
    let master = try costs.key(passphrase, salt: Array(salt.utf8))
    let key = try expanded(master, "enc")
    let macKey = try expanded(master, "mac")
    guard try sealedCheck.opened(key, macKey) != nil else {
      throw ExchangeError.wrongPassword
    }
    guard let text = try sealedData.opened(key, macKey) else {
      throw ExchangeError.changed(at: "data")
    }
    return text
  }

  /// One block of HKDF-Expand (RFC 5869, section 2.3), with the master key as the pseudorandom key.
  private static func expanded(_ key: SecretBytes, _ info: String) throws(ExchangeError) -> SecretBytes {
    let message = Array(info.utf8) + [1]
    return try inCrypto { () throws(CryptoError) in
      let block = try key.withBytes { key throws(CryptoError) in
        try HMACSHA256.authenticate(RawSpan(_elements: message.span), key: key)
      }
      return try SecretBytes(copying: RawSpan(_elements: block.span))
    }
  }
}

/// `2.NONCE|CIPHERTEXT|MAC`, each in base64.
private struct Box {
  private let parts: [[UInt8]]

  init(_ text: String) throws(ExchangeError) {
    let texts = text.dropFirst(2).split(separator: "|", omittingEmptySubsequences: false)
    let parts = texts.compactMap { try? Base64.decode(String($0)) }
    guard text.hasPrefix("2."), texts.count == 3, parts.count == 3, parts[0].count == 16, !parts[1].isEmpty,
      parts[1].count % 16 == 0, parts[2].count == 32
    else { throw ExchangeError(.malformed, "an encrypted part has an unknown type") }
    self.parts = parts
  }

  /// The plaintext; nil if the MAC does not match.
  func opened(_ key: SecretBytes, _ macKey: SecretBytes) throws(ExchangeError) -> [UInt8]? {
    try inCrypto { () throws(CryptoError) in
      do throws(CryptoError) {
        return try key.withBytes { key throws(CryptoError) in
          try macKey.withBytes { macKey throws(CryptoError) in
            // The arrays need names, because a span must not outlive its array.
            let (nonce, ciphertext, mac) = (parts[0], parts[1], parts[2])
            return try AESCBCHMAC.open(
              RawSpan(_elements: ciphertext.span), nonce: RawSpan(_elements: nonce.span),
              mac: RawSpan(_elements: mac.span), key: key, macKey: macKey)
          }
        }
      } catch {
        if error.code == .authenticationFailed { return nil }
        throw error
      }
    }
  }
}

private struct Costs {
  private enum Function { case pbkdf2, argon2id(kibibytes: Int, lanes: Int) }

  private let function: Function
  private let iterations: Int

  init(_ envelope: JSONValue) throws(ExchangeError) {
    let place = SourcePlace(path: "kdfIterations")
    guard let iterations = envelope["kdfIterations"]?.int else {
      throw ExchangeError(.malformed, "the file does not say how its key is derived", at: place)
    }
    self.iterations = iterations
    switch envelope["kdfType"]?.int ?? 0 {
    case 0:
      function = .pbkdf2
      guard (1...10_000_000).contains(iterations) else { throw Self.outOfRange }
    case 1:
      let mebibytes = envelope["kdfMemory"]?.int ?? 64
      let lanes = envelope["kdfParallelism"]?.int ?? 4
      guard (1...10).contains(iterations), (1...1024).contains(mebibytes), (1...16).contains(lanes) else {
        throw Self.outOfRange
      }
      function = .argon2id(kibibytes: mebibytes << 10, lanes: lanes)
    default:
      throw ExchangeError.unknownDerivation(at: SourcePlace(path: "kdfType"))
    }
  }

  private static var outOfRange: ExchangeError {
    ExchangeError.tooCostly(at: SourcePlace(path: "kdfIterations"))
  }

  func key(_ passphrase: SecretBytes, salt: [UInt8]) throws(ExchangeError) -> SecretBytes {
    if case .argon2id = function, !Argon2.isAvailable {
      throw ExchangeError.libargon2Missing
    }
    return try inCrypto { () throws(CryptoError) in
      try passphrase.withBytes { passphrase throws(CryptoError) in
        switch function {
        case .pbkdf2:
          return try PBKDF2.derive(
            .sha256, passphrase: passphrase, salt: RawSpan(_elements: salt.span), iterations: iterations)
        case .argon2id(let kibibytes, let lanes):
          let salt = try SHA256.hash(RawSpan(_elements: salt.span))
          return try Argon2.derive(
            passphrase: passphrase, salt: RawSpan(_elements: salt.span), passes: iterations, kibibytes: kibibytes,
            lanes: lanes)
        }
      }
    }
  }
}
