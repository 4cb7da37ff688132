import VaultCrypto

/// The stanzas of a header that this module or a plugin may unwrap, checked in form.
struct WrappedFileKeys {
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
    (self.x25519, self.hybrid) = (x25519, hybrid)
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
    case .plugin: throw AgeError(.unsupportedIdentity, "plugin identities are not supported")
    }
  }
}

extension AgeRecipient {
  /// The stanzas that carry `fileKey` to this recipient; at least one.
  func wrap(_ fileKey: SecretBytes) throws(AgeError) -> [AgeStanza] {
    switch kind {
    case .x25519(let publicKey): [try X25519Stanza.wrap(fileKey, to: publicKey)]
    case .hybrid(let publicKey): [try HybridStanza.wrap(fileKey, to: publicKey)]
    case .plugin: throw AgeError(.unsupportedRecipient, "plugin recipients are not supported")
    }
  }
}
