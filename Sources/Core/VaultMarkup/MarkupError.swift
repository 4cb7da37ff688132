/// Why a text of XML or YAML was refused. It holds nothing of the text.
package struct MarkupError: Error {
  package enum Kind: Sendable {
    /// It breaks the rules of the language.
    case malformed
    /// It has more or deeper elements than it may.
    case tooLarge
    /// It uses a part of the language that is not read, or the library that reads it is not installed.
    case unsupported
    /// There is no memory.
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
