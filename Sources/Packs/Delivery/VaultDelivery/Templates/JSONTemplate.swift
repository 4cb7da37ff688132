internal import VaultDocument

/// JSON, read as strictly as records.
struct JSONTemplate: TemplateSyntax {
  let name = "JSON"
  let hasTypes = true

  func places(in template: Template, marks: TemplateMarks) -> [TemplatePlace?] {
    var isString = false
    return marks.indices.map { index in
      var isEscaped = false
      for byte in template.texts[index] {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = isString
        } else if byte == UInt8(ascii: "\"") {
          isString.toggle()
        }
      }
      // After a backslash the meaning of the value is uncertain.
      return isEscaped ? nil : isString ? .doubleQuotes : .bare
    }
  }

  func standIn(_ mark: String, at place: TemplatePlace) -> String { place == .bare ? "\"\(mark)\"" : mark }

  func written(_ value: TemplateValue, at place: TemplatePlace) -> String {
    if place == .doubleQuotes { return value.text.quotedContent }
    return value.isText ? "\"\(value.text.quotedContent)\"" : value.text
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    do throws(DocumentError) {
      var tokens: [TemplateToken] = []
      Self.append(try JSONParser.parse(text, limits: .exchange), to: &tokens)
      return tokens
    } catch {
      throw TemplateFault(line: error.line, "the text is not valid JSON")
    }
  }

  private static func append(_ value: JSONValue, to tokens: inout [TemplateToken]) {
    func typed(_ text: String) { tokens.append(TemplateToken(mark: "value", text: Array(text.utf8), isTyped: true)) }
    switch value {
    case .null: typed("null")
    case .bool(let flag): typed(flag ? "true" : "false")
    case .number(let number): typed(number.literal)
    case .string(let text): tokens.append(TemplateToken(mark: "value", text: Array(text.utf8)))
    case .array(let items):
      tokens.append(TemplateToken(mark: "array \(items.count)"))
      for item in items { append(item, to: &tokens) }
    case .object(let object):
      tokens.append(TemplateToken(mark: "object \(object.count)"))
      for (name, value) in object {
        tokens.append(TemplateToken(mark: name))
        append(value, to: &tokens)
      }
    }
  }
}
