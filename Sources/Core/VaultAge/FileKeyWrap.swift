import VaultCrypto

/// The stanzas of a header that this module or a plugin may unwrap, checked in form.
struct WrappedFileKeys {
  private let all: [AgeStanza]
  private let x25519: [X25519Stanza]

  /// Checks the form of every stanza of a known type.
  init(_ stanzas: [AgeStanza]) throws(AgeError) {
    var x25519: [X25519Stanza] = []
    for stanza in stanzas where stanza.type == AgeStanza.x25519Type { x25519.append(try X25519Stanza(stanza)) }
    (all, self.x25519) = (stanzas, x25519)
  }

  /// The file key; nil if no stanza is for `identity`.
  func unwrap(with identity: AgeIdentity) throws(AgeError) -> SecretBytes? {
    switch identity.kind {
    case .x25519(let scalar, let publicKey):
      for stanza in x25519 {
        if let fileKey = try stanza.unwrap(with: scalar, of: publicKey) { return fileKey }
      }
      return nil
    case .hybrid: throw AgeError(.unsupportedIdentity, "hybrid (post-quantum) identities are not supported")
    case .plugin(let name, let text): return try PluginWrap.unwrap(all, with: text, of: name)
    }
  }
}

extension FileKey {
  /// The stanzas that carry the key to `recipients`, in their order. A plugin runs once for all of its recipients.
  static func stanzas(_ fileKey: SecretBytes, to recipients: [AgeRecipient]) throws(AgeError) -> [AgeStanza] {
    var stanzas: [AgeStanza] = []
    var labels: Set<Set<String>> = []
    var plugins: Set<String> = []
    for recipient in recipients {
      switch recipient.kind {
      case .x25519(let publicKey):
        stanzas.append(try X25519Stanza.wrap(fileKey, to: publicKey))
        labels.insert([])
      case .hybrid: throw AgeError(.unsupportedRecipient, "hybrid (post-quantum) recipients are not supported")
      case .plugin(let name, _):
        guard plugins.insert(name).inserted else { continue }
        let texts = recipients.filter { $0.pluginName == name }.map(\.text)
        let wrapped = try PluginWrap.wrap(fileKey, to: texts, of: name)
        stanzas += wrapped.stanzas
        labels.insert(wrapped.labels)
      }
    }
    // Source: c2sp.org/age-plugin, "Wrapping with recipient-v1", the command `extension-labels`.
    guard labels.count == 1 else {
      throw AgeError(.incompatibleRecipients, "the recipients cannot be combined: a plugin keeps its own apart")
    }
    return stanzas
  }
}
