/// A strict JSON reader: RFC 8259, UTF-8 without byte order mark, and no repairs.
///
/// Beyond the grammar it refuses lone surrogates, duplicate and canonically equivalent member names, and input over the
/// limits. The work is linear except for the sorting of members. Line and column are computed on failure.
public enum JSONParser {
  /// Reads one document, which may have white space around it but nothing else.
  /// - Throws: `.tooLarge`, `.byteOrderMark`, `.invalidJSON`, `.invalidUTF8`, `.loneSurrogate`, `.duplicateMember`,
  ///   `.tooDeep`, `.numberTooLong`; all but the first with line and column.
  public static func parse(_ bytes: RawSpan, limits: JSONLimits = .record) throws(DocumentError) -> JSONValue {
    try parse(Span<UInt8>(_bytes: bytes), limits: limits)
  }

  /// Reads one document; see `parse(_:limits:)` for raw spans.
  public static func parse(_ bytes: [UInt8], limits: JSONLimits = .record) throws(DocumentError) -> JSONValue {
    try parse(bytes.span, limits: limits)
  }

  /// Reads one document from text; see `parse(_:limits:)` for raw spans.
  public static func parse(_ text: String, limits: JSONLimits = .record) throws(DocumentError) -> JSONValue {
    try parse(text.utf8Span.span, limits: limits)
  }

  /// Reads one document; see `parse(_:limits:)` for raw spans.
  public static func parse(_ bytes: Span<UInt8>, limits: JSONLimits = .record) throws(DocumentError) -> JSONValue {
    guard bytes.count <= limits.byteCount else { throw DocumentError(code: .tooLarge) }
    var scanner = JSONScanner(limits: limits)
    do throws(DocumentError) {
      return try scanner.document(in: bytes)
    } catch {
      throw error.located(in: bytes)
    }
  }
}

extension DocumentError {
  /// A failure inside the parser: its column is an offset until ``located(in:)`` says the line.
  init(_ code: Code, _ reason: StaticString? = nil, at offset: Int) {
    self.init(code: code, reason: reason.map { "\($0)" }, column: offset)
  }

  /// The same failure with line and column. Call it once, because the column is then no longer an offset.
  func located(in bytes: Span<UInt8>) -> DocumentError {
    let offset = column ?? 0
    // Both from 1: lines end with LF, and columns count Unicode scalars.
    var (line, column) = (1, 1)
    for index in 0..<min(offset, bytes.count) {
      if bytes[index] == UInt8(ascii: "\n") {
        (line, column) = (line + 1, 1)
      } else if index + 1 == bytes.count || index + 1 == offset || bytes[index + 1] & 0xC0 != 0x80 {
        column += 1
      }
    }
    return DocumentError(code: code, reason: reason, line: line, column: column)
  }
}
