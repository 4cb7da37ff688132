public import VaultCrypto
public import VaultDocument

extension CodingUserInfoKey {
  /// The key of the ``SealingContext`` in the `userInfo` of an encoder or decoder.
  public static let sealingContext = SealingContext.userInfoKey.key
}

/// The keys and rules for sealing and opening fields while a value is encoded or decoded.
///
/// Put it into `userInfo[.sealingContext]` of any encoder or decoder, or into the task with ``SealingContext/current``.
/// If both exist, they must be the same.
public final class SealingContext: Sendable {
  /// The texts that decoding accepts for a sealed field.
  public enum Reading: Sendable {
    /// Only tokens: clear text is an error.
    case tokens
    /// Tokens, and clear text that is sealed at the next write. For data that was verified by other means, or never
    /// sealed.
    case tokensOrClearText
    /// Only clear text, even if it looks like a token: for input from outside, such as an import.
    case clearText
  }

  enum Access: Sendable {
    case open(FieldCipher)
    case locked
  }

  /// How fields are read and sealed, independent of the keys.
  struct Settings: Sendable {
    var reading = Reading.tokens
    /// Nil means the clock's.
    var sealingTime: Timestamp?
    /// Whether to open each new token and compare it, before it can replace the only copy.
    var verifiesSeals = false
    /// Opens fields on demand; nil opens them when they are read.
    var opener: (any FieldOpener)?
  }

  /// Used if `userInfo` has no context.
  @TaskLocal public static var current: SealingContext?

  /// Reads without any key: values stay unopened, and saving is refused.
  public static let locked = SealingContext(.locked)

  static let userInfoKey = UserInfoKey<SealingContext>("VaultSealing.context")

  let access: Access
  let settings: Settings
  /// The keys of an application; nil for the context of a record or another form.
  let application: ApplicationKeys?

  var reading: Reading { settings.reading }

  init(_ access: Access, _ settings: Settings = Settings(), application: ApplicationKeys? = nil) {
    self.access = access
    self.settings = settings
    self.application = application
  }

  /// A context outside a vault, under one application key of 32 bytes; see ``init(keys:bound:)``.
  ///
  /// - Throws: ``SealingError`` `.wrongByteCount` for another key size or an empty list.
  public convenience init(applicationKey key: SecretBytes, bound: [String]) throws(SealingError) {
    try self.init(keys: [key], bound: bound)
  }

  /// A context outside a vault, under application keys of 32 bytes. The first key seals, and each key opens its own
  /// tokens.
  ///
  /// The key of the fields is KDF(key, `ecv/1/app`; bound strings; 40) of format 1, section 5.4, Outside a vault. Fewer
  /// than 2^32 values may be sealed under one key. The position of a field is not protected; ``bound(to:)`` binds
  /// values to their place.
  ///
  /// - Parameters:
  ///   - keys: at least one, the newest first. A key may be dropped when nothing is sealed under it any more:
  ///     ``isCurrent(_:)`` tells, and ``resealed(_:)`` moves a value to the first key.
  ///   - bound: at least one string; values sealed under one list open only under the same list.
  /// - Throws: ``SealingError`` `.wrongByteCount` for another key size or an empty list, `.memoryUnavailable`.
  public convenience init(keys: [SecretBytes], bound: [String]) throws(SealingError) {
    let application = try ApplicationKeys(keys, bound: bound)
    self.init(.open(application.current), application: application)
  }

  /// A context that reads and writes base64 of CryptoKit's `AES.GCM.SealedBox.combined`.
  ///
  /// There is no padding, no prefix and no sealing time; use a separate key. A key of 32 bytes reads and writes. Keys
  /// of 16 and 24 bytes, AES-128 and AES-192, only read existing values: sealing throws `.wrongByteCount`. In a
  /// property list the value may be `<data>` as well as base64.
  ///
  /// ```swift
  /// let old = try SealingContext(cryptoKitKey: oldKey)
  /// let customers = try DocumentForm.json.decode([Customer].self, from: bytes, with: old)
  /// try await vault.add(contentsOf: customers)
  /// ```
  ///
  /// - Throws: ``SealingError`` `.wrongByteCount` for a key that does not have 16, 24 or 32 bytes.
  public convenience init(
    cryptoKitKey key: SecretBytes, associatedData: [UInt8] = []
  ) throws(SealingError) {
    self.init(.open(try FieldCipher(cryptoKitKey: key, associatedData: associatedData)))
  }

  /// The same keys with another rule for decoding.
  public func reading(_ reading: Reading) -> SealingContext {
    changed { $0.reading = reading }
  }

  /// The same keys with a fixed sealing time in place of the clock's.
  public func sealing(at time: Timestamp) -> SealingContext {
    changed { $0.sealingTime = time }
  }

  private func changed(_ change: (inout Settings) -> Void) -> SealingContext {
    var settings = settings
    change(&settings)
    return SealingContext(access, settings, application: application)
  }

  /// The context of an encoder: that of its `userInfo`, else the task's.
  ///
  /// - Throws: `EncodingError` with a ``SealingError`` `.noContext` or `.conflictingContexts` in it.
  public static func of(_ encoder: any Encoder) throws -> SealingContext {
    do throws(SealingError) {
      return try resolve(encoder.userInfo)
    } catch {
      throw error.encodingError(encoder.codingPath)
    }
  }

  /// The context of a decoder: that of its `userInfo`, else the task's.
  ///
  /// - Throws: `DecodingError` with a ``SealingError`` `.noContext` or `.conflictingContexts` in it.
  public static func of(_ decoder: any Decoder) throws -> SealingContext {
    do throws(SealingError) {
      return try resolve(decoder.userInfo)
    } catch {
      throw error.decodingError(decoder.codingPath)
    }
  }

  /// The context for an encoder or decoder with this `userInfo`.
  static func resolve(_ userInfo: [CodingUserInfoKey: Any]) throws(SealingError) -> SealingContext {
    let own = userInfo[userInfoKey]
    let task = current
    guard let context = own ?? task else {
      throw SealingError(.noContext, "no sealing context is set for this encoder, decoder or task")
    }
    if let own, let task, !own.isEquivalent(to: task) {
      throw SealingError(.conflictingContexts, "userInfo and the task hold different sealing contexts")
    }
    return context
  }

  /// Whether values have CryptoKit's form.
  var isOfCryptoKit: Bool {
    if case .open(let cipher) = access, case .cryptoKit = cipher.form { true } else { false }
  }

  /// Whether both read the same texts and make the same tokens. Sealing times and openers are not compared.
  private func isEquivalent(to other: SealingContext) -> Bool {
    if self === other { return true }
    guard reading == other.reading else { return false }
    switch (access, other.access) {
    case (.locked, .locked): return true
    case (.open(let mine), .open(let theirs)): return mine.makesTheSameTokens(as: theirs)
    default: return false
    }
  }

  /// Seals UTF-8 and, if the settings say so, opens the result again as a check.
  func seal(_ text: RawSpan) throws(SealingError) -> String {
    guard case .open(let cipher) = access else {
      throw SealingError(.lockedContext, "was read without a key and cannot be saved")
    }
    let field = try cipher.seal(text, at: settings.sealingTime ?? .now())
    if settings.verifiesSeals { try cipher.verify(field, holds: text) }
    return field
  }
}

extension FieldCipher {
  /// Whether a token of one may stand unchanged in the output of the other.
  func makesTheSameTokens(as other: FieldCipher) -> Bool {
    switch (form, other.form) {
    case (.token(let mine), .token(let theirs)): mine.matches(theirs)
    default: self === other
    }
  }
}
