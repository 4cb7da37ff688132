public import VaultCrypto

/// A private key that opens age files, written `AGE-SECRET-KEY-1…` or, if it is post-quantum, `AGE-SECRET-KEY-PQ-1…`.
/// Or a text by which a plugin finds its key, written `AGE-PLUGIN-NAME-1…`.
///
/// The secret lives in secure memory and never leaves it as a `String`. Source: c2sp.org/age, "The X25519 recipient
/// type", "The MLKEM768-X25519 hybrid post-quantum recipient type"; c2sp.org/age-plugin, "Recipients and identities".
public struct AgeIdentity: Sendable {
  /// The types of identities, with their parts.
  package enum Kind: Sendable {
    /// The 32 bytes of an X25519 private key, and its public key.
    case x25519(scalar: SecretBytes, publicKey: [UInt8])
    /// The 32 bytes from which a hybrid (post-quantum) private key is derived, and its public key of 1216 bytes.
    case hybrid(seed: SecretBytes, publicKey: [UInt8])
    /// An identity of a plugin: the plugin's name, and the whole `AGE-PLUGIN-NAME-1…` text.
    case plugin(name: String, text: SecretBytes)
  }

  package let kind: Kind

  static let scalarByteCount = 32

  package init(_ kind: Kind) { self.kind = kind }

  init(scalar: SecretBytes) throws(AgeError) {
    precondition(scalar.count == Self.scalarByteCount, "an X25519 scalar has 32 bytes")
    let publicKey = try AgeError.mappingCrypto { () throws(CryptoError) in
      try scalar.withBytes { (bytes) throws(CryptoError) in try X25519.publicKey(for: bytes) }
    }
    self.init(.x25519(scalar: scalar, publicKey: publicKey))
  }

  private init(seed: SecretBytes, line: Int? = nil) throws(AgeError) {
    guard HybridKEM.isAvailable else { throw AgeError(.unsupportedIdentity, AgeError.needsNewerLibrary, line: line) }
    let publicKey = try AgeError.mappingCrypto { () throws(CryptoError) in
      try seed.withBytes { (bytes) throws(CryptoError) in try HybridKEM.publicKey(for: bytes) }
    }
    self.init(.hybrid(seed: seed, publicKey: publicKey))
  }

  /// Makes a new random identity.
  ///
  /// - Throws: `.cryptoFailed`.
  public static func generate() throws(AgeError) -> AgeIdentity {
    try AgeIdentity(
      scalar: AgeError.mappingCrypto { () throws(CryptoError) in try SecretBytes.random(count: scalarByteCount) })
  }

  /// Makes a new random post-quantum identity, which joins ML-KEM-768 and X25519.
  ///
  /// - Throws: `.unsupportedIdentity` if OpenSSL is older than 3.5; `.cryptoFailed`.
  public static func generatePostQuantum() throws(AgeError) -> AgeIdentity {
    try AgeIdentity(
      seed: AgeError.mappingCrypto { () throws(CryptoError) in
        try SecretBytes.random(count: HybridKEM.seedByteCount)
      })
  }

  /// Makes a new random identity of either type.
  package static func generate(postQuantum: Bool) throws(AgeError) -> AgeIdentity {
    try postQuantum ? generatePostQuantum() : generate()
  }

  /// Reads `AGE-SECRET-KEY-1…`, `AGE-SECRET-KEY-PQ-1…` or `AGE-PLUGIN-NAME-1…`, strictly: upper case, no surrounding
  /// white space, valid checksum.
  ///
  /// - Throws: `.malformedIdentity`; `.unsupportedIdentity` for SSH keys, and for post-quantum identities if OpenSSL is
  ///   older than 3.5; `.cryptoFailed`.
  public init(parsing text: RawSpan) throws(AgeError) {
    try self.init(parsing: text, line: nil)
  }

  init(parsing text: RawSpan, line: Int?) throws(AgeError) {
    try Self.refuseOtherTypes(text, line: line)
    if text.has("AGE-PLUGIN-") {
      let name = try Self.pluginName(in: text, line: line)
      let copy = try AgeError.mappingCrypto { () throws(CryptoError) in try SecretBytes(copying: text) }
      self.init(.plugin(name: name, text: copy))
      return
    }
    let isHybrid = text.has("AGE-SECRET-KEY-PQ-1")
    let layout = try Self.layout(of: text, prefixByteCount: isHybrid ? 18 : 15, line: line)
    let key = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: layout.byteCount) { (output) throws(CryptoError) in
        Bech32.decode(text, layout, into: &output)
      }
    }
    if isHybrid { try self.init(seed: key, line: line) } else { try self.init(scalar: key) }
  }

  /// The layout of a private key. Keys of both types have 32 bytes.
  private static func layout(
    of text: RawSpan, prefixByteCount: Int, line: Int?
  ) throws(AgeError) -> Bech32.Layout {
    do throws(Bech32.Fault) {
      let layout = try Bech32.check(text)
      guard layout.separator == prefixByteCount, text.has("AGE-SECRET-KEY-") else {
        throw Bech32.Fault(reason: "the text does not begin with AGE-SECRET-KEY-1")
      }
      guard layout.byteCount == scalarByteCount else { throw Bech32.Fault(reason: "the key is not 32 bytes long") }
      return layout
    } catch {
      throw AgeError(.malformedIdentity, error.reason, line: line)
    }
  }

  /// The name in `AGE-PLUGIN-NAME-1…`.
  private static func pluginName(in text: RawSpan, line: Int?) throws(AgeError) -> String {
    do throws(Bech32.Fault) {
      let end = try Bech32.check(text).separator - 1
      guard end > 11, text[octet: end] == UInt8(ascii: "-") else {
        throw Bech32.Fault(reason: "there is no name of a plugin between AGE-PLUGIN- and -1")
      }
      return try PluginName.read(text, 11..<end)
    } catch {
      throw AgeError(.malformedIdentity, error.reason, line: line)
    }
  }

  // Unsupported types are refused by name, so that nobody takes the refusal for a typing error.
  private static func refuseOtherTypes(_ text: RawSpan, line: Int?) throws(AgeError) {
    let reason: StaticString
    if text.has("-----BEGIN AGE ENCRYPTED FILE-----") || text.has("age-encryption.org/") {
      reason = "the identity file is itself an age file; open it first"
    } else if text.has("-----BEGIN ") {
      reason = "SSH and other PEM keys are not supported as identities; use an age identity"
    } else {
      return
    }
    throw AgeError(.unsupportedIdentity, reason, line: line)
  }
}

extension AgeIdentity {
  /// The recipient whose files this identity opens.
  ///
  /// - Throws: `.unsupportedIdentity` for a plugin's identity, because only the plugin knows.
  public var recipient: AgeRecipient {
    get throws(AgeError) {
      guard let knownRecipient else {
        throw AgeError(.unsupportedIdentity, "the identity of a plugin does not tell its recipient")
      }
      return knownRecipient
    }
  }

  /// Nil for a plugin's identity.
  private var knownRecipient: AgeRecipient? {
    switch kind {
    case .x25519(_, let publicKey): AgeRecipient(publicKey: publicKey)
    case .hybrid(_, let publicKey): AgeRecipient(.hybrid(publicKey: publicKey))
    case .plugin: nil
    }
  }

  /// The name of the plugin that opens files with this identity; nil if this module does it.
  public var pluginName: String? {
    if case .plugin(let name, _) = kind { name } else { nil }
  }

  /// Whether the identity may open files for `recipient`: it is its own recipient, or one of the same plugin.
  public func mayOpen(_ recipient: AgeRecipient) -> Bool {
    if let knownRecipient { knownRecipient == recipient } else { pluginName == recipient.pluginName }
  }

  /// The text form, 74 characters for an X25519 key, without a line feed.
  ///
  /// - Throws: `.cryptoFailed`.
  public func text() throws(AgeError) -> SecretBytes {
    switch kind {
    case .x25519(let scalar, _): try Self.text("AGE-SECRET-KEY-", scalar)
    case .hybrid(let seed, _): try Self.text("AGE-SECRET-KEY-PQ-", seed)
    case .plugin(_, let text): text
    }
  }

  private static func text(_ prefix: StaticString, _ data: SecretBytes) throws(AgeError) -> SecretBytes {
    let count = Bech32.encodedCount(prefix: prefix.utf8CodeUnitCount, data: data.count)
    return try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: count) { (output) throws(CryptoError) in
        data.withBytes { Bech32.encode(prefix: prefix, $0, into: &output) }
      }
    }
  }
}

extension AgeIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private var shown: String { knownRecipient?.text ?? "plugin \(pluginName ?? "")" }

  public var description: String { "AgeIdentity(\(shown))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["recipient": shown]) }
}
