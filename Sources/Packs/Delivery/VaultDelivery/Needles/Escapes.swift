internal import VaultDocument

/// The escapes of text encoders: those of addresses and forms, of JSON and programming languages, of XML and HTML, and
/// the doubled quotes of SQL, CSV and YAML.
enum Escapes {
  /// Escapes that one encoder uses together.
  struct Families: OptionSet, Hashable {
    let rawValue: UInt8

    /// `%41` (RFC 3986, section 2.1).
    static let percent = Families(rawValue: 1)
    /// `+` for a space, in forms.
    static let plus = Families(rawValue: 2)
    /// `\n`, `\"`, `\101`, `\x41`, `\u0041`, `\u{41}`, `\U00000041`.
    static let backslash = Families(rawValue: 4)
    /// `&lt;`, `&#65;`, `&#x41;`.
    static let entity = Families(rawValue: 8)
    /// `''`, `""`, and the two ways to write a quote inside shell quotes.
    static let quotes = Families(rawValue: 16)

    static let all = Families(rawValue: 31)
    static let each = [percent, plus, backslash, entity, quotes]
  }

  /// The maximum length of an escape: a character of four bytes as `\xF0\x9F\x98\x80`.
  static let longest = 16

  static func mayBegin(in bytes: RawSpan, at index: Int) -> Bool {
    switch byte(bytes, index) {
    case UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "\\"), UInt8(ascii: "&"): true
    case UInt8(ascii: "'"): "'\"\\\0".utf8.contains(byte(bytes, index + 1))
    case UInt8(ascii: "\""): "\"\0".utf8.contains(byte(bytes, index + 1))
    default: false
    }
  }

  static func begins(_ byte: UInt8) -> Bool { "%+\\&'\"".utf8.contains(byte) }

  /// Decodes one escape or one byte, and appends the result. Returns how many bytes were read; 0 if more bytes are
  /// needed.
  ///
  /// - Parameter isWhole: whether `bytes` is the end of the input.
  static func take(
    _ bytes: RawSpan, at index: Int, isWhole: Bool, _ families: Families = .all, into output: inout [UInt8]
  ) -> Int {
    switch found(bytes, index: index, families: families) {
    case .nothing(let count): return count
    case .undecidedByte where !isWhole: return 0
    case .byte(let count, let value), .undecidedByte(let count, let value):
      output.append(value)
      return count
    case .sequence(let count):
      for place in stride(from: index, to: index + count, by: 4) {
        output.append(UInt8(truncatingIfNeeded: digits(bytes, start: place + 2, most: 2).value))
      }
      return count
    case .scalar(let count, let value):
      guard let scalar = Unicode.Scalar(value) else { return count }
      output += String(Character(scalar)).utf8
      return count
    case .incomplete where !isWhole: return 0
    case .plain, .incomplete:
      output.append(byte(bytes, index))
      return 1
    }
  }

  /// A whole value, with the escapes of some families decoded.
  static func removed(_ families: Families, from value: [UInt8]) -> [UInt8] {
    var (output, index) = ([UInt8](), 0)
    output.reserveCapacity(value.count)
    // Unsafe because padding could be read; bytes have no padding.
    let span = unsafe value.span.bytes
    while index < value.count { index += take(span, at: index, isWhole: true, families, into: &output) }
    return output
  }
}

/// The decoded content at an index, with its length.
private enum Found {
  case plain
  /// The bytes end too early to decide.
  case incomplete
  case nothing(Int)
  case byte(Int, UInt8)
  /// A byte, unless the following bytes continue as another escape.
  case undecidedByte(Int, UInt8)
  case scalar(Int, UInt32)
  /// The bytes of one character, each as `\xHH`.
  case sequence(Int)
}

extension Escapes {
  private static let controls: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10, UInt8(ascii: "v"): 11,
    UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13, UInt8(ascii: "e"): 27, UInt8(ascii: "E"): 27,
  ]
  private static let names: [(name: StaticString, value: UInt32)] = [
    ("&lt;", 0x3C), ("&gt;", 0x3E), ("&amp;", 0x26), ("&quot;", 0x22), ("&apos;", 0x27), ("&nbsp;", 0xA0),
  ]

  private static func found(_ bytes: RawSpan, index: Int, families: Families) -> Found {
    switch byte(bytes, index) {
    case UInt8(ascii: "%") where families.contains(.percent):
      let (count, value) = digits(bytes, start: index + 1, most: 2)
      return count == 2
        ? .byte(3, UInt8(value)) : index + 1 + count >= bytes.byteCount ? .incomplete : .plain
    case UInt8(ascii: "+") where families.contains(.plus): return .byte(1, UInt8(ascii: " "))
    case UInt8(ascii: "\\") where families.contains(.backslash):
      return backslash(bytes, index: index, families: families)
    case UInt8(ascii: "&") where families.contains(.entity): return entity(bytes, index)
    case UInt8(ascii: "'") where families.contains(.quotes):
      return quote(bytes, index: index, forms: ["'\\''", "'\"'\"'", "''"])
    case UInt8(ascii: "\"") where families.contains(.quotes): return quote(bytes, index: index, forms: ["\"\""])
    default: return .plain
    }
  }

  private static func backslash(_ bytes: RawSpan, index: Int, families: Families) -> Found {
    guard index + 1 < bytes.byteCount else { return .incomplete }
    let sign = byte(bytes, index + 1)
    switch sign {
    case UInt8(ascii: "x"):
      return number(bytes, index: index, digits: digits(bytes, start: index + 2, most: 2), of: 2) {
        $0 < 0x80 ? .byte(4, UInt8($0)) : high(bytes, index: index, first: $0)
      }
    case UInt8(ascii: "u") where byte(bytes, index + 2) == UInt8(ascii: "{"):
      let (count, value) = digits(bytes, start: index + 3, most: 6)
      if index + 3 + count >= bytes.byteCount { return .incomplete }
      return byte(bytes, index + 3 + count) == UInt8(ascii: "}") ? .scalar(4 + count, value) : .byte(2, sign)
    case UInt8(ascii: "u"):
      return number(bytes, index: index, digits: digits(bytes, start: index + 2, most: 4), of: 4) {
        pair(bytes, index: index, unit: $0)
      }
    case UInt8(ascii: "U"):
      return number(bytes, index: index, digits: digits(bytes, start: index + 2, most: 8), of: 8) { .scalar(10, $0) }
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      let (count, value) = digits(bytes, start: index + 1, most: 3, radix: 8)
      if count < 3, index + 1 + count >= bytes.byteCount { return .incomplete }
      return .byte(1 + count, UInt8(truncatingIfNeeded: value))
    case UInt8(ascii: "\n"): return .nothing(2)
    case UInt8(ascii: "&") where families.contains(.entity):
      return backslash(before: entity(bytes, index + 1), sign)
    case UInt8(ascii: "'") where families.contains(.quotes):
      return backslash(
        before: index + 2 < bytes.byteCount ? quote(bytes, index: index + 1, forms: ["'\\''"]) : .incomplete, sign)
    default: return .byte(2, controls[sign] ?? sign)
    }
  }

  /// A backslash before a sign that may begin an escape. Before a whole escape the backslash is literal, because an
  /// encoder of that kind left it unchanged.
  private static func backslash(before next: Found, _ sign: UInt8) -> Found {
    switch next {
    case .plain: .byte(2, sign)
    case .incomplete: .undecidedByte(2, sign)
    default: .plain
    }
  }

  /// An escape with digits after its letter. With too few digits the letter is literal.
  private static func number(
    _ bytes: RawSpan, index: Int, digits: (count: Int, value: UInt32), of count: Int, meaning: (UInt32) -> Found
  ) -> Found {
    if digits.count == count { return meaning(digits.value) }
    return index + 2 + digits.count >= bytes.byteCount ? .incomplete : .byte(2, byte(bytes, index + 1))
  }

  /// A UTF-8 byte with its continuation bytes, or a Latin-1 character.
  private static func high(_ bytes: RawSpan, index: Int, first: UInt32) -> Found {
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0
    for place in stride(from: index + 4, to: index + 4 + count * 4, by: 4) {
      for (offset, sign) in "\\x".utf8.enumerated() where byte(bytes, place + offset) != sign {
        return place + offset >= bytes.byteCount ? .incomplete : .scalar(4, first)
      }
      let next = digits(bytes, start: place + 2, most: 2)
      if next.count < 2, place + 2 + next.count >= bytes.byteCount { return .incomplete }
      guard next.count == 2, next.value & 0xC0 == 0x80 else { return .scalar(4, first) }
    }
    return count == 0 ? .scalar(4, first) : .sequence(4 + count * 4)
  }

  /// A UTF-16 unit, with the second unit of a surrogate pair.
  private static func pair(_ bytes: RawSpan, index: Int, unit: UInt32) -> Found {
    guard unit & 0xFC00 == 0xD800 else { return .scalar(6, unit) }
    for (offset, sign) in "\\u".utf8.enumerated() where byte(bytes, index + 6 + offset) != sign {
      return index + 6 + offset >= bytes.byteCount ? .incomplete : .nothing(6)
    }
    let second = digits(bytes, start: index + 8, most: 4)
    if second.count < 4, index + 8 + second.count >= bytes.byteCount { return .incomplete }
    guard second.count == 4, second.value & 0xFC00 == 0xDC00 else { return .nothing(6) }
    return .scalar(12, 0x10000 + (unit & 0x3FF) << 10 + second.value & 0x3FF)
  }

  private static func entity(_ bytes: RawSpan, _ index: Int) -> Found {
    guard byte(bytes, index + 1) == UInt8(ascii: "#") else {
      for (name, value) in names {
        let count = equalCount(bytes, index: index, text: name)
        if count == name.utf8CodeUnitCount { return .scalar(count, value) }
        if index + count >= bytes.byteCount { return .incomplete }
      }
      return .plain
    }
    let isHex = byte(bytes, index + 2) | 0x20 == UInt8(ascii: "x")
    let start = index + (isHex ? 3 : 2)
    let (count, value) = digits(bytes, start: start, most: 7, radix: isHex ? 16 : 10)
    if start + count >= bytes.byteCount { return .incomplete }
    guard count > 0, byte(bytes, start + count) == UInt8(ascii: ";") else { return .plain }
    return .scalar(start + count + 1 - index, value)
  }

  /// A quote within quotes. A single quote at the end of the bytes is literal, because that is most likely.
  private static func quote(_ bytes: RawSpan, index: Int, forms: [StaticString]) -> Found {
    for form in forms {
      let count = equalCount(bytes, index: index, text: form)
      if count == form.utf8CodeUnitCount { return .byte(count, byte(bytes, index)) }
      if count > 1, index + count >= bytes.byteCount { return .incomplete }
    }
    return .plain
  }

  /// How many bytes of a text match at an index.
  private static func equalCount(_ bytes: RawSpan, index: Int, text: StaticString) -> Int {
    var count = 0
    text.withUTF8Buffer { text in
      while count < text.count, index + count < bytes.byteCount, unsafe text[count] == byte(bytes, index + count) {
        count += 1
      }
    }
    return count
  }

  private static func digits(_ bytes: RawSpan, start: Int, most: Int, radix: UInt32 = 16) -> (
    count: Int, value: UInt32
  ) {
    var (count, value): (Int, UInt32) = (0, 0)
    while count < most, let digit = Hex.value(ofDigit: byte(bytes, start + count)), digit < radix {
      (count, value) = (count + 1, value &* radix &+ UInt32(digit))
    }
    return (count, value)
  }

  /// A byte, or 0 after the last one.
  static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
    // Unsafe because any byte is read as a number.
    index < bytes.byteCount ? unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) : 0
  }
}
