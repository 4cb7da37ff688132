/// An error of this module; two errors are equal if their codes are equal.
///
/// No part of it ever holds a key, a plaintext or any other value.
public struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure, for callers to switch on.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Value: String {
      case authenticationFailed, wrongByteCount, secureMemoryExhausted, secureMemoryUnavailable
      case randomFailed, lowOrderPoint, invalidKey, costOutOfRange, libraryFailed
    }

    private let value: Value

    /// The tag is invalid: wrong key, wrong associated data or changed bytes.
    public static let authenticationFailed = Code(value: .authenticationFailed)
    /// A key, nonce, box or output has a size that the algorithm does not accept.
    public static let wrongByteCount = Code(value: .wrongByteCount)
    /// The secure heap has no room for another secret.
    public static let secureMemoryExhausted = Code(value: .secureMemoryExhausted)
    /// The secure heap could not be set up.
    public static let secureMemoryUnavailable = Code(value: .secureMemoryUnavailable)
    /// The random generator failed.
    public static let randomFailed = Code(value: .randomFailed)
    /// The other side's public key forces an all-zero shared secret.
    public static let lowOrderPoint = Code(value: .lowOrderPoint)
    /// The other side's public key breaks a rule of its algorithm.
    public static let invalidKey = Code(value: .invalidKey)
    /// The cost of a key derivation is out of range, or needs more memory than the caller permits.
    public static let costOutOfRange = Code(value: .costOutOfRange)
    /// OpenSSL refused a call that should have worked; `underlying` has OpenSSL's messages.
    public static let libraryFailed = Code(value: .libraryFailed)

    /// The code's name, as written in this type.
    public var description: String { value.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// A fixed sentence fragment for people; never built from input.
  public let reason: String
  /// OpenSSL's whole error queue, oldest entry first, for verbose output; nil if it was empty.
  public let underlying: String?

  package init(_ code: Code, _ reason: StaticString, underlying: String? = nil) {
    self.code = code
    self.reason = reason.description
    self.underlying = underlying
  }

  /// One line: code and reason, without OpenSSL's messages.
  public var description: String { "\(code): \(reason)" }

  /// Compares only the codes.
  public static func == (first: CryptoError, second: CryptoError) -> Bool { first.code == second.code }
}
