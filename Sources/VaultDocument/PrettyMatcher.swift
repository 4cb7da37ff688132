extension JSONValue {
  /// Whether `bytes` are exactly what ``prettyBytes(finalNewline:limits:)`` makes of this tree; nothing is made for it.
  public func isPretty(_ bytes: [UInt8]) -> Bool {
    var matcher = PrettyMatcher()
    return matcher.matches(self, in: bytes.span)
  }
}

/// Goes along the printed form of a tree.
private struct PrettyMatcher {
  private var position = 0

  mutating func matches(_ document: JSONValue, in bytes: Span<UInt8>) -> Bool {
    value(document, depth: 1, in: bytes) && take(UInt8(ascii: "\n"), in: bytes) && position == bytes.count
  }

  private mutating func value(_ value: JSONValue, depth: Int, in bytes: Span<UInt8>) -> Bool {
    switch value {
    case .null: text("null", in: bytes)
    case .bool(let flag): text(flag ? "true" : "false", in: bytes)
    case .number(let number): text(number.literal, in: bytes)
    case .string(let text): string(text, in: bytes)
    case .array(let items): self.items(items, depth: depth, in: bytes)
    case .object(let object): members(object, depth: depth, in: bytes)
    }
  }

  private mutating func items(_ items: [JSONValue], depth: Int, in bytes: Span<UInt8>) -> Bool {
    guard take(UInt8(ascii: "["), in: bytes), newline(indent: items.isEmpty ? 0 : depth, in: bytes) else {
      return false
    }
    for index in items.indices {
      guard index == 0 || separator(depth, in: bytes), value(items[index], depth: depth + 1, in: bytes) else {
        return false
      }
    }
    return newline(indent: depth - 1, in: bytes) && take(UInt8(ascii: "]"), in: bytes)
  }

  private mutating func members(_ object: JSONObject, depth: Int, in bytes: Span<UInt8>) -> Bool {
    guard take(UInt8(ascii: "{"), in: bytes), newline(indent: object.isEmpty ? 0 : depth, in: bytes) else {
      return false
    }
    for index in object.members.indices {
      guard index == 0 || separator(depth, in: bytes), string(object.members[index].name, in: bytes),
        take(UInt8(ascii: " "), in: bytes), take(UInt8(ascii: ":"), in: bytes), take(UInt8(ascii: " "), in: bytes),
        value(object.members[index].value, depth: depth + 1, in: bytes)
      else { return false }
    }
    return newline(indent: depth - 1, in: bytes) && take(UInt8(ascii: "}"), in: bytes)
  }

  private mutating func separator(_ depth: Int, in bytes: Span<UInt8>) -> Bool {
    take(UInt8(ascii: ","), in: bytes) && newline(indent: depth, in: bytes)
  }

  private mutating func newline(indent: Int, in bytes: Span<UInt8>) -> Bool {
    guard take(UInt8(ascii: "\n"), in: bytes) else { return false }
    for _ in 0..<2 * indent where !take(UInt8(ascii: " "), in: bytes) { return false }
    return true
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func text(_ text: String, in bytes: Span<UInt8>) -> Bool {
    let expected = text.utf8Span.span
    guard PlainBytes.stand(expected, in: bytes, at: position) else { return false }
    position += expected.count
    return true
  }

  private mutating func string(_ text: String, in bytes: Span<UInt8>) -> Bool {
    let start = position
    if take(UInt8(ascii: "\""), in: bytes), self.text(text, in: bytes), take(UInt8(ascii: "\""), in: bytes) {
      return true
    }
    // Where something has to be escaped, or is not what it should be.
    position = start
    return escaped(text, in: bytes)
  }

  private mutating func escaped(_ text: String, in bytes: Span<UInt8>) -> Bool {
    var expected: [UInt8] = []
    _ = expected.appendQuoted(text)
    return expected.allSatisfy { take($0, in: bytes) }
  }
}
