import VaultCrypto

/// A public key to which age files can be sealed, written `age1…`.
///
/// Source: c2sp.org/age, "The X25519 recipient type", "The MLKEM768-X25519 hybrid post-quantum recipient type";
/// c2sp.org/age-plugin, "Recipients and identities".
public struct AgeRecipient: Hashable, Sendable {
  /// The types of recipients, with their parts.
  package enum Kind: Hashable, Sendable {
    /// The 32 bytes of an X25519 public key.
    case x25519(publicKey: [UInt8])
    /// The 1216 bytes of a hybrid (post-quantum) public key.
    case hybrid(publicKey: [UInt8])
    /// A recipient of a plugin: the plugin's name, and the whole `age1NAME1…` text, which only the plugin understands.
    case plugin(name: String, text: String)
  }

  package let kind: Kind

  static let publicKeyByteCount = 32

  package init(_ kind: Kind) { self.kind = kind }

  package init(publicKey: [UInt8]) {
    precondition(publicKey.count == Self.publicKeyByteCount, "an X25519 public key has 32 bytes")
    kind = .x25519(publicKey: publicKey)
  }

  /// Reads `age1…` text, strictly: lower case, no surrounding white space, valid checksum.
  ///
  /// A post-quantum recipient is read with every OpenSSL; ``requireUsable(_:)`` says whether something can be sealed.
  /// - Throws: `.malformedRecipient`; `.unsupportedRecipient` for SSH keys and tagged recipients.
  public init(parsing text: String) throws(AgeError) {
    let characters = [UInt8](text.utf8)
    try self.init(parsing: RawSpan(_elements: characters.span), line: nil)
  }

  init(parsing text: RawSpan, line: Int?) throws(AgeError) {
    try Self.refuseOtherTypes(text, line: line)
    do throws(Bech32.Fault) {
      let layout = try Bech32.check(text)
      guard text.has("age1") else { throw Bech32.Fault(reason: "the text does not begin with age1") }
      if layout.separator == 6, text.has("age1pq1") {
        guard layout.byteCount == HybridKEM.publicKeyByteCount else {
          throw Bech32.Fault(reason: "the key is not 1216 bytes long")
        }
        kind = .hybrid(publicKey: Bech32.data(text, layout))
        return
      }
      guard layout.separator == 3 else {
        // The Bech32 alphabet has no 1, so a second one means that the prefix continues with a plugin's name.
        kind = .plugin(name: try PluginName.read(text, 4..<layout.separator), text: text.string)
        return
      }
      guard layout.byteCount == Self.publicKeyByteCount else {
        throw Bech32.Fault(reason: "the key is not 32 bytes long")
      }
      kind = .x25519(publicKey: Bech32.data(text, layout))
    } catch {
      throw AgeError(.malformedRecipient, error.reason, line: line)
    }
  }

  /// The name of the plugin that seals to this recipient; nil if this module does it.
  public var pluginName: String? {
    if case .plugin(let name, _) = kind { name } else { nil }
  }

  /// Whether files for this recipient withstand quantum computers. For a plugin's recipient nobody knows it here.
  public var isPostQuantum: Bool {
    if case .hybrid = kind { true } else { false }
  }

  /// Refuses recipients to which one file cannot be sealed here, before any work is done.
  ///
  /// - Throws: `.unsupportedRecipient` for post-quantum recipients if OpenSSL is older than 3.5; `.mixedRecipients` for
  ///   post-quantum beside other recipients, because the weaker one would decide.
  public static func requireUsable(_ recipients: [AgeRecipient]) throws(AgeError) {
    try requireLibrary(for: recipients)
    // Nobody knows before a plugin has run whether its stanzas are post-quantum.
    guard Set(recipients.filter { $0.pluginName == nil }.map(\.isPostQuantum)).count <= 1 else {
      throw AgeError(.mixedRecipients, "post-quantum and other recipients cannot be combined in one file")
    }
  }

  /// Refuses post-quantum recipients if OpenSSL is older than 3.5.
  ///
  /// - Throws: `.unsupportedRecipient`.
  package static func requireLibrary(for recipients: [AgeRecipient]) throws(AgeError) {
    guard HybridKEM.isAvailable || !recipients.contains(where: \.isPostQuantum) else {
      throw AgeError(.unsupportedRecipient, AgeError.needsNewerLibrary)
    }
  }

  /// The `age1…` form; 62 characters for an X25519 key, 1959 for a post-quantum one.
  public var text: String {
    switch kind {
    case .x25519(let publicKey): Bech32.text(prefix: "age", publicKey)
    case .hybrid(let publicKey): Bech32.text(prefix: "age1pq", publicKey)
    case .plugin(_, let text): text
    }
  }

  // Unsupported types are refused by name, so that nobody takes the refusal for a typing error.
  private static func refuseOtherTypes(_ text: RawSpan, line: Int?) throws(AgeError) {
    let reason: StaticString
    if text.has("ssh-") || text.has("ecdsa-sha2-") || text.has("sk-ssh-") || text.has("sk-ecdsa-") {
      reason = "SSH keys are not supported as recipients; use an age1 recipient"
    } else if text.has("age1tag1") || text.has("age1tagpq1") {
      reason = "tagged (hardware) recipients are not supported; use an X25519 age1 recipient"
    } else {
      return
    }
    throw AgeError(.unsupportedRecipient, reason, line: line)
  }
}

extension AgeRecipient: CustomStringConvertible {
  public var description: String { text }
}
