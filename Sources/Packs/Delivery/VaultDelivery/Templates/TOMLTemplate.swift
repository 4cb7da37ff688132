internal import VaultDocument

/// TOML. The comparison covers strings, brackets, signs, lines and words, not the grammar.
struct TOMLTemplate: TemplateSyntax {
  let name = "TOML"
  let hasTypes = true

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    let parts = TOMLScanner.values(of: try TOMLScanner.parts(of: template.filled { Array(marks[$0].utf8) }))
    return zip(marks, marks.holders(among: parts) { $0.token.text }).map { mark, part in
      guard let part else { return nil }
      switch part.form {
      case .word: return part.token.text.elementsEqual(mark.utf8) ? .bare : .beside
      case .basic: return .doubleQuotes
      case .literal: return .singleQuotes
      case .sign: return nil
      }
    }
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    switch place {
    case .bare: return value.isText ? "\"\(value.text.quotedContent)\"" : value.text
    case .doubleQuotes: return value.text.quotedContent
    case .singleQuotes:
      // Readers turn a carriage return and a line feed into a line feed.
      guard !value.text.utf8.contains(where: { $0 == UInt8(ascii: "'") || $0 == 0x0D }) else {
        throw TemplateFault(
          "the value has a single quote or a carriage return: put the place between double quotes")
      }
      return value.text
    default: throw TemplateFault("the place is next to other text without quotes: put all of it between quotes")
    }
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    try TOMLScanner.parts(of: text).map(\.token)
  }
}

extension [UInt8] {
  func holds(_ other: [UInt8]) -> Bool {
    guard let first = other.first else { return true }
    return indices.contains { self[$0] == first && has(other, at: $0) }
  }
}

/// Splits TOML (1.0.0) into signs, words and strings.
private struct TOMLScanner {
  enum Form { case sign, word, basic, literal }
  typealias Part = (form: Form, token: TemplateToken)

  private let text: [UInt8]
  private var index = 0
  private var parts: [Part] = []

  static func parts(of text: [UInt8]) throws(TemplateFault) -> [Part] {
    guard String(validating: text, as: UTF8.self) != nil else {
      throw TemplateFault(line: nil, "the template is not UTF-8")
    }
    var scanner = TOMLScanner(text)
    while scanner.index < text.count { try scanner.next() }
    return scanner.parts
  }

  /// The parts that are not names of tables or names before `=`.
  static func values(of parts: [Part]) -> [Part] {
    var (brackets, isName, isHeader) = ([String](), true, false)
    return parts.filter { part in
      guard part.form == .sign else { return !isName }
      switch part.token.mark {
      case "\n" where brackets.isEmpty: (isName, isHeader) = (true, false)
      case "=": isName = false
      case "[" where brackets.isEmpty && isName: isHeader = true
      case "[", "{":
        brackets.append(part.token.mark)
        isName = part.token.mark == "{"
      case "]" where isHeader: break
      case "]", "}":
        _ = brackets.popLast()
        isName = false
      case ",": isName = brackets.last == "{"
      default: break
      }
      return false
    }
  }

  private init(_ text: [UInt8]) { self.text = text }

  private mutating func next() throws(TemplateFault) {
    let byte = text[index]
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
    case UInt8(ascii: "#"):
      let end = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      parts.append((.sign, TemplateToken(mark: "#" + String(decoding: text[index..<end], as: UTF8.self))))
      index = end
    case UInt8(ascii: "\""), UInt8(ascii: "'"): try string(quote: byte)
    case _ where Self.isSign(byte):
      parts.append((.sign, TemplateToken(mark: String(UnicodeScalar(byte)))))
      index += 1
    default:
      let end = text[index...].firstIndex { Self.isSign($0) || Self.endsWord($0) } ?? text.count
      parts.append((.word, TemplateToken(mark: "value", text: Array(text[index..<end]), isTyped: true)))
      index = end
    }
  }

  private static func isSign(_ byte: UInt8) -> Bool { "\n=[]{},".utf8.contains(byte) }
  private static func endsWord(_ byte: UInt8) -> Bool { " \t\r#\"'".utf8.contains(byte) }

  private func isAt(_ byte: UInt8, times count: Int) -> Bool {
    text[index...].prefix(count).count == count && text[index...].prefix(count).allSatisfy { $0 == byte }
  }

  private mutating func string(quote: UInt8) throws(TemplateFault) {
    let start = index
    let isLong = isAt(quote, times: 3)
    index += isLong ? 3 : 1
    if isLong, isAt(UInt8(ascii: "\r"), times: 1) { index += 1 }
    if isLong, isAt(UInt8(ascii: "\n"), times: 1) { index += 1 }
    var content: [UInt8] = []
    while !isAt(quote, times: isLong ? 3 : 1) {
      guard index < text.count, isLong || text[index] != UInt8(ascii: "\n") else { throw fault(start) }
      let byte = text[index]
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 || isLong && (byte == 0x0A || byte == 0x0D) else {
        throw fault(start)
      }
      index += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        try escape(in: &content, isLong: isLong, start)
      } else {
        content.append(byte)
      }
    }
    index += isLong ? 3 : 1
    // Up to two more quotes belong to a multi-line string.
    for _ in 0..<2 where isLong && isAt(quote, times: 1) {
      content.append(quote)
      index += 1
    }
    let form: Form = quote == UInt8(ascii: "'") ? .literal : .basic
    parts.append((form, TemplateToken(mark: "value", text: content)))
  }

  private mutating func escape(in content: inout [UInt8], isLong: Bool, _ start: Int) throws(TemplateFault) {
    guard index < text.count else { throw fault(start) }
    let byte = text[index]
    index += 1
    if let meaning = Self.escapes[byte] { return content.append(meaning) }
    if byte == UInt8(ascii: "u") || byte == UInt8(ascii: "U") {
      let digits = text[index...].prefix(byte == UInt8(ascii: "u") ? 4 : 8)
      guard let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), let scalar = UnicodeScalar(code)
      else { throw fault(start) }
      index += digits.count
      return content.append(contentsOf: String(scalar).utf8)
    }
    guard isLong, " \t\r\n".utf8.contains(byte) else { throw fault(start) }
    // A backslash at the end of a line joins it with the next text.
    index -= 1
    while index < text.count, " \t\r\n".utf8.contains(text[index]) { index += 1 }
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "r"): 0x0D, UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C,
  ]

  private func fault(_ start: Int) -> TemplateFault {
    let line = 1 + text[..<start].count { $0 == UInt8(ascii: "\n") }
    return TemplateFault(
      line: line, "the text is not TOML: a string is not closed, or has a character that it cannot have")
  }
}
