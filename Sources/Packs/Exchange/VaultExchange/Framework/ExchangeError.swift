internal import VaultMarkup

/// Why a file of another tool was refused.
///
/// `reason` is a fixed sentence of this module, and the place is a line, a column or a path. So an error never holds
/// content of the file. Two errors are equal if their codes are equal.
public struct ExchangeError: Error, Equatable, Sendable {
  /// The kind of failure. New codes may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unknownFormat, ambiguousFormat, malformed, invalidText, missingColumn, unsupported, tooLarge
      case passphraseNeeded, wrongPassphrase, notAuthentic, identityNeeded, wrongIdentity, invalidMapping
      case reading
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// The format is unknown: no format has this name, or the file matches no format.
    public static let unknownFormat = Code(name: .unknownFormat)
    /// The file matches more than one format.
    public static let ambiguousFormat = Code(name: .ambiguousFormat)
    /// The file breaks the rules of its format.
    public static let malformed = Code(name: .malformed)
    /// Bytes that are not text in the encoding of the file.
    public static let invalidText = Code(name: .invalidText)
    /// A required column is missing.
    public static let missingColumn = Code(name: .missingColumn)
    /// A version or part of the format that this program does not read.
    public static let unsupported = Code(name: .unsupported)
    /// The file exceeds the limits of its format.
    public static let tooLarge = Code(name: .tooLarge)
    /// The file is sealed with a passphrase, and no passphrase was given.
    public static let passphraseNeeded = Code(name: .passphraseNeeded)
    /// The passphrase does not open the file.
    public static let wrongPassphrase = Code(name: .wrongPassphrase)
    /// The file is sealed with an age key, and no identity was given.
    public static let identityNeeded = Code(name: .identityNeeded)
    /// No given identity opens the file.
    public static let wrongIdentity = Code(name: .wrongIdentity)
    /// A tag or MAC of the file does not match its content.
    public static let notAuthentic = Code(name: .notAuthentic)
    /// A mapping names a source or a member that cannot exist.
    public static let invalidMapping = Code(name: .invalidMapping)
    /// The file could not be read; `underlying` says why.
    public static let reading = Code(name: .reading)
  }

  /// A remedy for the user. If a command can help, the program has the words.
  public enum Advice: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Advice that is valid in every program.
    case sentence(String)
    /// Importing a file of this format.
    case format(String)
    /// Import the output of this command of another program; the format is nil if any format is possible.
    case pipe(String, format: String? = nil)
    /// Import a folder in this format, after this command of another program opened each file.
    case decrypt(String, format: String)
    /// Give the key file that can be needed beside the passphrase.
    case keyFile
    /// Map the columns of a table.
    case mapColumns

    public init(stringLiteral value: String) { self = .sentence(value) }
  }

  /// The code, for programs.
  public let code: Code
  /// A fixed sentence without any content of the file.
  public let reason: String
  /// The place in the file; nil if the error is about the whole file.
  public let place: SourcePlace?
  /// The names of the possible formats.
  public let candidates: [String]
  /// The next steps, also in fixed sentences.
  public let advice: [Advice]
  /// The error of the layer below or of the caller's own closure.
  public let underlying: (any Error)?

  // With `StaticString` a part of the input cannot get into the sentence.
  /// Makes an error. The sentence is a literal in source code.
  public init(
    _ code: Code, _ reason: StaticString, at place: SourcePlace? = nil, candidates: [String] = [],
    advice: [Advice] = [], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.reason = "\(reason)"
    self.place = place
    self.candidates = candidates
    self.advice = advice
    self.underlying = underlying
  }

  public static func == (left: ExchangeError, right: ExchangeError) -> Bool { left.code == right.code }
}

extension ExchangeError: CustomStringConvertible {
  public var description: String {
    let reason = candidates.isEmpty ? reason : "\(reason): \(candidates.joined(separator: ", "))"
    return place.map { "\($0): \(reason)" } ?? reason
  }
}

extension ExchangeError {
  private init(_ error: MarkupError) {
    let code: Code =
      switch error.kind {
      case .malformed: .malformed
      case .tooLarge: .tooLarge
      case .unsupported: .unsupported
      case .reading: .reading
      }
    self.init(code, error.reason, at: error.line.map { SourcePlace(line: $0, column: error.column) })
  }

  static func xmlRoot(of bytes: [UInt8]) throws(ExchangeError) -> XMLElement {
    try inMarkup { () throws(MarkupError) in try XMLReader.root(of: bytes) }
  }

  /// Runs `read`, and translates the errors of XML and YAML.
  static func inMarkup<Result: ~Copyable>(_ read: () throws(MarkupError) -> Result) throws(ExchangeError) -> Result {
    do throws(MarkupError) { return try read() } catch { throw ExchangeError(error) }
  }
}
