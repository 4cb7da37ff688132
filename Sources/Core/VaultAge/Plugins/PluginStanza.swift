import VaultCrypto
internal import VaultDocument

/// A message between this program and a plugin, in the text form of a stanza. All of it is in secure memory, since a
/// body may be a key.
///
/// Source: c2sp.org/age-plugin, "IPC protocol".
struct PluginStanza {
  let type: String
  let arguments: [String]
  private let text: SecretBytes
  /// The start of the body in `text`.
  private let bodyOffset: Int

  /// The largest message of a plugin.
  static let maximumByteCount = 64 << 10

  /// Reads a whole message.
  init(_ text: SecretBytes) throws(AgeError) {
    var cursor = HeaderCursor(offset: 0, line: 0)
    let words = try text.withBytes { (bytes) throws(AgeError) in
      try cursor.arguments(bytes.extracting(cursor.nextLine(in: bytes)))
    }
    (type, arguments, self.text, bodyOffset) = (words[0], Array(words.dropFirst()), text, cursor.offset)
  }

  /// The end of the message at the start of `bytes`; nil if it is not complete.
  static func end(in bytes: RawSpan) -> Int? {
    guard var start = bytes.firstOffset(of: .lineFeed).map({ $0 + 1 }) else { return nil }
    while let end = bytes.firstOffset(of: .lineFeed, from: start) {
      if end - start < AgeStanza.columnCount { return end + 1 }
      start = end + 1
    }
    return nil
  }

  /// The body, which is not secret.
  func body() throws(AgeError) -> [UInt8] {
    var cursor = HeaderCursor(offset: bodyOffset, line: 1)
    return try text.withBytes { (bytes) throws(AgeError) in try cursor.body(in: bytes) }
  }

  /// The body as text; a byte that is not UTF-8 becomes a replacement character.
  func message() throws(AgeError) -> String { String(decoding: try body(), as: UTF8.self) }

  /// The body of one line, which stays in secure memory; nil if it does not have this size.
  func secretBody(count: Int) throws(AgeError) -> SecretBytes? {
    let digits = text.count - 1 - bodyOffset
    guard digits < AgeStanza.columnCount, digits == Self.digitCount(of: count) else { return nil }
    var isCanonical = false
    let body = try AgeError.mappingCrypto { () throws(CryptoError) in
      try text.withBytes { (bytes) throws(CryptoError) in
        try SecretBytes(byteCount: count) { output in
          let line = Span<UInt8>(_bytes: bytes.extracting(bodyOffset..<bodyOffset + digits))
          isCanonical = Base64.append(decoding: line, .unpadded, to: &output)
        }
      }
    }
    return isCanonical ? body : nil
  }

  /// The text of a message with a secret word or body.
  ///
  /// - Parameter word: an argument after `words`, visible ASCII.
  static func text(_ words: [String], word: SecretBytes? = nil, body: SecretBytes? = nil) throws(AgeError)
    -> SecretBytes
  {
    let head = Array("-> \(words.joined(separator: " "))".utf8)
    let digits = digitCount(of: body?.count ?? 0)
    let count = head.count + (word.map { $0.count + 1 } ?? 0) + 1 + digits + digits / AgeStanza.columnCount + 1
    return try AgeError.mappingCrypto { () throws(CryptoError) in
      try lend(word) { word throws(CryptoError) in
        try lend(body) { body throws(CryptoError) in
          try SecretBytes(byteCount: count) { output in
            for octet in head { output.append(octet) }
            if !word.isEmpty { output.append(.space) }
            for offset in word.byteOffsets { output.append(word[octet: offset]) }
            output.append(.lineFeed)
            append(body, to: &output)
            output.append(.lineFeed)
          }
        }
      }
    }
  }

  /// The number of base64 digits of so many bytes, without padding.
  private static func digitCount(of byteCount: Int) -> Int { (byteCount * 8 + 5) / 6 }

  private static func lend(
    _ secret: SecretBytes?, _ body: (RawSpan) throws(CryptoError) -> SecretBytes
  ) throws(CryptoError) -> SecretBytes {
    guard let secret else { return try body(RawSpan()) }
    return try secret.withBytes(body)
  }

  /// Appends all lines of a body except the last line feed.
  private static func append(_ body: RawSpan, to output: inout OutputSpan<UInt8>) {
    let lineByteCount = AgeStanza.columnCount / 4 * 3
    var start = 0
    while body.byteCount - start >= lineByteCount {
      Base64.append(Span(_bytes: body.extracting(start..<start + lineByteCount)), .unpadded, to: &output)
      output.append(.lineFeed)
      start += lineByteCount
    }
    Base64.append(Span(_bytes: body.extracting(droppingFirst: start)), .unpadded, to: &output)
  }
}
