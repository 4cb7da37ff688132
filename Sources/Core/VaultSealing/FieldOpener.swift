internal import VaultDocument

/// Opens fields of one place on demand; until then, a field holds only its token.
protocol FieldOpener: AnyObject, Sendable {
  /// Refuses a text that is not a token, or a token of another record or key.
  func requireOwn(_ text: String) throws(SealingError)

  /// Whether a token from here may stand unchanged in the output of `cipher`.
  func makesTheSameTokens(as cipher: FieldCipher) -> Bool

  /// The context that opens a field and reads its content.
  func context() throws(SealingError) -> SealingContext

  /// Called after a field was opened for a caller who asked for its text.
  var onReveal: (@Sendable () -> Void)? { get }
}

extension FieldOpener {
  var onReveal: (@Sendable () -> Void)? { nil }

  /// - Throws: ``SealingError``, like opening.
  func open(_ token: String) throws(SealingError) -> SecretText { try open(token, in: context()) }

  func open(_ token: String, in context: SealingContext) throws(SealingError) -> SecretText {
    try SealedState(reading: token, context: context).secretText()
  }
}

/// Opens fields of one record of a vault. It keeps what the record's keys are derived from, not a second copy of them
/// in locked memory.
final class RecordFieldOpener: FieldOpener {
  private let root: RootKey
  private let wrapped: WrappedKey
  private let record: RecordID
  private let scope: TokenScope
  let onReveal: (@Sendable () -> Void)?

  init(
    root: RootKey, wrapped: WrappedKey, record: RecordID, scope: TokenScope, onReveal: (@Sendable () -> Void)? = nil
  ) {
    self.onReveal = onReveal
    (self.root, self.wrapped, self.record, self.scope) = (root, wrapped, record, scope)
  }

  func requireOwn(_ text: String) throws(SealingError) {
    guard try SealedToken(parsing: text).hint == scope.hint else {
      throw SealingError(.foreignToken, "was sealed for another record or with another key")
    }
  }

  func makesTheSameTokens(as cipher: FieldCipher) -> Bool {
    if case .token(let other) = cipher.form { scope.matches(other) } else { false }
  }

  func context() throws(SealingError) -> SealingContext {
    try root.recordKeys(from: wrapped, record: record).context()
  }
}

/// Opens fields under the keys of an application.
final class ApplicationFieldOpener: FieldOpener {
  private let keys: ApplicationKeys

  init(_ keys: ApplicationKeys) { self.keys = keys }

  func requireOwn(_ text: String) throws(SealingError) { _ = try keys.cipher(ofOwn: text) }

  /// Only tokens of the newest key stay unchanged.
  func makesTheSameTokens(as cipher: FieldCipher) -> Bool {
    keys.current.makesTheSameTokens(as: cipher)
  }

  func context() throws(SealingError) -> SealingContext { SealingContext(.open(keys.current), application: keys) }
}
