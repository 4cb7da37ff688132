/// A number as its author wrote it; `1.50` stays `1.50`.
public struct JSONNumber: Sendable, Equatable {
  /// Most bytes of a literal.
  public static let maximumByteCount = 64

  /// The number in the grammar of RFC 8259, unchanged.
  public let literal: String

  /// Takes a literal of the RFC 8259 grammar with at most 64 bytes; nil for any other text.
  public init?(literal: String) {
    let bytes = literal.utf8Span.span
    guard bytes.count <= Self.maximumByteCount, JSONNumberGrammar.end(in: bytes, from: 0) == bytes.count else {
      return nil
    }
    self.literal = literal
  }

  /// A plain decimal.
  public init(_ number: Int) { literal = String(number) }

  /// Takes a literal that the parser has already checked.
  init(checked literal: String) { self.literal = literal }

  /// The integer if the literal is a plain decimal below 10^18 without sign, fraction, exponent or leading zero.
  public var int: Int? {
    let bytes = literal.utf8Span.span
    guard (1...18).contains(bytes.count), bytes[0] != UInt8(ascii: "0") || bytes.count == 1 else { return nil }
    var result = 0
    for index in bytes.indices {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      result = result * 10 + Int(digit)
    }
    return result
  }

  /// Whether two literals have the same bytes; `1.0` and `1` differ.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool { sameBytes(left.literal, right.literal) }
}

extension JSONNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A placeholder: a number can be an opened field.
  public var description: String { "JSON number" }

  /// The same placeholder as `description`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The number grammar of RFC 8259, section 6.
enum JSONNumberGrammar {
  /// The offset after the number that begins at `start`; nil if there is no valid number.
  static func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var position = start
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
    } else {
      guard let end = digits(in: bytes, from: position) else { return nil }
      position = end
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      guard let end = digits(in: bytes, from: position + 1) else { return nil }
      position = end
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      return digits(in: bytes, from: position)
    }
    return position
  }

  private static func digits(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var position = start
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position > start ? position : nil
  }
}
