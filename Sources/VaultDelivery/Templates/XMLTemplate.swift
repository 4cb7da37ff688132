internal import VaultDocument
internal import VaultExchange

/// XML, read with expat: elements, attributes and texts.
struct XMLTemplate: TemplateSyntax {
  let name = "XML"

  func places(in template: Template, marks: [String]) throws(TemplateFault) -> [TemplatePlace?] {
    let tokens = try tokens(of: template.filled { Array(marks[$0].utf8) })
    var before: [UInt8] = []
    return marks.indices.map { index in
      before += template.texts[index]
      let mark = Array(marks[index].utf8)
      guard let token = tokens.first(where: { $0.text.holds(mark) }) else { return nil }
      if token.mark.hasPrefix("@") { return .doubleQuotes }
      return Self.isOpen("<![CDATA[", "]]>", before) ? .beside : .bare
    }
  }

  /// Whether something was begun and not ended.
  private static func isOpen(_ begin: String, _ end: String, _ text: [UInt8]) -> Bool {
    func last(_ word: String) -> Int? {
      let word = Array(word.utf8)
      return text.indices.last { text.has(word, at: $0) }
    }
    return last(begin).map { $0 > last(end) ?? -1 } ?? false
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateRefusal) -> String {
    let isHeld = value.text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
        || [0x09, 0x0A, 0x0D].contains(scalar.value)
    }
    guard isHeld else { throw TemplateRefusal("the value has control characters, which XML cannot hold") }
    if place == .beside { return value.text }
    var result = ""
    for scalar in value.text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\r": result += "&#13;"
      case "\n" where place == .doubleQuotes: result += "&#10;"
      case "\t" where place == .doubleQuotes: result += "&#9;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    do throws(ExchangeError) {
      var tokens: [TemplateToken] = []
      Self.append(try XMLReader.root(of: text), to: &tokens)
      return tokens
    } catch {
      throw TemplateFault(line: error.place?.line, error.reason)
    }
  }

  private static func append(_ element: XMLElement, to tokens: inout [TemplateToken]) {
    tokens.append(TemplateToken(mark: "<\(element.name)"))
    for (name, value) in element.attributes { tokens.append(TemplateToken(mark: "@\(name)", text: Array(value.utf8))) }
    tokens.append(TemplateToken(mark: "text", text: Array(element.text.utf8)))
    for child in element.children { append(child, to: &tokens) }
    tokens.append(TemplateToken(mark: ">"))
  }
}
