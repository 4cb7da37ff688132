/// Reads variables like shells and the usual libraries, but does not replace names in values.
///
/// A value that begins with a quote is a word of a shell (POSIX, section 2.2): quotes, escapes and plain characters
/// side by side, possibly over several lines. Any other value is the text up to a blank and `#`. The reader works on
/// bytes, as shells do: a quote before a combining mark is a quote.
package struct DotenvReader {
  package struct Entry {
    package let line: Int
    /// Empty if the line names no variable.
    package let name: String
    /// Nil if the line is malformed or its quote is never closed.
    package let value: String?
  }

  private let text: [UInt8]
  private var index = 0
  private var line = 1
  /// How many bytes were read for malformed values.
  private var vainCount = 0

  package init(_ text: [UInt8]) { self.text = text }

  /// The next line that is neither empty nor a comment; nil at the end.
  package mutating func next() -> Entry? {
    while let byte = peek {
      if Self.isBlank(byte) || Self.isLineEnd(byte) {
        advance()
      } else if byte == UInt8(ascii: "#") {
        skipLine()
      } else {
        return entry()
      }
    }
    return nil
  }

  private mutating func entry() -> Entry {
    let (start, number) = (index, line)
    guard let name = name() else {
      skipLine()
      return Entry(line: number, name: "", value: nil)
    }
    if let value = value(), let text = String(validating: value, as: UTF8.self) {
      skipLine()
      return Entry(line: number, name: name, value: text)
    }
    // The lines after an unclosed quote are read as separate lines.
    vainCount += index - start
    (index, line) = (start, number)
    skipLine()
    return Entry(line: number, name: name, value: nil)
  }

  /// The name before the equals sign, which is read as well. If the name is invalid, the rest of the line stays
  /// unread.
  private mutating func name() -> String? {
    for word in ["export", "declare -x"] where text[index...].starts(with: word.utf8) {
      let end = index + word.utf8.count
      if end < text.count, Self.isBlank(text[end]) { index = end }
    }
    skipBlanks()
    let start = index
    while let byte = peek, Self.isOfName(byte) { advance() }
    let name = text[start..<index]
    skipBlanks()
    guard let first = name.first, first &- UInt8(ascii: "0") > 9, take(UInt8(ascii: "=")) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func value() -> [UInt8]? {
    let start = index
    skipBlanks()
    switch peek {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return word()
    case UInt8(ascii: "$") where isAt(UInt8(ascii: "'"), 1): return word()
    case UInt8(ascii: "#") where index > start: return []
    default: return plain()
    }
  }

  /// The text of the line, up to a comment, without blanks at the end.
  private mutating func plain() -> [UInt8] {
    let start = index
    while let byte = peek, !Self.isLineEnd(byte) {
      if byte == UInt8(ascii: "#"), index > start, Self.isBlank(text[index - 1]) { break }
      advance()
    }
    let end = text[start..<index].lastIndex { !Self.isBlank($0) }
    return end.map { Array(text[start...$0]) } ?? []
  }

  /// One shell word that is alone on its line except for a comment; nil for anything else.
  private mutating func word() -> [UInt8]? {
    // Each unclosed quote reads to the end, so a file with very many of them would never be finished.
    guard vainCount <= 8 * text.count + 1 << 20 else { return nil }
    var result: [UInt8] = []
    while let byte = peek, !Self.isBlank(byte), !Self.isLineEnd(byte) {
      advance()
      switch byte {
      case UInt8(ascii: "'"): guard takeSingle(&result) else { return nil }
      case UInt8(ascii: "\""): guard takeDouble(&result) else { return nil }
      case UInt8(ascii: "$") where take(UInt8(ascii: "'")): guard takeEscaped(&result) else { return nil }
      case UInt8(ascii: "\\"): takeNext(&result)
      case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"):
        return nil
      default: result.append(byte)
      }
    }
    skipBlanks()
    return peek.map { Self.isLineEnd($0) || $0 == UInt8(ascii: "#") } ?? true ? result : nil
  }

  private mutating func takeSingle(_ result: inout [UInt8]) -> Bool {
    while let byte = advance() {
      if byte == UInt8(ascii: "'") { return true }
      result.append(byte)
    }
    return false
  }

  /// Appends the text up to the closing quote, and reads that quote. False if there is no closing quote.
  private mutating func takeDouble(_ result: inout [UInt8]) -> Bool {
    while let byte = advance() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let next = peek else { return false }
        if let meaning = Self.doubleMeaning[next] {
          advance()
          result += meaning
        } else {
          result.append(byte)
        }
      default: result.append(byte)
      }
    }
    return false
  }

  /// The character after a backslash outside quotes. At the end of a line it is nothing, and the line continues.
  private mutating func takeNext(_ result: inout [UInt8]) {
    guard let next = advance() else { return result.append(UInt8(ascii: "\\")) }
    if next != UInt8(ascii: "\n") { result.append(next) }
  }

  /// Shells have the first five. Libraries have the others too, and no shell writes them.
  private static let doubleMeaning: [UInt8: [UInt8]] = [
    UInt8(ascii: "\""): [UInt8(ascii: "\"")], UInt8(ascii: "\\"): [UInt8(ascii: "\\")],
    UInt8(ascii: "$"): [UInt8(ascii: "$")], UInt8(ascii: "`"): [UInt8(ascii: "`")], UInt8(ascii: "\n"): [],
    UInt8(ascii: "'"): [UInt8(ascii: "'")], UInt8(ascii: "n"): [0x0A], UInt8(ascii: "r"): [0x0D],
    UInt8(ascii: "t"): [0x09],
  ]
}

extension DotenvReader {
  /// `$'…'` of bash and zsh, which write values with control characters this way. False if the quote is never closed,
  /// or if a code is not a character.
  private mutating func takeEscaped(_ result: inout [UInt8]) -> Bool {
    while let byte = advance() {
      if byte == UInt8(ascii: "'") { return true }
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      guard let next = advance() else { return false }
      if let meaning = Self.escapes[next] {
        result.append(meaning)
      } else if next &- UInt8(ascii: "0") < 8 {
        index -= 1
        result.append(UInt8(truncatingIfNeeded: digits(3, radix: 8) ?? 0))
      } else if next == UInt8(ascii: "x"), let code = digits(2, radix: 16) {
        result.append(UInt8(truncatingIfNeeded: code))
      } else if next == UInt8(ascii: "u") || next == UInt8(ascii: "U"),
        let code = digits(next == UInt8(ascii: "u") ? 4 : 8, radix: 16)
      {
        guard let scalar = Unicode.Scalar(UInt32(code)) else { return false }
        result += Array(String(scalar).utf8)
      } else {
        result += [byte, next]
      }
    }
    return false
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "E"): 0x1B,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "v"): 0x0B, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
    UInt8(ascii: "?"): 0x3F,
  ]

  /// The number of at most `count` digits; nil if there is no digit.
  private mutating func digits(_ count: Int, radix: Int) -> Int? {
    var number: Int?
    for _ in 0..<count {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80, digit < radix
      else {
        return number
      }
      number = (number ?? 0) * radix + digit
      advance()
    }
    return number
  }

  private var peek: UInt8? { index < text.count ? text[index] : nil }

  private func isAt(_ byte: UInt8, _ distance: Int) -> Bool {
    index + distance < text.count && text[index + distance] == byte
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    advance()
    return true
  }

  /// Moves on and counts lines, which end with LF, CRLF or CR.
  @discardableResult
  private mutating func advance() -> UInt8? {
    guard let byte = peek else { return nil }
    index += 1
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && peek != UInt8(ascii: "\n") { line += 1 }
    return byte
  }

  private mutating func skipBlanks() {
    while let byte = peek, Self.isBlank(byte) { advance() }
  }

  private mutating func skipLine() {
    while let byte = peek, !Self.isLineEnd(byte) { advance() }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
