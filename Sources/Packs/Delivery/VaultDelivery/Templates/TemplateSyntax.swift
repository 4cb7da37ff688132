internal import VaultDocument

/// One part of a text in its format. Two texts are equivalent if their parts are equal.
struct TemplateToken {
  /// The kind of the part, and everything in it that cannot hold a value.
  var mark: String
  var text: [UInt8] = []
  /// Whether a reader may give it a type other than text.
  var isTyped = false

  static func same(_ left: [TemplateToken], _ right: [TemplateToken]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { one, other in
        one.isTyped == other.isTyped && one.mark.utf8.elementsEqual(other.mark.utf8) && one.text == other.text
      }
  }
}

/// The context of a value.
enum TemplatePlace: Equatable {
  /// A whole value is expected, so the value needs quotes of its own.
  case bare
  /// Beside other text, without quotes.
  case beside
  case doubleQuotes
  case singleQuotes
  /// Several lines, each with this indentation.
  case block(indentation: [UInt8])
}

/// A format: how to write a value in its place, and how to parse a text.
protocol TemplateSyntax: Sendable {
  var name: String { get }
  /// Whether unquoted values have types.
  var hasTypes: Bool { get }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken]

  /// The context of each place; nil if it cannot hold a value.
  ///
  /// - Parameter marks: replace the values.
  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?]

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String

  /// A word instead of a value, so that the text can be parsed.
  func standIn(_ mark: String, at place: TemplatePlace) -> String

  /// The value that a reader gets from a place.
  func meaning(of value: TemplateValue, at place: TemplatePlace) -> String
}

extension TemplateSyntax {
  var hasTypes: Bool { false }
  func standIn(_ mark: String, at place: TemplatePlace) -> String { mark }
  func meaning(of value: TemplateValue, at place: TemplatePlace) -> String { value.text }
}

extension String {
  /// The text between double quotes in JSON, YAML and TOML. Everything that their readers could read differently is
  /// escaped.
  var quotedContent: String {
    guard let bytes = try? JSONValue.string(self).compactBytes(limits: .exchange) else { return "" }
    var result = ""
    for scalar in String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether there is a control character, including line ends and tabs.
  var hasControls: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
