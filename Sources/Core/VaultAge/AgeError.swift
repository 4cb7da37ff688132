import VaultCrypto
@_exported public import VaultDocument

/// Why an age file, recipient or identity was refused.
///
/// `reason` is always one of the fixed sentences of this module: no error holds text of its input, since an identity or
/// a passphrase could be in it. Only a `.pluginFailed` may end with the message of the plugin itself, which can hold
/// any characters. `line` is that of the input if the input is text.
public typealias AgeError = Fault<AgeLayer>

/// Files, recipients and identities of age.
public enum AgeLayer: FaultLayer {
  public static func description(of fault: AgeError) -> String {
    "\(fault.code): \(fault.reason)" + (fault.line.map { " (line \($0))" } ?? "")
  }
}

extension AgeError {
  // `StaticString` makes it impossible to put a part of the input into the sentence.
  init(_ code: Code, _ reason: StaticString, line: Int? = nil, underlying: (any Error)? = nil) {
    self.init(layer: code, "\(reason)", line: line, underlying: underlying)
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

extension FaultCode<AgeLayer> {
  /// The header breaks a rule of c2sp.org/age, or the file ends before its payload's nonce.
  public static var malformedHeader: Self { Self("malformed age header") }
  /// The file key opened, but the header's MAC does not fit it.
  public static var headerAuthenticationFailed: Self { Self("age header is not authentic") }
  /// A payload chunk is damaged, misplaced or followed by something else.
  public static var payloadAuthenticationFailed: Self { Self("age payload is not authentic") }
  /// The payload ends before its final chunk.
  public static var truncated: Self { Self("age file is truncated") }
  /// None of the given credentials opens the file.
  public static var noMatchingIdentity: Self { Self("no matching identity") }
  /// None of the given passphrases opens the file.
  public static var wrongPassphrase: Self { Self("wrong passphrase") }
  /// The work factor is outside the caller's range; no memory was taken.
  public static var workFactorOutOfRange: Self { Self("work factor out of range") }
  /// An X25519 share or recipient is a low-order point: the shared secret would be known to everybody.
  public static var lowOrderShare: Self { Self("low-order share") }
  /// The header, its stanzas, the input or the plaintext exceed a limit of this module.
  public static var tooLarge: Self { Self("age file is too large") }
  /// The armor breaks a rule of c2sp.org/age or RFC 7468.
  public static var malformedArmor: Self { Self("malformed age armor") }
  /// The text is not a recipient, or its key cannot be used.
  public static var malformedRecipient: Self { Self("malformed recipient") }
  /// The text is not an identity, or the file has none.
  public static var malformedIdentity: Self { Self("malformed identity") }
  /// The recipient has a type that is deliberately left out, SSH or tagged. Or it is post-quantum, and this OpenSSL is
  /// too old.
  public static var unsupportedRecipient: Self { Self("unsupported recipient") }
  /// The identity has a type that is deliberately left out, SSH or a sealed identity file. Or it is post-quantum, and
  /// this OpenSSL is too old.
  public static var unsupportedIdentity: Self { Self("unsupported identity") }
  /// Recipients that cannot be combined in one file: post-quantum and others, or those that a plugin keeps apart.
  public static var mixedRecipients: Self { Self("mixed recipients") }
  /// There is nobody to seal to.
  public static var noRecipient: Self { Self("no recipient") }
  /// Sealing with an empty passphrase was asked for.
  public static var emptyPassphrase: Self { Self("empty passphrase") }
  /// There is no program for a plugin, or the caller runs none.
  public static var pluginMissing: Self { Self("plugin missing") }
  /// A plugin refused, ended early, broke the protocol or took too long.
  public static var pluginFailed: Self { Self("plugin failed") }
  /// The caller's `read` closure threw; `underlying` is its error.
  public static var readFailed: Self { Self("reading failed") }
  /// The caller's `write` closure threw; `underlying` is its error.
  public static var writeFailed: Self { Self("writing failed") }
  /// The cryptographic library or the secure memory failed; `underlying` is a `CryptoError`.
  public static var cryptoFailed: Self { Self("cryptography failed") }
}
