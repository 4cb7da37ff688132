internal import VaultDocument
internal import VaultMarkup

/// Files of variables, in the format of ``EnvironmentFile``.
struct EnvironmentTemplate: TemplateSyntax {
  let name = "a file of variables"
  /// Each place is found by reading the file several times.
  private static let workLimit = 32 << 20

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    let standIns = marks.map { Array($0.utf8) }
    let parts = try tokens(of: template.filled { standIns[$0] })
    let size = template.texts.reduce(0) { $0 + $1.count }
    guard size * marks.count <= Self.workLimit else {
      throw TemplateFault(line: nil, "the template is too large for so many places")
    }
    return marks.indices.map { index in
      guard parts.contains(where: { $0.text.holds(standIns[index]) }) else { return nil }
      // The parsed value of a probe tells its context.
      for (place, probe, meaning) in Self.probes {
        let text = template.filled { $0 == index ? Array(probe.utf8) : standIns[$0] }
        let expected = parts.map { part in
          var part = part
          if let at = part.text.indices.first(where: { part.text.has(standIns[index], at: $0) }) {
            part.text.replaceSubrange(at..<(at + standIns[index].count), with: Array(meaning.utf8))
          }
          return part
        }
        if let found = try? tokens(of: text), TemplateToken.same(found, expected) { return place }
      }
      return .beside
    }
  }

  private static let probes: [(TemplatePlace, String, String)] = [
    (.doubleQuotes, #"\" "#, #"" "#), (.singleQuotes, #"'\'' "#, "' "), (.bare, "'x #y'", "x #y"),
  ]

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    if place == .bare || place == .beside, value.text.isPlainWord { return value.text }
    guard place != .beside else {
      throw TemplateFault("the value has characters that need quotes: put the place between double quotes")
    }
    return try value.text.shellWord(at: place)
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    var (reader, tokens) = (DotenvReader(text), [TemplateToken]())
    while let entry = reader.next() {
      guard let value = entry.value else { throw TemplateFault(line: entry.line, "the line is not NAME=text") }
      tokens.append(TemplateToken(mark: entry.name, text: Array(value.utf8)))
    }
    return tokens
  }
}

extension String {
  /// Whether the text has the same meaning with and without quotes in every place.
  var isPlainWord: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || "_./:@+,-".utf8.contains(byte)
      }
  }

  /// The text as a shell needs it in a place.
  func shellWord(at place: TemplatePlace) throws(TemplateFault) -> String {
    guard !utf8.contains(0) else { throw TemplateFault("the value has a NUL character, which no shell can hold") }
    let content = replacing("'", with: #"'\''"#)
    switch place {
    case .singleQuotes: return content
    case .doubleQuotes:
      return reduce(into: "") { result, character in
        for scalar in character.unicodeScalars {
          if ["\\", "\"", "$", "`"].contains(scalar) { result += "\\" }
          result.unicodeScalars.append(scalar)
        }
      }
    default: return "'\(content)'"
    }
  }
}
