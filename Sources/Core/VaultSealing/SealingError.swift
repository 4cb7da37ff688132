@_exported public import VaultDocument

/// Why a field, a key or a record envelope was refused.
///
/// `path` is the member path of the field, if known. No error holds a field's value, a key, or the text of a
/// document.
public typealias SealingError = Fault<SealingLayer>

/// Sealed fields, their keys, and the envelopes of records.
public enum SealingLayer: FaultLayer {}

extension SealingError {
  /// An error about one field, or about none.
  public init(_ code: Code, _ reason: String, path: String? = nil, underlying: (any Error)? = nil) {
    self.init(layer: code, reason, path: path, underlying: underlying)
  }

  /// The same error with the member path of the field.
  public func at(_ path: String) -> SealingError {
    SealingError(code, reason, path: self.path ?? path, underlying: underlying)
  }
}

extension FaultCode<SealingLayer> {
  /// Neither `userInfo` nor the task holds a sealing context.
  public static var noContext: Self { Self() }
  /// `userInfo` and the task hold different contexts.
  public static var conflictingContexts: Self { Self() }
  /// A locked context cannot save.
  public static var lockedContext: Self { Self() }
  /// The value was read without a key and stays unopened.
  public static var notOpened: Self { Self() }
  /// Clear text stands where a sealed field belongs.
  public static var clearText: Self { Self() }
  /// The token is not well formed.
  public static var malformedToken: Self { Self() }
  /// The token has a version that this program does not know.
  public static var unknownTokenVersion: Self { Self() }
  /// The token belongs to another record or key.
  public static var foreignToken: Self { Self() }
  /// A tag or MAC does not match.
  public static var authenticationFailed: Self { Self() }
  /// The opened value has wrong padding, is not UTF-8, or is not the expected JSON.
  public static var malformedPlaintext: Self { Self() }
  /// The `$vault` member is missing or not of format 1.
  public static var malformedEnvelope: Self { Self() }
  /// The record or header was written in a newer format, or requires an extension that is not known.
  public static var newerFormat: Self { Self() }
  /// A wrapped key is not well formed.
  public static var malformedWrappedKey: Self { Self() }
  /// A wrapped key names a root key that is not in the keyring.
  public static var unknownRoot: Self { Self() }
  /// A key or an id has the wrong size.
  public static var wrongByteCount: Self { Self() }
  /// User data holds the reserved member `$vault`.
  public static var reservedMember: Self { Self() }
  /// A readable value has the shape of a token.
  public static var tokenShapedText: Self { Self() }
  /// A document exceeds the limits of the format.
  public static var limitExceeded: Self { Self() }
  /// The secure heap is full or cannot be used.
  public static var memoryUnavailable: Self { Self() }
  /// Another process holds the root key, and refuses the request or is gone.
  public static var rootKeyElsewhere: Self { Self() }
  /// The context is not of the sort that the request needs.
  public static var wrongContext: Self { Self() }
  /// OpenSSL failed for another reason.
  public static var cryptoFailed: Self { Self() }
}
