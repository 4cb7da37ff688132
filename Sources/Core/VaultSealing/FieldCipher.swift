internal import Synchronization
package import VaultCrypto
package import VaultDocument

/// The data that tokens under one key are bound to; none of it is secret.
///
/// The associated data of a token is ENC(label; 01, hint, sealed-at, …bound items). Only the 16 ASCII bytes of
/// sealed-at differ between the tokens of a record, so the rest is laid out once.
package final class TokenScope: Sendable {
  package let hint: [UInt8]
  private let template: [UInt8]
  private let sealedAtOffset: Int
  private let head: [UInt8]
  private let latest = Mutex<TokenTime?>(nil)
  private static let version: [UInt8] = [1]

  /// - Parameter appendItems: appends `itemCount` items that tokens are bound to.
  init(
    label: String, hint: [UInt8], itemCount: Int, _ appendItems: (inout CanonicalEncoding.Builder) -> Void
  ) {
    self.hint = hint
    let blank = [UInt8](repeating: 0, count: SealedToken.sealedAtByteCount)
    var template = CanonicalEncoding.Builder(label, itemCount: 3 + itemCount)
    template.append(Self.version)
    template.append(hint)
    template.append(blank)
    appendItems(&template)
    self.template = template.finish()
    // LP(label), the item count, LP(version), LP(hint), and the length of sealed-at come before it.
    sealedAtOffset = 4 + label.utf8.count + 4 + 4 + Self.version.count + 4 + hint.count + 4
    head = Array(SealedToken.prefix.utf8) + Array(Base64.encodeURL(hint).utf8) + [UInt8(ascii: ":")]
  }

  package convenience init(label: String, hint: [UInt8], items: [[UInt8]]) {
    self.init(label: label, hint: hint, itemCount: items.count) { bound in
      for item in items { bound.append(item) }
    }
  }

  /// The associated data of a token sealed at `sealedAtText` (16 ASCII bytes).
  package func associatedData(sealedAtText: some Sequence<UInt8>) -> [UInt8] {
    var data = template
    var offset = sealedAtOffset
    for byte in sealedAtText {
      data[offset] = byte
      offset += 1
    }
    return data
  }

  /// The common parts of all tokens of one second. Most tokens follow another of the same second, so the last result is
  /// kept.
  package func time(_ time: Timestamp) -> TokenTime {
    latest.withLock { latest in
      if let latest, latest.second == time.secondsSinceEpoch { return latest }
      let text = time.compactText
      var head: [UInt8] = []
      head.reserveCapacity(self.head.count + SealedToken.sealedAtByteCount + 1)
      head += self.head
      head += text.utf8
      head.append(UInt8(ascii: ":"))
      let new = TokenTime(
        second: time.secondsSinceEpoch, head: head, associatedData: associatedData(sealedAtText: text.utf8))
      latest = new
      return new
    }
  }

  /// The head of a token that was sealed just now: the last result, if the token has this head.
  func latestTime(of token: Span<UInt8>) -> TokenTime? {
    latest.withLock { latest in
      guard let time = latest, token.count > time.head.count else { return nil }
      for index in time.head.indices where time.head[index] != token[index] { return nil }
      return time
    }
  }

  /// Whether tokens of both are under the same key (to the 64 bits of the hint) and bound to the same place.
  func matches(_ other: TokenScope) -> Bool { self === other || template == other.template }
}

/// The parts of a token that depend only on its second.
package struct TokenTime: Sendable {
  let second: Int64
  /// `es1:<hint>:<sealed-at>:`
  package let head: [UInt8]
  let associatedData: [UInt8]
}

/// Seals and opens single fields under one field key.
package final class FieldCipher: Sendable {
  package enum Form: Sendable {
    /// `es1:` tokens.
    case token(TokenScope)
    /// Base64 of CryptoKit's `AES.GCM.SealedBox.combined`, with this associated data.
    case cryptoKit(associatedData: [UInt8])
  }

  let form: Form
  private let key: AESGCMKey
  private let isReadOnly: Bool
  /// The fields that were sealed and opened again here; nil if they are not remembered.
  private let verified: Mutex<TokenSet>?

  /// - Parameters:
  ///   - keys: begins with the 32 bytes of the field key.
  ///   - remembersSeals: whether to remember which fields were sealed and opened again, for the few fields of one
  ///     record.
  package init(form: Form, keys: SecretBytes, remembersSeals: Bool = false) throws(SealingError) {
    self.form = form
    isReadOnly = false
    verified = remembersSeals ? Mutex(TokenSet()) : nil
    do throws(CryptoError) {
      key = try AESGCMKey(beginningOf: keys)
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// Reads values that CryptoKit sealed. A key of less than 32 bytes cannot seal.
  ///
  /// - Parameter key: 16, 24 or 32 bytes.
  init(cryptoKitKey key: SecretBytes, associatedData: [UInt8]) throws(SealingError) {
    form = .cryptoKit(associatedData: associatedData)
    isReadOnly = key.count < AESGCM.keyByteCount
    verified = nil
    do throws(CryptoError) {
      self.key = try AESGCMKey(ofAnySize: key)
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// The same key, with tokens bound to another scope.
  init(_ other: FieldCipher, bindingTo scope: TokenScope) {
    form = .token(scope)
    key = other.key
    isReadOnly = other.isReadOnly
    verified = nil
  }

  /// Seals `text`, which must be UTF-8; the result is the whole text of the field. Only `verify` opens it again.
  package func seal(_ text: RawSpan, at time: Timestamp) throws(SealingError) -> String {
    guard !isReadOnly else {
      throw SealingError(.wrongByteCount, "a key of less than 32 bytes can open values, but cannot seal them")
    }
    do throws(CryptoError) {
      switch form {
      case .token(let scope):
        let time = scope.time(time)
        let box = try Padding.withBytes(after: text.byteCount) { padding throws(CryptoError) in
          try key.seal(text, padding: padding, associatedData: RawSpan(_elements: time.associatedData.span))
        }
        return SealedToken.text(head: time.head, box: box)
      case .cryptoKit(let data):
        return Base64.encode(
          try key.seal(text, padding: RawSpan(), associatedData: RawSpan(_elements: data.span)))
      }
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// Opens a field that was just sealed, compares it with its text, and remembers the field if this cipher does that.
  func verify(_ field: String, holds text: RawSpan) throws(SealingError) {
    guard try open(field).withBytes({ VaultCrypto.constantTimeEqual($0, text) }) else {
      throw SealingError(.cryptoFailed, "a value that was just sealed does not open to the same text")
    }
    verified?.withLock { _ = $0.insert(field) }
  }

  /// Whether a field was sealed here and then opened to the right text.
  func hasVerified(_ field: String) -> Bool { verified?.withLock { $0.contains(field) } ?? false }

  /// Opens the text of a field.
  ///
  /// - Throws: ``SealingError`` `.clearText`, `.malformedToken`, `.foreignToken`, `.authenticationFailed`,
  ///   `.malformedPlaintext` or `.memoryUnavailable`.
  package func open(_ text: String) throws(SealingError) -> SecretText {
    switch form {
    case .token(let scope):
      // A token that begins like the last one of these keys is not parsed again up to its box.
      if let time = scope.latestTime(of: text.utf8Span.span) { return try open(text, time) }
      return try open(SealedToken(parsing: text))
    case .cryptoKit(let data): return try openCryptoKit(text, associatedData: data)
    }
  }

  private func open(_ text: String, _ time: TokenTime) throws(SealingError) -> SecretText {
    let box = try SealedToken.box(in: text.utf8Span.span.extracting(droppingFirst: time.head.count))
    return try openPadded(box, time.associatedData)
  }

  package func open(_ token: SealedToken) throws(SealingError) -> SecretText {
    guard case .token(let scope) = form, token.hint == scope.hint else {
      throw SealingError(.foreignToken, "was sealed for another record or with another key")
    }
    return try openPadded(token.box, scope.associatedData(sealedAtText: token.sealedAtText.utf8))
  }

  private func openPadded(_ box: [UInt8], _ associatedData: [UInt8]) throws(SealingError) -> SecretText {
    let padded = try openBox(box, associatedData: associatedData)
    guard let count = padded.withBytes({ Padding.unpaddedCount($0) }) else {
      throw SealingError(.malformedPlaintext, "was sealed with wrong padding")
    }
    return try utf8(padded, count: count)
  }

  private func openCryptoKit(_ text: String, associatedData: [UInt8]) throws(SealingError) -> SecretText {
    guard let box = try? Base64.decode(text) else {
      throw SealingError(.malformedToken, "the sealed value is not base64")
    }
    let plaintext = try openBox(box, associatedData: associatedData)
    return try utf8(plaintext, count: plaintext.count)
  }

  /// Refuses opened bytes whose first `count` are not UTF-8.
  private func utf8(_ bytes: SecretBytes, count: Int) throws(SealingError) -> SecretText {
    let text = SecretText(bytes, count: count)
    let isValid = text.withBytes { bytes in
      (try? UTF8Span(validating: Span<UInt8>(_bytes: bytes))) != nil
    }
    guard isValid else { throw SealingError(.malformedPlaintext, "the opened value is not UTF-8") }
    return text
  }

  private func openBox(_ box: [UInt8], associatedData: [UInt8]) throws(SealingError) -> SecretBytes {
    do throws(CryptoError) {
      return try key.open(RawSpan(_elements: box.span), associatedData: RawSpan(_elements: associatedData.span))
    } catch {
      throw SealingError(crypto: error)
    }
  }
}
