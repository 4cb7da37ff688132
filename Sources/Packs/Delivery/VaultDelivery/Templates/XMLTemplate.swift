internal import VaultDocument
internal import VaultMarkup

/// XML, parsed with expat: elements, attributes and texts.
struct XMLTemplate: TemplateSyntax {
  let name = "XML"

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    let tokens = try tokens(of: template.filled { Array(marks[$0].utf8) })
    var section = OpenSection()
    return zip(template.texts, marks.holders(among: tokens, \.text)).map { text, token in
      section.take(text)
      guard let token else { return nil }
      if token.mark.hasPrefix("@") { return .doubleQuotes }
      return section.isOpen ? .beside : .bare
    }
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    let isHeld = value.text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
        || [0x09, 0x0A, 0x0D].contains(scalar.value)
    }
    guard isHeld else { throw TemplateFault("the value has control characters, which XML cannot hold") }
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
    do throws(MarkupError) {
      var tokens: [TemplateToken] = []
      Self.append(try XMLReader.root(of: text), to: &tokens)
      return tokens
    } catch {
      throw TemplateFault(line: error.line, error.reason)
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

/// Whether a CDATA section is open, tracked while text arrives.
private struct OpenSection {
  private static let begin = Array("<![CDATA[".utf8)
  private static let end = Array("]]>".utf8)

  private(set) var isOpen = false
  /// The end of the text so far, which may be the beginning of a delimiter.
  private var rest: [UInt8] = []

  mutating func take(_ text: [UInt8]) {
    let text = rest + text
    for index in text.indices {
      if text.has(Self.begin, at: index) { isOpen = true }
      if text.has(Self.end, at: index) { isOpen = false }
    }
    rest = text.suffix(Self.begin.count - 1)
  }
}
