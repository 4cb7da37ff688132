/// Why a document, or a small text of the format (date, id, base64, path), was refused.
///
/// Two errors are equal if their codes are. No message holds text of the input, because a document can hold secrets.
public struct DocumentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure, for code to switch on.
  public let code: Code
  /// One fixed phrase for a person.
  public let reason: String
  /// Line of the input, from 1, if a text was parsed.
  public let line: Int?
  /// Column in that line, in Unicode scalars, from 1.
  public let column: Int?
  /// Member path in the form of `MemberPath`, if a path was followed.
  public let path: String?

  /// Makes an error; `reason` is a fixed phrase, never text of the input.
  public init(code: Code, reason: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil) {
    self.code = code
    self.reason = reason ?? code.defaultReason
    self.line = line
    self.column = column
    self.path = path
  }

  /// Errors are equal if their codes are.
  public static func == (left: DocumentError, right: DocumentError) -> Bool { left.code == right.code }

  /// Place and reason in one line.
  public var description: String {
    var place = ""
    if let line, let column { place += "line \(line), column \(column): " }
    if let path { place += "\(path): " }
    return place + reason
  }
}

extension DocumentError {
  /// The kind of failure. Codes can be added without breaking callers.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case invalidJSON, invalidUTF8, duplicateMember, tooDeep, numberTooLong, tooLarge, invalidDate
      case invalidIdentifier, invalidBase64, invalidHex, invalidPath, noSuchMember, wrongType, loneSurrogate
      case byteOrderMark
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The text is not JSON (RFC 8259).
    public static let invalidJSON = Code(.invalidJSON)
    /// A string is not UTF-8.
    public static let invalidUTF8 = Code(.invalidUTF8)
    /// An object has two members of one name, or of canonically equivalent names.
    public static let duplicateMember = Code(.duplicateMember)
    /// A value is nested deeper than the limit.
    public static let tooDeep = Code(.tooDeep)
    /// A number literal has more bytes than the limit.
    public static let numberTooLong = Code(.numberTooLong)
    /// The text has more bytes than the limit.
    public static let tooLarge = Code(.tooLarge)
    /// The text is not a date of the format, or the calendar does not have the date.
    public static let invalidDate = Code(.invalidDate)
    /// The text is not a lower-case UUID.
    public static let invalidIdentifier = Code(.invalidIdentifier)
    /// The text is not canonical base64.
    public static let invalidBase64 = Code(.invalidBase64)
    /// The text is not lower-case hex.
    public static let invalidHex = Code(.invalidHex)
    /// The text is not a member path.
    public static let invalidPath = Code(.invalidPath)
    /// The path leads to nothing.
    public static let noSuchMember = Code(.noSuchMember)
    /// A value on the path has another type.
    public static let wrongType = Code(.wrongType)
    /// An escape names half of a surrogate pair.
    public static let loneSurrogate = Code(.loneSurrogate)
    /// The text begins with a byte order mark.
    public static let byteOrderMark = Code(.byteOrderMark)

    /// The code's name.
    public var description: String { kind.rawValue }

    var defaultReason: String {
      switch kind {
      case .invalidJSON: "invalid JSON"
      case .invalidUTF8: "invalid UTF-8 in a string"
      case .duplicateMember: "a member name occurs twice in one object"
      case .tooDeep: "nested too deeply"
      case .numberTooLong: "number literal too long"
      case .tooLarge: "document too large"
      case .invalidDate: "not a date such as 2026-11-21T01:40:28Z"
      case .invalidIdentifier: "not a lower-case UUID"
      case .invalidBase64: "not canonical base64"
      case .invalidHex: "not lower-case hex"
      case .invalidPath: "not a field such as contact_info.email or tags[0]"
      case .noSuchMember: "no such field"
      case .wrongType: "a value of another type is in the way"
      case .loneSurrogate: "an escape names half of a surrogate pair"
      case .byteOrderMark: "byte order mark before the document"
      }
    }
  }
}
