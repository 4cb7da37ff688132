/// Why a field, a key or a record envelope was refused.
///
/// Two errors are equal if their codes are. No error holds a field's value, a key, or the text of a document.
public struct SealingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure. New codes may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case noContext, conflictingContexts, lockedContext, notOpened, clearText, malformedToken, unknownTokenVersion
      case foreignToken, authenticationFailed, malformedPlaintext, malformedEnvelope, newerFormat, malformedWrappedKey
      case unknownRoot, wrongByteCount, reservedMember, tokenShapedText, limitExceeded, memoryUnavailable, cryptoFailed
      case rootKeyElsewhere, wrongContext
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// Neither `userInfo` nor the task holds a sealing context.
    public static let noContext = Code(name: .noContext)
    /// `userInfo` and the task hold different contexts.
    public static let conflictingContexts = Code(name: .conflictingContexts)
    /// A locked context cannot save.
    public static let lockedContext = Code(name: .lockedContext)
    /// The value was read without a key and stays unopened.
    public static let notOpened = Code(name: .notOpened)
    /// Clear text stands where a sealed field belongs.
    public static let clearText = Code(name: .clearText)
    /// The token is not well formed.
    public static let malformedToken = Code(name: .malformedToken)
    /// The token has a version that this program does not know.
    public static let unknownTokenVersion = Code(name: .unknownTokenVersion)
    /// The token belongs to another record or key.
    public static let foreignToken = Code(name: .foreignToken)
    /// A tag or MAC does not match.
    public static let authenticationFailed = Code(name: .authenticationFailed)
    /// The opened text has wrong padding, is not UTF-8 or is not the expected JSON.
    public static let malformedPlaintext = Code(name: .malformedPlaintext)
    /// The `$vault` member is missing or not of format 1.
    public static let malformedEnvelope = Code(name: .malformedEnvelope)
    /// The record or header has a newer format, or requires an unknown extension.
    public static let newerFormat = Code(name: .newerFormat)
    /// A wrapped key is not well formed.
    public static let malformedWrappedKey = Code(name: .malformedWrappedKey)
    /// A wrapped key names a root key that is not in the keyring.
    public static let unknownRoot = Code(name: .unknownRoot)
    /// A key or an id has the wrong size.
    public static let wrongByteCount = Code(name: .wrongByteCount)
    /// User data holds the reserved member `$vault`.
    public static let reservedMember = Code(name: .reservedMember)
    /// A readable value has the shape of a token.
    public static let tokenShapedText = Code(name: .tokenShapedText)
    /// A document exceeds the limits of the format.
    public static let limitExceeded = Code(name: .limitExceeded)
    /// The secure heap is full or cannot be used.
    public static let memoryUnavailable = Code(name: .memoryUnavailable)
    /// Another process holds the root key, and refuses or is gone.
    public static let rootKeyElsewhere = Code(name: .rootKeyElsewhere)
    /// The operation needs another sort of context.
    public static let wrongContext = Code(name: .wrongContext)
    /// OpenSSL failed for another reason.
    public static let cryptoFailed = Code(name: .cryptoFailed)
  }

  /// The kind of failure, for programs.
  public let code: Code
  /// A fixed sentence without content of the document, except names of extensions.
  public let reason: String
  /// The member path of the field, if it is known.
  public let path: String?
  /// The error that caused this one.
  public let underlying: (any Error)?

  /// An error, with a path if it is about one field.
  public init(_ code: Code, _ reason: String, path: String? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.path = path
    self.underlying = underlying
  }

  public var description: String { path.map { "\($0): \(reason)" } ?? reason }

  public static func == (left: SealingError, right: SealingError) -> Bool { left.code == right.code }

  /// The same error with the member path of the field.
  public func at(_ path: String) -> SealingError {
    SealingError(code, reason, path: self.path ?? path, underlying: underlying)
  }
}
