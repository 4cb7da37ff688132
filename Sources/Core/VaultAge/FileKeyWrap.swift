import VaultCrypto

/// The stanzas of a header that this module or a plugin may unwrap, checked in form.
struct WrappedFileKeys {
  private let all: [AgeStanza]
  private let x25519: [X25519Stanza]
  private let hybrid: [HybridStanza]

  /// Checks the form of every stanza of a known type.
  init(_ stanzas: [AgeStanza]) throws(AgeError) {
    var x25519: [X25519Stanza] = []
    var hybrid: [HybridStanza] = []
    for stanza in stanzas {
      switch stanza.type {
      case AgeStanza.x25519Type: x25519.append(try X25519Stanza(stanza))
      case AgeStanza.hybridType: hybrid.append(try HybridStanza(stanza))
      default: break
      }
    }
    (all, self.x25519, self.hybrid) = (stanzas, x25519, hybrid)
  }

  /// The file key; nil if no stanza is for `identity`.
  func unwrap(with identity: AgeIdentity) throws(AgeError) -> SecretBytes? {
    switch identity.kind {
    case .x25519(let scalar, let publicKey):
      for stanza in x25519 {
        if let fileKey = try stanza.unwrap(with: scalar, of: publicKey) { return fileKey }
      }
      return nil
    case .hybrid(let seed, _):
      for stanza in hybrid {
        if let fileKey = try stanza.unwrap(with: seed) { return fileKey }
      }
      return nil
    case .plugin(let name, let text): return try PluginWrap.unwrap(all, with: text, of: name)
    }
  }
}

extension FileKey {
  /// The stanzas that carry the key to `recipients`, in their order. A plugin runs once for all of its recipients.
  ///
  /// - Parameter mayMix: whether recipients with different labels may stand in one file.
  static func stanzas(
    _ fileKey: SecretBytes, to recipients: [AgeRecipient], mayMix: Bool
  ) throws(AgeError) -> [AgeStanza] {
    var stanzas: [AgeStanza] = []
    var labels: Set<Set<String>> = []
    var plugins: Set<String> = []
    for recipient in recipients {
      switch recipient.kind {
      case .x25519(let publicKey):
        stanzas.append(try X25519Stanza.wrap(fileKey, to: publicKey))
        labels.insert([])
      case .hybrid(let publicKey):
        stanzas.append(try HybridStanza.wrap(fileKey, to: publicKey))
        labels.insert(["postquantum"])
      case .plugin(let name, _):
        guard plugins.insert(name).inserted else { continue }
        let texts = recipients.filter { $0.pluginName == name }.map(\.text)
        let wrapped = try PluginWrap.wrap(fileKey, to: texts, of: name)
        stanzas += wrapped.stanzas
        labels.insert(wrapped.labels)
      }
    }
    // Source: c2sp.org/age-plugin, "Wrapping with recipient-v1", the command `extension-labels`.
    guard mayMix || labels.count == 1 else {
      throw AgeError(.mixedRecipients, "the recipients cannot be combined: a plugin keeps its own apart")
    }
    return stanzas
  }
}
