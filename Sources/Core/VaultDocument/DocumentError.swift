/// Why a document, or a small text of the format (date, id, base64, path), was refused.
///
/// `line` and `column` are those of the input if a text was parsed, `path` is the member path if one was followed.
public typealias DocumentError = Fault<DocumentLayer>

/// Documents and the small texts in them.
public enum DocumentLayer: FaultLayer {
  /// Place and reason in one line.
  public static func description(of fault: DocumentError) -> String {
    var place = ""
    if let line = fault.line, let column = fault.column { place += "line \(line), column \(column): " }
    return place + Sentence.about(fault.path, fault.reason)
  }

  fileprivate static let reasons: [DocumentError.Code: String] = [
    .invalidJSON: "the text is not valid JSON",
    .invalidUTF8: "a string is not valid UTF-8",
    .duplicateMember: "a member name occurs twice in one object",
    .tooDeep: "the values are nested too deeply",
    .numberTooLong: "a number is too long",
    .tooLarge: "the document is too large",
    .invalidDate: "is not a date such as 2026-11-21T01:40:28Z",
    .invalidIdentifier: "is not a lower-case UUID",
    .invalidBase64: "is not canonical base64",
    .invalidHex: "is not lower-case hex",
    .invalidPath: "is not a field such as contact_info.email or tags[0]",
    .noSuchMember: "there is no such field",
    .wrongType: "a value of another type is in the way",
    .loneSurrogate: "an escape names half of a surrogate pair",
    .byteOrderMark: "there is a byte order mark before the document",
  ]
}

extension DocumentError {
  /// Makes an error. `reason` is a fixed phrase, never text of the input; by default it is the phrase of the code.
  public init(code: Code, reason: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil) {
    let reason = reason ?? DocumentLayer.reasons[code] ?? code.description
    self.init(layer: code, reason, path: path, line: line, column: column)
  }
}

extension FaultCode<DocumentLayer> {
  /// The text is not JSON (RFC 8259).
  public static var invalidJSON: Self { Self() }
  /// A string is not UTF-8.
  public static var invalidUTF8: Self { Self() }
  /// An object has two members of one name, or of canonically equivalent names.
  public static var duplicateMember: Self { Self() }
  /// A value is nested deeper than the limit.
  public static var tooDeep: Self { Self() }
  /// A number literal has more bytes than the limit.
  public static var numberTooLong: Self { Self() }
  /// The text has more bytes than the limit.
  public static var tooLarge: Self { Self() }
  /// Not a date of the format, or one that the calendar does not have.
  public static var invalidDate: Self { Self() }
  /// Not a lower-case UUID.
  public static var invalidIdentifier: Self { Self() }
  /// Not canonical base64.
  public static var invalidBase64: Self { Self() }
  /// Not lower-case hex.
  public static var invalidHex: Self { Self() }
  /// Not a member path.
  public static var invalidPath: Self { Self() }
  /// The path leads to nothing.
  public static var noSuchMember: Self { Self() }
  /// A value on the path is of another type.
  public static var wrongType: Self { Self() }
  /// An escape names half of a surrogate pair.
  public static var loneSurrogate: Self { Self() }
  /// The text begins with a byte order mark.
  public static var byteOrderMark: Self { Self() }
}
