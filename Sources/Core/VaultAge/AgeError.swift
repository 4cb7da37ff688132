import VaultCrypto

/// Why an age file, recipient or identity was refused.
///
/// `reason` is always one of the fixed sentences of this module. No error holds text of its input, because it could
/// contain an identity or a passphrase. Two errors are equal if their codes are.
public struct AgeError: Error, Sendable {
  /// The kind of fault, for comparing and switching.
  public let code: Code
  /// One fixed sentence, without any value of the input.
  public let reason: String
  /// The line of the input, counted from 1, if the input is text.
  public let line: Int?
  /// The error of the layer below or of the caller's own closure.
  public let underlying: (any Error)?

  // `StaticString` makes it impossible to put a part of the input into the sentence.
  init(_ code: Code, _ reason: StaticString, line: Int? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.reason = "\(reason)"
    self.line = line
    self.underlying = underlying
  }

  /// Runs `body` and turns its errors into those of this layer.
  static func mappingCrypto<Result>(_ body: () throws(CryptoError) -> Result) throws(AgeError) -> Result {
    do {
      return try body()
    } catch {
      throw AgeError(.cryptoFailed, "a cryptographic operation failed", underlying: error)
    }
  }
}

extension AgeError: Equatable {
  public static func == (left: AgeError, right: AgeError) -> Bool { left.code == right.code }
}

extension AgeError: CustomStringConvertible {
  public var description: String {
    let place = line.map { " (line \($0))" } ?? ""
    return "\(code): \(reason)\(place)"
  }
}

extension AgeError {
  /// The kinds of fault; more may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case malformedHeader = "malformed age header"
      case headerAuthenticationFailed = "age header is not authentic"
      case payloadAuthenticationFailed = "age payload is not authentic"
      case truncated = "age file is truncated"
      case noMatchingIdentity = "no matching identity"
      case wrongPassphrase = "wrong passphrase"
      case workFactorOutOfRange = "work factor out of range"
      case lowOrderShare = "low-order share"
      case tooLarge = "age file is too large"
      case malformedArmor = "malformed age armor"
      case malformedRecipient = "malformed recipient"
      case malformedIdentity = "malformed identity"
      case unsupportedRecipient = "unsupported recipient"
      case unsupportedIdentity = "unsupported identity"
      case noRecipient = "no recipient"
      case emptyPassphrase = "empty passphrase"
      case readFailed = "reading failed"
      case writeFailed = "writing failed"
      case cryptoFailed = "cryptography failed"
    }

    private let name: Name

    private init(_ name: Name) { self.name = name }

    public var description: String { name.rawValue }

    /// The header breaks a rule of c2sp.org/age, or the file ends before its payload's nonce.
    public static let malformedHeader = Code(.malformedHeader)
    /// The file key opened, but the header's MAC does not fit it.
    public static let headerAuthenticationFailed = Code(.headerAuthenticationFailed)
    /// A payload chunk is damaged, misplaced or followed by something else.
    public static let payloadAuthenticationFailed = Code(.payloadAuthenticationFailed)
    /// The payload ends before its final chunk.
    public static let truncated = Code(.truncated)
    /// None of the given credentials opens the file.
    public static let noMatchingIdentity = Code(.noMatchingIdentity)
    /// The file is sealed with a passphrase, and none of the given ones opens it.
    public static let wrongPassphrase = Code(.wrongPassphrase)
    /// The work factor is outside the caller's range; no memory was taken.
    public static let workFactorOutOfRange = Code(.workFactorOutOfRange)
    /// An X25519 share or recipient is a low-order point: the shared secret would be known to everybody.
    public static let lowOrderShare = Code(.lowOrderShare)
    /// The header, its stanzas, the input or the plaintext exceeds a limit of this module.
    public static let tooLarge = Code(.tooLarge)
    /// The armor breaks a rule of c2sp.org/age or RFC 7468.
    public static let malformedArmor = Code(.malformedArmor)
    /// The text is not an X25519 recipient.
    public static let malformedRecipient = Code(.malformedRecipient)
    /// The text is not an X25519 identity, or the file holds no identity.
    public static let malformedIdentity = Code(.malformedIdentity)
    /// The recipient has a type that is deliberately not supported: SSH, plugin, hybrid, tagged.
    public static let unsupportedRecipient = Code(.unsupportedRecipient)
    /// The identity has a type that is deliberately not supported: SSH, plugin, hybrid, a sealed identity file.
    public static let unsupportedIdentity = Code(.unsupportedIdentity)
    /// The list of recipients is empty.
    public static let noRecipient = Code(.noRecipient)
    /// An empty passphrase was given for sealing.
    public static let emptyPassphrase = Code(.emptyPassphrase)
    /// The caller's `read` closure threw; `underlying` is its error.
    public static let readFailed = Code(.readFailed)
    /// The caller's `write` closure threw; `underlying` is its error.
    public static let writeFailed = Code(.writeFailed)
    /// The cryptographic library or the secure memory failed; `underlying` is a `CryptoError`.
    public static let cryptoFailed = Code(.cryptoFailed)
  }
}
