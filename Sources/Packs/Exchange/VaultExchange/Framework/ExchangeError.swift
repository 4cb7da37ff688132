public import VaultDocument
internal import VaultMarkup

/// Why a file of another tool was refused.
///
/// `reason` is a fixed sentence of this module, and the place is a line, a column or a path. So an error never holds
/// content of the file. Only an error about a mapping also holds a name that the caller gave. Two errors are equal if
/// their codes are equal.
public struct ExchangeError: Error, Equatable, Sendable {
  /// The kind of failure. New codes may be added in later versions.
  public typealias Code = FaultCode<ExchangeError>

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
  /// A sentence without any content of the file.
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

  /// Makes the error for a mapping, with the names that the user gave in it.
  init(_ code: Code, ofMapping reason: String, advice: [Advice] = []) {
    self.code = code
    self.reason = reason
    place = nil
    candidates = []
    self.advice = advice
    underlying = nil
  }

  public static func == (left: ExchangeError, right: ExchangeError) -> Bool { left.code == right.code }
}

extension FaultCode<ExchangeError> {
  /// No format has this name, or no format fits the file.
  public static var unknownFormat: Self { Self() }
  /// The file can be of more than one format.
  public static var ambiguousFormat: Self { Self() }
  /// The file breaks the rules of its format.
  public static var malformed: Self { Self() }
  /// Bytes that are not text in the encoding of the file.
  public static var invalidText: Self { Self() }
  /// A column that the format needs is not there.
  public static var missingColumn: Self { Self() }
  /// A version or part of the format that this program does not read.
  public static var unsupported: Self { Self() }
  /// More than the limits of the format allow.
  public static var tooLarge: Self { Self() }
  /// The file is sealed with a passphrase and none was given.
  public static var passphraseNeeded: Self { Self() }
  /// The passphrase does not open the file.
  public static var wrongPassphrase: Self { Self() }
  /// The file is sealed to an age key and no identity was given.
  public static var identityNeeded: Self { Self() }
  /// No identity that was given opens the file.
  public static var wrongIdentity: Self { Self() }
  /// A tag or MAC of the file does not match its content.
  public static var notAuthentic: Self { Self() }
  /// A mapping names a source or a member that cannot be.
  public static var invalidMapping: Self { Self() }
  /// The file could not be read; `underlying` says why.
  public static var reading: Self { Self() }
}

extension ExchangeError: CustomStringConvertible {
  public var description: String {
    let reason = candidates.isEmpty ? reason : "\(reason): \(candidates.joined(separator: ", "))"
    return Sentence.about(place.map { "\($0)" }, reason)
  }
}

extension ExchangeError {
  private init(_ error: MarkupError) {
    // The codes have the same names.
    code = Code(error.code.description)
    reason = error.reason
    place = error.line.map { SourcePlace(line: $0, column: error.column) }
    (candidates, advice, underlying) = ([], [], nil)
  }

  static func xmlRoot(of bytes: [UInt8]) throws(ExchangeError) -> XMLElement {
    try inMarkup { () throws(MarkupError) in try XMLReader.root(of: bytes) }
  }

  /// Runs `read`, and translates the errors of XML and YAML.
  static func inMarkup<Result: ~Copyable>(_ read: () throws(MarkupError) -> Result) throws(ExchangeError) -> Result {
    do throws(MarkupError) { return try read() } catch { throw ExchangeError(error) }
  }
}
