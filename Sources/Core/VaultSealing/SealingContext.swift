public import VaultCrypto
public import VaultDocument

extension CodingUserInfoKey {
  /// Where an encoder's or decoder's `userInfo` holds its ``SealingContext``.
  public static let sealingContext = SealingContext.userInfoKey.key
}

/// What sealed fields are sealed and opened with while a value is encoded or decoded.
///
/// Put it into `userInfo[.sealingContext]` of any encoder or decoder, or into the task with ``SealingContext/current``.
/// Where `userInfo` has one, the task's must be the same.
public final class SealingContext: Sendable {
  /// What decoding takes for a sealed field.
  public enum Reading: Sendable {
    /// Only tokens: clear text is an error.
    case tokens
    /// Tokens, and clear text that is sealed at the next write. For data that was verified otherwise, or never sealed.
    case tokensOrClearText
    /// Only clear text, whatever it looks like: input from outside, such as an import.
    case clearText
  }

  enum Access: Sendable {
    case open(FieldCipher)
    case locked
  }

  /// How fields are read and sealed, whatever the keys.
  struct Settings: Sendable {
    var reading = Reading.tokens
    /// Without one, the clock's.
    var sealingTime: Timestamp?
    /// Opens what was just sealed and compares it, before it can replace the only copy.
    var verifiesSeals = false
    /// What opens fields when they are asked for; nil opens them as they are read.
    var opener: (any FieldOpener)?
  }

  /// Serves where `userInfo` has no context.
  @TaskLocal public static var current: SealingContext?

  /// Reads without any key: values stay unopened, and saving is refused.
  public static let locked = SealingContext(.locked)

  static let userInfoKey = UserInfoKey<SealingContext>("VaultSealing.context")

  let access: Access
  let settings: Settings
  /// The keys of an application, which may be several; nil for the context of a record, or another form.
  let application: ApplicationKeys?

  var reading: Reading { settings.reading }

  init(_ access: Access, _ settings: Settings = Settings(), application: ApplicationKeys? = nil) {
    self.access = access
    self.settings = settings
    self.application = application
  }

  /// A context outside a vault, under an application key of 32 bytes: ``init(keys:bound:)`` with that one.
  ///
  /// - Throws: ``SealingError`` `.wrongByteCount` for another key size or an empty list.
  public convenience init(applicationKey key: SecretBytes, bound: [String]) throws(SealingError) {
    try self.init(keys: [key], bound: bound)
  }

  /// A context outside a vault, under application keys of 32 bytes each: the first seals, each opens what it has
  /// sealed.
  ///
  /// The key of the fields is KDF(key, `ecv/1/app`; bound strings; 40) of format 1, section 5.4, Outside a vault. Fewer
  /// than 2^32 values may be sealed under one key, and the position of a field is not protected: what must not be
  /// exchanged is bound to its place with ``bound(to:)``.
  ///
  /// - Parameters:
  ///   - keys: at least one, the newest first. A key may go when nothing is sealed under it any more:
  ///     ``isCurrent(_:)`` tells, and ``resealed(_:)`` brings a value under the first.
  ///   - bound: at least one string; what is sealed under one list opens only under the same.
  /// - Throws: ``SealingError`` `.wrongByteCount` for another key size or an empty list, `.memoryUnavailable`.
  public convenience init(keys: [SecretBytes], bound: [String]) throws(SealingError) {
    let application = try ApplicationKeys(keys, bound: bound)
    self.init(.open(application.current), application: application)
  }

  /// A context that reads and writes base64 of what CryptoKit's `AES.GCM.SealedBox.combined` holds.
  ///
  /// There is no padding, no prefix and no sealing time; use a key of its own. A key of 32 bytes reads and writes. Keys
  /// of 16 and 24 bytes, AES-128 and AES-192, only read what is there already: sealing is `.wrongByteCount`. In a
  /// property list the value may be `<data>` as well as base64.
  ///
  /// ```swift
  /// let old = try SealingContext(cryptoKitKey: oldKey)
  /// let customers = try DocumentForm.json.decode([Customer].self, from: bytes, with: old)
  /// try await vault.add(contentsOf: customers)
  /// ```
  ///
  /// - Throws: ``SealingError`` `.wrongByteCount` for a key that has not 16, 24 or 32 bytes.
  public convenience init(
    cryptoKitKey key: SecretBytes, associatedData: [UInt8] = []
  ) throws(SealingError) {
    self.init(.open(try FieldCipher(cryptoKitKey: key, associatedData: associatedData)))
  }

  /// The same keys with another rule for what decoding takes.
  public func reading(_ reading: Reading) -> SealingContext {
    changed { $0.reading = reading }
  }

  /// The same keys with a fixed sealing time; without one, the clock's.
  public func sealing(at time: Timestamp) -> SealingContext {
    changed { $0.sealingTime = time }
  }

  private func changed(_ change: (inout Settings) -> Void) -> SealingContext {
    var settings = settings
    change(&settings)
    return SealingContext(access, settings, application: application)
  }

  /// The context that an encoder uses: the one of its `userInfo`, else the task's.
  ///
  /// - Throws: `EncodingError` with a ``SealingError`` `.noContext` or `.conflictingContexts` in it.
  public static func of(_ encoder: any Encoder) throws -> SealingContext {
    do throws(SealingError) {
      return try resolve(encoder.userInfo)
    } catch {
      throw error.encodingError(encoder.codingPath)
    }
  }

  /// The context that a decoder uses: the one of its `userInfo`, else the task's.
  ///
  /// - Throws: `DecodingError` with a ``SealingError`` `.noContext` or `.conflictingContexts` in it.
  public static func of(_ decoder: any Decoder) throws -> SealingContext {
    do throws(SealingError) {
      return try resolve(decoder.userInfo)
    } catch {
      throw error.decodingError(decoder.codingPath)
    }
  }

  /// The context that an encoder or decoder with this `userInfo` uses.
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

  /// Whether values are as CryptoKit seals them.
  var isOfCryptoKit: Bool {
    if case .open(let cipher) = access, case .cryptoKit = cipher.form { true } else { false }
  }

  private func isEquivalent(to other: SealingContext) -> Bool {
    if self === other { return true }
    guard reading == other.reading else { return false }
    switch (access, other.access) {
    case (.locked, .locked): return true
    case (.open(let mine), .open(let theirs)): return mine.makesTheSameTokens(as: theirs)
    default: return false
    }
  }

  /// Seals `text` under this context.
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
  /// Whether a token of one may stand unchanged where the other writes.
  func makesTheSameTokens(as other: FieldCipher) -> Bool {
    switch (form, other.form) {
    case (.token(let mine), .token(let theirs)): mine.matches(theirs)
    default: self === other
    }
  }
}
