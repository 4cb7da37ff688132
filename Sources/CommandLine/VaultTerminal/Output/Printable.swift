import VaultDocument

/// Text that cannot change other parts of a terminal.
package enum Printable {
  /// The mask for a sealed value.
  package static let mask = "••••••••"

  /// The text with escapes for control characters, line separators and direction marks.
  package static func text(_ text: String) -> String {
    guard !isPlain(text), text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// As `text`, for a value or document that has lines, tabs and `\\u` escapes of its own.
  package static func document(_ text: String) -> String {
    guard !isPlain(text), text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let isLayout = scalar == "\n" || scalar == "\t" || scalar == "\r" && rest.first == "\n"
      if isHarmful(scalar), !isLayout { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// The text without its middle if it is too long to read, such as a long member name in a file.
  package static func cut(_ text: String, front: Int = 200, back: Int = 100) -> String {
    guard text.unicodeScalars.count > front + back else { return text }
    return String(text.unicodeScalars.prefix(front)) + "…" + String(text.unicodeScalars.suffix(back))
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      // As in JSON: two escapes beyond U+FFFF.
      return UTF16.encode(scalar).map { units in
        units.map { "\\u" + Hex.encode([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }.joined()
      } ?? ""
    }
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // writing direction
    case 0x2028, 0x2029, 0xFFF9...0xFFFB: true  // line separators, annotation
    case 0xE0000...0xE007F: true  // invisible tags
    default: false
    }
  }

  /// Whether the text is printable ASCII, as in most lists. Then each byte is one character.
  package static func isPlain(_ text: String) -> Bool {
    let bytes = RawSpan(_elements: text.utf8Span.span)
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      // Safe: every bit pattern is a number, and the offsets are checked.
      guard isPlain(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)) else { return false }
      offset += 8
    }
    while offset < bytes.byteCount {
      // Safe: as above.
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      guard byte >= 0x20 && byte < 0x7F else { return false }
      offset += 1
    }
    return true
  }

  /// As above, for eight bytes at once: no byte has its high bit set, exceeds 0x7E, or is below 0x20.
  private static func isPlain(_ bytes: UInt64) -> Bool {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    guard bytes & high == 0 else { return false }
    return (bytes + ones | ~(bytes + ones * 0x60)) & high == 0
  }

  static func width(of text: String) -> Int { isPlain(text) ? text.utf8.count : text.count }

  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - self.width(of: text)))
  }
}

/// A text in printable form, and its number of characters.
package struct PrintableText {
  package let text: String
  package let width: Int

  package init(_ text: String) {
    if Printable.isPlain(text) {
      (self.text, width) = (text, text.utf8.count)
    } else {
      self.text = Printable.text(text)
      width = self.text.count
    }
  }
}

/// Colors, for a terminal without `--no-color` and `NO_COLOR`.
package struct Style {
  /// For text outside the output of a command.
  package static let plain = Style(isColored: false)

  package let isColored: Bool

  private init(isColored: Bool) { self.isColored = isColored }

  package init(noColor: Bool, descriptor: Int32) {
    isColored = !noColor && System.environment("NO_COLOR") == nil && System.isTerminal(descriptor)
  }

  package func dim(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
  package func good(_ text: String) -> String { isColored ? "\u{1B}[32m\(text)\u{1B}[0m" : text }
  package func doubtful(_ text: String) -> String { isColored ? "\u{1B}[33m\(text)\u{1B}[0m" : text }
  package func bad(_ text: String) -> String { isColored ? "\u{1B}[31m\(text)\u{1B}[0m" : text }
  package func inverse(_ text: String) -> String { isColored ? "\u{1B}[7m\(text)\u{1B}[0m" : text }
  /// A word in a look, in a column of six letters.
  package static func column(_ word: String, _ look: (String) -> String) -> String {
    look(word) + String(repeating: " ", count: 6 - word.utf8.count)
  }

  package func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
