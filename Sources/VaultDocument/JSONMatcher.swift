extension JSONParser {
  /// Whether reading `bytes` gives exactly this tree, its members in the order of their names: what `prettyBytes` and
  /// `compactBytes` promise of what they write. No tree is made for it.
  public static func reads(_ bytes: [UInt8], as value: JSONValue) -> Bool {
    var matcher = JSONMatcher()
    return matcher.matches(value, in: bytes.span)
  }
}

/// Reads a document along a tree, as strictly as ``JSONScanner``.
private struct JSONMatcher {
  private var scanner = JSONScanner(limits: .record)

  mutating func matches(_ document: JSONValue, in bytes: Span<UInt8>) -> Bool {
    guard value(document, in: bytes) else { return false }
    scanner.skipWhiteSpace(in: bytes)
    return scanner.position == bytes.count
  }

  private mutating func value(_ value: JSONValue, in bytes: Span<UInt8>) -> Bool {
    scanner.skipWhiteSpace(in: bytes)
    switch value {
    case .null: return word("null", in: bytes)
    case .bool(let flag): return word(flag ? "true" : "false", in: bytes)
    // Where a number goes on, what follows is neither a comma nor the end.
    case .number(let number): return text(number.literal, in: bytes)
    case .string(let text): return string(text, in: bytes)
    case .array(let items): return self.items(items, in: bytes)
    case .object(let object): return members(object, in: bytes)
    }
  }

  private mutating func items(_ items: [JSONValue], in bytes: Span<UInt8>) -> Bool {
    guard scanner.take(UInt8(ascii: "["), in: bytes) else { return false }
    for index in items.indices {
      guard index == 0 || next(UInt8(ascii: ","), in: bytes), value(items[index], in: bytes) else { return false }
    }
    return next(UInt8(ascii: "]"), in: bytes)
  }

  private mutating func members(_ object: JSONObject, in bytes: Span<UInt8>) -> Bool {
    guard scanner.take(UInt8(ascii: "{"), in: bytes) else { return false }
    for index in object.members.indices {
      guard index == 0 || next(UInt8(ascii: ","), in: bytes) else { return false }
      scanner.skipWhiteSpace(in: bytes)
      guard string(object.members[index].name, in: bytes), next(UInt8(ascii: ":"), in: bytes) else { return false }
      guard value(object.members[index].value, in: bytes) else { return false }
    }
    return next(UInt8(ascii: "}"), in: bytes)
  }

  private mutating func next(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
    scanner.skipWhiteSpace(in: bytes)
    return scanner.take(byte, in: bytes)
  }

  private mutating func word(_ word: String, in bytes: Span<UInt8>) -> Bool { text(word, in: bytes) }

  private mutating func text(_ text: String, in bytes: Span<UInt8>) -> Bool {
    let expected = text.utf8Span.span
    guard bytes.count - scanner.position >= expected.count else { return false }
    for index in expected.indices where bytes[scanner.position + index] != expected[index] { return false }
    scanner.position += expected.count
    return true
  }

  /// A string without escapes is compared where it stands.
  private mutating func string(_ text: String, in bytes: Span<UInt8>) -> Bool {
    let expected = text.utf8Span.span
    let start = scanner.position + 1
    guard scanner.position < bytes.count, bytes[scanner.position] == UInt8(ascii: "\"") else { return false }
    let end = start + expected.count
    if end < bytes.count, bytes[end] == UInt8(ascii: "\""), PlainBytes.stand(expected, in: bytes, at: start) {
      scanner.position = end + 1
      return true
    }
    guard let read = try? scanner.string(in: bytes) else { return false }
    return sameBytes(read, text)
  }
}
