internal import VaultDocument

/// One part of a text as its format has it; two texts say the same when their parts are equal.
struct TemplateToken {
  /// What it is, with everything in which no value can stand.
  var mark: String
  var text: [UInt8] = []
  /// Whether a reader takes it for something else than a text.
  var isTyped = false

  static func same(_ left: [TemplateToken], _ right: [TemplateToken]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { one, other in
        one.isTyped == other.isTyped && one.mark.utf8.elementsEqual(other.mark.utf8) && one.text == other.text
      }
  }
}

/// What a value stands in.
enum TemplatePlace: Equatable {
  /// Where a whole value is wanted: it brings its quotes.
  case bare
  /// Beside something else, without quotes.
  case beside
  case doubleQuotes
  case singleQuotes
  /// Several lines, each behind these blanks.
  case block(indentation: [UInt8])
}

/// A format: how a value is written in its place, and how a text is read.
protocol TemplateSyntax: Sendable {
  var name: String { get }
  /// Whether a reader tells texts from numbers where nothing is quoted.
  var hasTypes: Bool { get }

  /// The parts of a text.
  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken]

  /// What each place is in; nil where no value can be put.
  ///
  /// - Parameter marks: stand in for the values.
  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?]

  /// A value as it has to stand in a place.
  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String

  /// A word in the place of a value, so that the text can be read.
  func standIn(_ mark: String, at place: TemplatePlace) -> String

  /// What a reader gets of a value that was written to a place.
  func meaning(of value: TemplateValue, at place: TemplatePlace) -> String
}

extension TemplateSyntax {
  var hasTypes: Bool { false }
  func standIn(_ mark: String, at place: TemplatePlace) -> String { mark }
  func meaning(of value: TemplateValue, at place: TemplatePlace) -> String { value.text }
}

extension String {
  /// The text between double quotes, as JSON, YAML and TOML have it: what any of their readers could take differently
  /// as an escape.
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

  /// Whether there is a control character, line ends and tabs included.
  var hasControls: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
