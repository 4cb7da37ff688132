package import VaultDocument

/// Why XML or YAML text was refused, without any part of the text.
package typealias MarkupError = Fault<MarkupLayer>

/// Texts of XML and YAML.
package enum MarkupLayer: FaultLayer {}

extension FaultCode<MarkupLayer> {
  /// The text breaks the rules of the language.
  package static var malformed: Self { Self() }
  /// The text has more or deeper elements than allowed.
  package static var tooLarge: Self { Self() }
  /// The text uses a part of the language that is not supported, or its library is not installed.
  package static var unsupported: Self { Self() }
  /// Memory ran out.
  package static var reading: Self { Self() }
}

extension MarkupError {
  // `StaticString` makes it impossible to put a part of the text into the sentence.
  init(_ code: Code, _ reason: StaticString, line: Int? = nil, column: Int? = nil) {
    self.init(layer: code, "\(reason)", line: line, column: column)
  }
}
