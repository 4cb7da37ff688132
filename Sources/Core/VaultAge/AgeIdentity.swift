public import VaultCrypto

/// An X25519 private key that opens age files, written `AGE-SECRET-KEY-1…`.
///
/// The scalar lives in secure memory and never leaves it as a `String`. Source: c2sp.org/age, "The X25519 recipient
/// type".
public struct AgeIdentity: Sendable {
  /// The recipient whose files this identity opens.
  public let recipient: AgeRecipient

  package let scalar: SecretBytes

  static let scalarByteCount = 32

  init(scalar: SecretBytes) throws(AgeError) {
    precondition(scalar.count == Self.scalarByteCount, "an X25519 scalar has 32 bytes")
    let publicKey = try AgeError.mappingCrypto { () throws(CryptoError) in
      try scalar.withBytes { (bytes) throws(CryptoError) in try X25519.publicKey(for: bytes) }
    }
    recipient = AgeRecipient(publicKey: publicKey)
    self.scalar = scalar
  }

  /// Makes a new random identity.
  ///
  /// - Throws: `.cryptoFailed`.
  public static func generate() throws(AgeError) -> AgeIdentity {
    try AgeIdentity(
      scalar: AgeError.mappingCrypto { () throws(CryptoError) in try SecretBytes.random(count: scalarByteCount) })
  }

  /// Reads `AGE-SECRET-KEY-1…` text, strictly: upper case, no surrounding white space, valid checksum.
  ///
  /// - Throws: `.malformedIdentity`; `.unsupportedIdentity` for SSH keys, plugin and hybrid identities;
  ///   `.cryptoFailed`.
  public init(parsing text: RawSpan) throws(AgeError) {
    try self.init(parsing: text, line: nil)
  }

  init(parsing text: RawSpan, line: Int?) throws(AgeError) {
    try Self.refuseOtherTypes(text, line: line)
    let layout = try Self.layout(of: text, line: line)
    let scalar = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: layout.byteCount) { (output) throws(CryptoError) in
        Bech32.decode(text, layout, into: &output)
      }
    }
    try self.init(scalar: scalar)
  }

  private static func layout(of text: RawSpan, line: Int?) throws(AgeError) -> Bech32.Layout {
    do throws(Bech32.Fault) {
      let layout = try Bech32.check(text)
      guard layout.separator == 15, text.has("AGE-SECRET-KEY-1") else {
        throw Bech32.Fault(reason: "the text does not begin with AGE-SECRET-KEY-1")
      }
      guard layout.byteCount == scalarByteCount else { throw Bech32.Fault(reason: "the key is not 32 bytes long") }
      return layout
    } catch {
      throw AgeError(.malformedIdentity, error.reason, line: line)
    }
  }

  /// The `AGE-SECRET-KEY-1…` form, 74 characters, without a line feed.
  ///
  /// - Throws: `.cryptoFailed`.
  public func text() throws(AgeError) -> SecretBytes {
    let count = Bech32.encodedCount(prefix: 15, data: scalar.count)
    return try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: count) { (output) throws(CryptoError) in
        scalar.withBytes { Bech32.encode(prefix: "AGE-SECRET-KEY-", $0, into: &output) }
      }
    }
  }

  // Unsupported types are refused by name, so that nobody takes the refusal for a typing error. Nothing is ever
  // executed.
  private static func refuseOtherTypes(_ text: RawSpan, line: Int?) throws(AgeError) {
    let reason: StaticString
    if text.has("-----BEGIN AGE ENCRYPTED FILE-----") || text.has("age-encryption.org/") {
      reason = "the identity file is itself an age file; open it first"
    } else if text.has("-----BEGIN ") {
      reason = "SSH and other PEM keys are not supported as identities; use an age identity"
    } else if text.has("AGE-SECRET-KEY-PQ-1") {
      reason = "hybrid (post-quantum) identities are not supported; use an X25519 identity"
    } else if text.has("AGE-PLUGIN-") {
      reason = "plugin identities are not supported; use an X25519 identity"
    } else {
      return
    }
    throw AgeError(.unsupportedIdentity, reason, line: line)
  }
}

extension AgeIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "AgeIdentity(\(recipient.text))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["recipient": recipient.text]) }
}
