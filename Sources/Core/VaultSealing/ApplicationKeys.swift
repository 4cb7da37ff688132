package import VaultCrypto
public import VaultDocument

/// The keys of an application, the newest first, and the items its fields are bound to (format 1, section 5.4, Outside
/// a vault).
package struct ApplicationKeys: Sendable {
  /// The cipher for sealing.
  let current: FieldCipher
  private let ciphers: [(hint: [UInt8], cipher: FieldCipher)]
  /// The keys for search tags, in the order of the keys.
  package let searchKeys: [SecretBytes]
  private let bound: [[UInt8]]

  init(_ keys: [SecretBytes], bound: [String]) throws(SealingError) {
    guard !keys.isEmpty, !bound.isEmpty, keys.allSatisfy({ $0.count == AESGCM.keyByteCount }) else {
      throw SealingError(.wrongByteCount, "an application key must have 32 bytes and be bound to at least one string")
    }
    self.bound = bound.map { Array($0.utf8) }
    var ciphers: [(hint: [UInt8], cipher: FieldCipher)] = []
    var searchKeys: [SecretBytes] = []
    for key in keys {
      let derived = try Self.derive(from: key, "ecv/1/app", self.bound, byteCount: 40)
      let hint = derived.withBytes { $0.extracting(32..<40).copiedBytes() }
      let scope = TokenScope(label: "ecv/1/app-field", hint: hint, items: self.bound)
      ciphers.append((hint, try FieldCipher(form: .token(scope), keys: derived)))
      searchKeys.append(try Self.derive(from: key, "ecv/1/app-search", self.bound, byteCount: 32))
    }
    (self.ciphers, self.searchKeys, current) = (ciphers, searchKeys, ciphers[0].cipher)
  }

  private static func derive(
    from key: SecretBytes, _ label: String, _ items: [[UInt8]], byteCount: Int
  ) throws(SealingError) -> SecretBytes {
    try key.withBytes { bytes throws(SealingError) in
      try KeyDerivation.derive(from: bytes, label: label, items: items, salt: [], byteCount: byteCount)
    }
  }

  /// The same keys for fields of one place, such as a row and a column.
  init(_ keys: ApplicationKeys, boundTo place: [String]) {
    (bound, searchKeys) = (keys.bound, keys.searchKeys)
    let items = keys.bound + place.map { Array($0.utf8) }
    ciphers = keys.ciphers.map { hint, cipher in
      // The count of context items is part of the key derivation, so that no other division of the items gives the
      // same.
      (hint, FieldCipher(cipher, bindingTo: TokenScope(label: "ecv/1/app-place", hint: hint, items: items)))
    }
    current = ciphers[0].cipher
  }

  /// The cipher whose key a token names; the newest for any other text, which it then refuses.
  func cipher(of text: String) -> FieldCipher {
    guard ciphers.count > 1 else { return current }
    return (try? cipher(ofOwn: text)) ?? current
  }

  /// The cipher whose key a token names, or an error.
  func cipher(ofOwn text: String) throws(SealingError) -> FieldCipher {
    let token = try SealedToken(parsing: text)
    guard let own = ciphers.first(where: { $0.hint == token.hint }) else {
      throw SealingError(.foreignToken, "was not sealed under any of these keys")
    }
    return own.cipher
  }
}

extension SealingContext {
  /// The application keys of this context, or an error if it has none.
  package func requireApplication() throws(SealingError) -> ApplicationKeys {
    guard let application else {
      throw SealingError(.wrongContext, "only a context of application keys can do this")
    }
    return application
  }

  /// The same keys for the fields of one place: a value sealed there opens nowhere else.
  ///
  /// Bind the value of a column to the row's id and the column's name. Then nobody who can write to the database can
  /// swap two values unnoticed.
  ///
  /// - Parameter place: at least one string. The list replaces that of an earlier call.
  /// - Throws: ``SealingError`` `.wrongContext` for the context of a vault's record, whose MAC does that already, or
  ///   for another form; `.wrongByteCount` for an empty list.
  public func bound(to place: String...) throws(SealingError) -> SealingContext {
    guard !place.isEmpty else { throw SealingError(.wrongByteCount, "a place must have at least one string") }
    let keys = try ApplicationKeys(requireApplication(), boundTo: place)
    var settings = settings
    if settings.opener != nil { settings.opener = ApplicationFieldOpener(keys) }
    return SealingContext(.open(keys.current), settings, application: keys)
  }

  /// The same keys, with values that keep their tokens until they are used.
  ///
  /// Until then they take no locked memory. A changed or damaged value is refused by `reveal()` and not by decoding. A
  /// token under no key of the context is refused at once.
  ///
  /// - Throws: ``SealingError`` `.wrongContext`.
  public func openingOnDemand() throws(SealingError) -> SealingContext {
    let keys = try requireApplication()
    var settings = settings
    settings.opener = ApplicationFieldOpener(keys)
    return SealingContext(access, settings, application: keys)
  }

  /// Whether a token was sealed under the first of the keys.
  ///
  /// - Throws: ``SealingError`` `.clearText`, `.malformedToken`, `.foreignToken` for a token under none of the keys;
  ///   `.wrongContext`.
  public func isCurrent(_ token: String) throws(SealingError) -> Bool {
    let keys = try requireApplication()
    return try keys.cipher(ofOwn: token) === keys.current
  }

  /// The value of a token sealed again under the first of the keys, with its old sealing time. A token that is already
  /// under it stays the same.
  ///
  /// The new token is opened again and compared.
  ///
  /// - Throws: ``SealingError`` like ``isCurrent(_:)``, and the errors of opening.
  public func resealed(_ token: String) throws(SealingError) -> String {
    let keys = try requireApplication()
    let old = try keys.cipher(ofOwn: token)
    let text = try old.open(token)
    guard old !== keys.current else { return token }
    let time = try SealedToken(parsing: token).sealedAt
    return try text.withBytes { bytes throws(SealingError) in
      let new = try keys.current.seal(bytes, at: time)
      try keys.current.verify(new, holds: bytes)
      return new
    }
  }
}

extension KeyedDecodingContainer {
  /// Decodes a sealed string with a separate context, such as one that is bound to a row and a column.
  ///
  /// - Throws: `DecodingError`, with a ``SealingError`` in it if the value does not open.
  public func decode(
    _ type: EncryptedCodableString.Type, forKey key: Key, in context: SealingContext
  ) throws -> EncryptedCodableString {
    let text = try decode(String.self, forKey: key)
    do throws(SealingError) {
      return try EncryptedCodableString(reading: text, in: context)
    } catch {
      throw error.decodingError(codingPath + [key])
    }
  }

  /// Decodes a sealed string with a separate context; nil if the value is missing or null.
  public func decodeIfPresent(
    _ type: EncryptedCodableString.Type, forKey key: Key, in context: SealingContext
  ) throws -> EncryptedCodableString? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key, in: context)
  }
}
