/// Lower-case hex (RFC 4648, section 8, in lower case).
public enum Hex {
  /// Two digits per byte.
  public static func encode(_ bytes: RawSpan) -> String { encode(Span<UInt8>(_bytes: bytes)) }

  /// Two digits per byte.
  public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  private static func encode(_ bytes: Span<UInt8>) -> String {
    let text = [UInt8](capacity: bytes.count * 2) { output in
      for index in bytes.indices {
        output.append(digit(bytes[index] >> 4))
        output.append(digit(bytes[index] & 15))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of lower-case hex.
  /// - Throws: `.invalidHex` for an odd count or any other character.
  public static func decode(_ text: String) throws(DocumentError) -> [UInt8] {
    let digits = text.utf8Span.span
    guard digits.count.isMultiple(of: 2) else { throw DocumentError(code: .invalidHex) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = lowerCaseValue(digits[index]), let low = lowerCaseValue(digits[index + 1]) else {
        throw DocumentError(code: .invalidHex)
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The eight hex digits of a number as bytes; the first digit is the highest byte.
  package static func digits(of number: UInt32) -> UInt64 {
    // Spread the nibbles over the bytes, all at once.
    var nibbles = UInt64(number)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // One in each byte that is a letter: "a" comes 39 places after the place that follows "9".
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles + 0x3030_3030_3030_3030 + letters * 39
  }

  @inline(__always)
  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }

  package static func value(ofDigit byte: UInt8) -> UInt8? {
    (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? byte - UInt8(ascii: "A") + 10 : lowerCaseValue(byte)
  }

  static func lowerCaseValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
