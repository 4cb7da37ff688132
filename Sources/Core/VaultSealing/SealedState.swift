internal import VaultCrypto
internal import VaultDocument

/// The memory state of a sealed value, shared by ``EncryptedCodableString`` and ``Sealed``.
///
/// A verified token is kept beside the opened text. An unchanged value is therefore written back unchanged, and its
/// nonce is never used for new text.
enum SealedState: Sendable {
  /// Never sealed, or marked for sealing at the next write.
  case fresh(SecretText)
  /// Opened from a field that verified.
  case opened(SecretText, Origin)
  /// Not opened yet, with its opener.
  case closed(String, any FieldOpener)
  /// Read without a key.
  case unopened(String)
  /// Could not be held in secure memory; every use throws this error.
  case unavailable(SealingError)

  /// The field from which a value was opened, and its binding. Holds no key of a record.
  struct Origin: Sendable {
    let text: String
    /// Whether the field may stand unchanged in the output of a cipher.
    let isReusable: @Sendable (FieldCipher) -> Bool

    init(text: String, cipher: FieldCipher) {
      self.text = text
      switch cipher.form {
      case .token(let scope):
        isReusable = { target in
          guard case .token(let targetScope) = target.form else { return false }
          return scope.matches(targetScope)
        }
      case .cryptoKit: isReusable = { $0 === cipher }
      }
    }
  }

  /// A failure of the copy becomes the state `unavailable`.
  init(copying text: String) {
    do {
      self = .fresh(try SecretText(copying: text))
    } catch {
      self = .unavailable(SealingError(crypto: error))
    }
  }

  /// Reads one field by the rules of the context. With an opener, only the token's form and key are checked: nothing
  /// is authentic before it is opened.
  init(reading text: String, context: SealingContext) throws(SealingError) {
    switch context.access {
    case .locked:
      if context.reading == .tokens || SealedToken.hasTokenShape(text) { _ = try SealedToken(parsing: text) }
      self = .unopened(text)
    case .open(let cipher):
      if context.readsAsClearText(text) {
        self.init(copying: text)
        if case .unavailable(let error) = self { throw error }
      } else if let opener = context.settings.opener {
        try opener.requireOwn(text)
        self = .closed(text, opener)
      } else {
        let cipher = context.application?.cipher(of: text) ?? cipher
        self = .opened(try cipher.open(text), Origin(text: text, cipher: cipher))
      }
    }
  }

  /// The text of the field: the old token if it may stand unchanged in this context, else a new token. An old token
  /// that was not opened yet is not verified.
  func sealed(in context: SealingContext) throws(SealingError) -> String {
    guard case .open(let cipher) = context.access else {
      throw SealingError(.lockedContext, "was read without a key and cannot be saved")
    }
    switch self {
    case .fresh(let text): return try text.withBytes { bytes throws(SealingError) in try context.seal(bytes) }
    case .opened(let text, let origin):
      if origin.isReusable(cipher) { return origin.text }
      return try text.withBytes { bytes throws(SealingError) in try context.seal(bytes) }
    case .closed(let token, let opener):
      if opener.makesTheSameTokens(as: cipher) { return token }
      return try opener.open(token).withBytes { bytes throws(SealingError) in try context.seal(bytes) }
    case .unopened: throw SealingError(.notOpened, "was read without a key and cannot be sealed again")
    case .unavailable(let error): throw error
    }
  }

  /// The text in secure memory, for a caller that asked for it; reports the reveal.
  func revealed() throws(SealingError) -> SecretText {
    let text = try secretText()
    if case .closed(_, let opener) = self { opener.onReveal?() }
    return text
  }

  /// The text in secure memory.
  func secretText() throws(SealingError) -> SecretText {
    switch self {
    case .fresh(let text), .opened(let text, _): return text
    case .closed(let token, let opener): return try opener.open(token)
    case .unopened: throw SealingError(.notOpened, "was read without a key: unlock the vault to open it")
    case .unavailable(let error): throw error
    }
  }
}

extension SealingContext {
  fileprivate func readsAsClearText(_ text: String) -> Bool {
    switch reading {
    case .tokens: false
    case .tokensOrClearText: !SealedToken.hasTokenShape(text)
    case .clearText: true
    }
  }
}

extension SealingError {
  /// This error inside the error that `Decodable` types throw.
  func decodingError(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: reason, underlyingError: self))
  }

  /// This error inside the error that `Encodable` types throw; its value is a placeholder.
  func encodingError(_ path: [any CodingKey]) -> EncodingError {
    .invalidValue("<sealed>", .init(codingPath: path, debugDescription: reason, underlyingError: self))
  }
}
