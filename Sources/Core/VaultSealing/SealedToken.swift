internal import VaultCrypto
public import VaultDocument

/// The text of one sealed field: `es1:<hint>:<sealed-at>:<box>` (format 1, section 5, Tokens).
///
/// `hint` is 8 bytes in unpadded base64url, `sealed-at` a compact UTC time, and `box` the base64 of nonce 12 ‖
/// ciphertext ‖ tag 16. Nothing in a token is secret.
public struct SealedToken: Sendable {
  static let prefix = "es1:"
  static let hintByteCount = 8
  static let sealedAtByteCount = 16
  private static let hintTextCount = 11
  private static let headByteCount = prefix.utf8.count + hintTextCount + 1 + sealedAtByteCount + 1

  /// The whole token.
  public let text: String
  /// When the value was sealed, to the second.
  public let sealedAt: Timestamp
  /// Derived from the key and the record, 8 bytes; it identifies foreign tokens before any key is used.
  public let hint: [UInt8]
  let sealedAtText: String
  let box: [UInt8]

  /// Whether `text` begins like a token of any version: `es`, digits, `:`.
  public static func hasTokenShape(_ text: String) -> Bool {
    var bytes = text.utf8.makeIterator()
    guard bytes.next() == UInt8(ascii: "e"), bytes.next() == UInt8(ascii: "s") else { return false }
    var digits = 0
    while let byte = bytes.next() {
      if byte == UInt8(ascii: ":") { return digits > 0 }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
      digits += 1
    }
    return false
  }

  /// Reads a token strictly: canonical base64, a real UTC time, room for nonce and tag. Nothing is opened.
  ///
  /// - Throws: ``SealingError`` `.clearText`, `.unknownTokenVersion` or `.malformedToken`.
  public init(parsing text: String) throws(SealingError) {
    guard Self.hasTokenShape(text) else { throw SealingError(.clearText, "is not sealed") }
    guard text.utf8.starts(with: Self.prefix.utf8) else {
      throw SealingError(.unknownTokenVersion, "is sealed in a form that this program does not know")
    }
    let malformed = SealingError(.malformedToken, "the sealed value is damaged")
    let bytes = text.utf8Span.span
    guard bytes.count > Self.headByteCount else { throw malformed }
    let hintStart = Self.prefix.utf8.count
    let hintEnd = hintStart + Self.hintTextCount
    let timeEnd = hintEnd + 1 + Self.sealedAtByteCount
    guard bytes[hintEnd] == UInt8(ascii: ":"), bytes[timeEnd] == UInt8(ascii: ":"),
      let time = try? UTF8Span(validating: bytes.extracting(hintEnd + 1..<timeEnd))
    else { throw malformed }
    do throws(DocumentError) {
      hint = try Base64.decodeURL(ascii: bytes.extracting(hintStart..<hintEnd))
      sealedAtText = String(copying: time)
      sealedAt = try Timestamp(parsingCompact: sealedAtText)
    } catch {
      throw malformed
    }
    box = try Self.box(in: bytes.extracting(droppingFirst: timeEnd + 1))
    guard hint.count == Self.hintByteCount else { throw malformed }
    self.text = text
  }

  /// The bytes of a token's last part: canonical base64 of at least a nonce and a tag.
  static func box(in text: Span<UInt8>) throws(SealingError) -> [UInt8] {
    guard let box = try? Base64.decode(ascii: text), box.count >= AESGCM.nonceByteCount + AESGCM.tagByteCount else {
      throw SealingError(.malformedToken, "the sealed value is damaged")
    }
    return box
  }

  /// The text of a token from its head (`es1:<hint>:<sealed-at>:`) and its box.
  package static func text(head: [UInt8], box: [UInt8]) -> String {
    let count = head.count + Base64.encodedCount(of: box.count)
    // All of it is ASCII and every byte is written. It is written in place, because a token is made for each sealed
    // field.
    return unsafe String(unsafeUninitializedCapacity: count) { buffer in
      var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
      for byte in head { output.append(byte) }
      Base64.append(box.span, to: &output)
      return unsafe output.finalize(for: buffer)
    }
  }
}

extension SealedToken: Equatable {
  /// Tokens are equal if their bytes are.
  public static func == (left: SealedToken, right: SealedToken) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }
}
