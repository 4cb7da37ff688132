/// A strict JSON reader: RFC 8259, UTF-8 without byte order mark, nothing repaired.
///
/// Refused beyond the grammar: lone surrogates, duplicate and canonically equivalent member names, and whatever exceeds
/// the limits. The work is linear in the input but for the sorting of members; line and column are computed on failure.
public enum JSONParser {
  /// Reads one document; white space around it is allowed, anything else is not.
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
    try parse(bytes, limits) { scanner, bytes throws(JSONFailure) in try scanner.document(in: bytes) }
  }

  /// Reads one document whose top-level member `list` may be an object too long to be had as a tree: its members are given
  /// to `body`, in the order of the file, and the object is empty in the result. Whether their names differ is the caller's
  /// to check.
  /// - Throws: as `parse(_:limits:)`.
  package static func parse(
    _ bytes: [UInt8], limits: JSONLimits, handingOver list: String, to body: (String, JSONValue) -> Void
  ) throws(DocumentError) -> JSONValue {
    try parse(bytes.span, limits) { scanner, bytes throws(JSONFailure) in
      try scanner.document(in: bytes, handingOver: list, to: body)
    }
  }

  private static func parse(
    _ bytes: Span<UInt8>, _ limits: JSONLimits,
    _ read: (inout JSONScanner, Span<UInt8>) throws(JSONFailure) -> JSONValue
  ) throws(DocumentError) -> JSONValue {
    guard bytes.count <= limits.byteCount else { throw DocumentError(code: .tooLarge) }
    var scanner = JSONScanner(limits: limits)
    do throws(JSONFailure) {
      return try read(&scanner, bytes)
    } catch {
      throw error.located(in: bytes)
    }
  }
}

/// A failure inside the parser: where, but not yet on which line.
struct JSONFailure: Error {
  let code: DocumentError.Code
  let reason: StaticString?
  let offset: Int

  init(_ code: DocumentError.Code, _ reason: StaticString? = nil, at offset: Int) {
    self.code = code
    self.reason = reason
    self.offset = offset
  }

  /// Counts lines by LF and columns by the bytes that begin a Unicode scalar.
  func located(in bytes: Span<UInt8>) -> DocumentError {
    var line = 1
    var column = 1
    for index in 0..<min(offset, bytes.count) {
      if bytes[index] == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if index + 1 == bytes.count || bytes[index + 1] & 0xC0 != 0x80 || index + 1 == offset {
        column += 1
      }
    }
    return DocumentError(code: code, reason: reason.map { "\($0)" }, line: line, column: column)
  }
}
