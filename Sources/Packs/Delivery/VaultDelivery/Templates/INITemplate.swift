internal import VaultDocument

/// INI: its lines are compared. Readers differ, so that only values are taken of which all of them get the same.
struct INITemplate: TemplateSyntax {
  let name = "INI"

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    let tokens = try tokens(of: template.filled { Array(marks[$0].utf8) })
    return marks.holders(among: tokens, \.text).map { token in
      guard let text = token?.text else { return nil }
      let isQuoted = text.count > 1 && text.first == UInt8(ascii: "\"") && text.last == UInt8(ascii: "\"")
      return isQuoted ? .doubleQuotes : .beside
    }
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    guard !value.text.hasControls else { throw TemplateFault("the value has line ends or control characters") }
    guard !value.text.utf8.contains(where: { "\"\\%$".utf8.contains($0) }) else {
      throw TemplateFault("the value has one of \" \\ % $, which INI readers interpret differently")
    }
    if place == .beside {
      let isOdd =
        value.text.utf8.contains { "';#".utf8.contains($0) }
        || [value.text.unicodeScalars.first, value.text.unicodeScalars.last].contains {
          $0?.properties.isWhitespace ?? false
        }
      guard !isOdd else {
        throw TemplateFault(
          "the value has one of ' ; # or spaces around it, which INI readers interpret differently without double quotes"
        )
      }
    }
    return value.text
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
      let content = line.drop(while: isBlank)
      let whole = TemplateToken(mark: String(decoding: line, as: UTF8.self))
      guard let first = content.first, !"#;[".utf8.contains(first) else { return whole }
      // Readers differ about a line that begins with spaces: it continues the value before, or is a line of its own.
      guard let sign = line.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else {
        return whole
      }
      let value = Array(line[(sign + 1)...].drop(while: isBlank))
      let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
      return TemplateToken(mark: String(decoding: line[...sign], as: UTF8.self), text: Array(value[..<end]))
    }
  }
}
