public import VaultCrypto
public import VaultDocument

/// The keys derived from the data key of one record: field key 32 ‖ MAC key 32 ‖ hint 8.
public final class RecordKeys: Sendable {
  static let dataKeyByteCount = 32

  /// The vault of the record.
  public let vaultID: VaultID
  /// The record.
  public let recordID: RecordID
  private let keys: SecretBytes
  private let cipher: FieldCipher

  /// Derives the keys of a record (format 1, section 4.4, From a data key). The data key has 32 bytes, which is not
  /// checked.
  package init(dataKey: SecretBytes, vaultID: VaultID, recordID: RecordID) throws(SealingError) {
    var info = CanonicalEncoding.Builder("ecv/1/record", itemCount: 1)
    info.append(recordID)
    let finished = info.finish()
    keys = try dataKey.withBytes { bytes throws(SealingError) in
      try KeyDerivation.derive(from: bytes, info: finished, salt: vaultID.bytes, byteCount: 72)
    }
    let hint = keys.withBytes { $0.extracting(64..<72).copiedBytes() }
    let scope = TokenScope(label: "ecv/1/field", hint: hint, itemCount: 2) { items in
      items.append(vaultID)
      items.append(recordID)
    }
    cipher = try FieldCipher(form: .token(scope), keys: keys, remembersSeals: true)
    self.vaultID = vaultID
    self.recordID = recordID
  }

  /// The context that seals and opens the fields of this record.
  ///
  /// - Parameter time: the sealing time of new tokens; nil means the clock's.
  public func context(sealingAt time: Timestamp? = nil) -> SealingContext {
    SealingContext(.open(cipher), .init(sealingTime: time, verifiesSeals: true))
  }

  /// Like `context(sealingAt:)`, with fields that `root` opens on demand.
  func context(
    openedBy root: RootKey, _ wrapped: WrappedKey, _ onReveal: (@Sendable () -> Void)?
  ) -> SealingContext {
    guard case .token(let scope) = cipher.form else { preconditionFailure("the fields of a record are tokens") }
    let opener = RecordFieldOpener(root: root, wrapped: wrapped, record: recordID, scope: scope, onReveal: onReveal)
    return SealingContext(.open(cipher), .init(verifiesSeals: true, opener: opener))
  }

  /// Opens one token of this record into ordinary memory.
  ///
  /// - Throws: ``SealingError``, like opening.
  public func reveal(_ token: String) throws(SealingError) -> String { try cipher.open(token).string() }

  /// Checks that a token of this record opens.
  ///
  /// - Throws: ``SealingError``, like opening.
  public func checkOpens(_ token: String) throws(SealingError) { _ = try cipher.open(token) }

  /// Opens one token of this record and lends its UTF-8 bytes to `body`.
  public func withRevealed<Result>(
    _ token: String, _ body: (RawSpan) throws -> Result
  ) throws -> Result {
    try cipher.open(token).withBytes(body)
  }

  /// Seals `text` (UTF-8) as a new token of this record.
  public func seal(_ text: RawSpan, at time: Timestamp) throws(SealingError) -> String {
    try context(sealingAt: time).seal(text)
  }

  /// The text of a token of this record, sealed as a new token.
  func sealingAgain(_ token: String, at time: Timestamp) throws(SealingError) -> String {
    try cipher.open(token).withBytes { text throws(SealingError) in try seal(text, at: time) }
  }

  /// Whether these keys made the token and then opened it to the right text.
  func hasSealed(_ token: String) -> Bool { cipher.hasVerified(token) }

  /// A token of `other` keys sealed again under these. It keeps its sealing time, or gets `latest` if that is earlier.
  /// The new token is opened and compared.
  func resealing(_ token: String, of other: RecordKeys, until latest: Timestamp?) throws(SealingError) -> String {
    let token = try SealedToken(parsing: token)
    let time = latest.map { min($0, token.sealedAt) } ?? token.sealedAt
    return try other.cipher.open(token).withBytes { text throws(SealingError) in
      let field = try cipher.seal(text, at: time)
      try cipher.verify(field, holds: text)
      return field
    }
  }

  /// HMAC-SHA-256 of `message` under the record's MAC key, 32 bytes.
  package func authenticate(_ message: [UInt8]) throws(SealingError) -> [UInt8] {
    do throws(CryptoError) {
      return try keys.withBytes { bytes throws(CryptoError) in
        try unsafe HMACSHA256.authenticate(message.span.bytes, key: bytes.extracting(32..<64))
      }
    } catch {
      throw SealingError(crypto: error)
    }
  }
}

extension RecordKeys {
  /// Seals `secret` as a new token of this record.
  ///
  /// - Throws: ``SealingError`` `.malformedPlaintext` if it is not UTF-8.
  public func seal(_ secret: SecretBytes, at time: Timestamp) throws(SealingError) -> String {
    _ = try EncryptedCodableString(utf8: secret)
    return try secret.withBytes { bytes throws(SealingError) in try seal(bytes, at: time) }
  }

  /// `new` with the tokens of `old` wherever both hold the same secret at the same path.
  ///
  /// Replacing a value by an equal one is then not a change, and its token and sealing time stay.
  ///
  /// - Throws: ``SealingError``, like opening, if a token to compare is not of these keys.
  public func keepingTokens(of old: JSONObject, in new: JSONObject) throws(SealingError) -> JSONObject {
    let old = JSONValue.object(old)
    var tree = JSONValue.object(new)
    try tree.mapStrings { path, text throws(SealingError) in
      guard SealedToken.hasTokenShape(text), case .string(let token)? = try? old.value(at: path), token != text,
        SealedToken.hasTokenShape(token), try cipher.open(token) == cipher.open(text)
      else { return text }
      return token
    }
    guard case .object(let members) = tree else { preconditionFailure("strings of an object were replaced") }
    return members
  }

  /// Whether two tokens of this record hold the same text; compared in constant time.
  ///
  /// - Throws: ``SealingError``, like opening.
  public func holdSame(_ one: String, _ other: String) throws(SealingError) -> Bool {
    try cipher.open(one) == cipher.open(other)
  }

  /// Whether a token of this record holds `secret`; compared in constant time.
  public func opens(_ token: String, to secret: SecretBytes) throws(SealingError) -> Bool {
    let text = try cipher.open(token)
    return text.withBytes { held in secret.withBytes { VaultCrypto.constantTimeEqual(held, $0) } }
  }
}
