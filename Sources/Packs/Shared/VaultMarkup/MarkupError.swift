/// Why XML or YAML text was refused, without any part of the text.
package struct MarkupError: Error {
  package enum Kind: Sendable {
    /// The text breaks the rules of the language.
    case malformed
    /// The text has more or deeper elements than allowed.
    case tooLarge
    /// The text uses a part of the language that is not supported, or its library is not installed.
    case unsupported
    /// Memory ran out.
    case reading
  }

  package let kind: Kind
  /// A fixed sentence.
  package let reason: StaticString
  /// From 1; nil for the text as a whole.
  package let line: Int?
  package let column: Int?

  init(_ kind: Kind, _ reason: StaticString, line: Int? = nil, column: Int? = nil) {
    (self.kind, self.reason, self.line, self.column) = (kind, reason, line, column)
  }
}
