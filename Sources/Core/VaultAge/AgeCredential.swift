public import VaultCrypto

/// Something that may open an age file.
public enum AgeCredential: Sendable {
  /// An identity.
  case identity(AgeIdentity)
  /// The UTF-8 bytes of a passphrase, and the highest work factor (base-two logarithm) that may be spent on it.
  case passphrase(SecretBytes, maximumWorkFactor: Int = 20)
}

extension AgeHeader {
  /// The file key that one of `credentials` unwraps from the header at the start of `file`, checked against the MAC.
  ///
  /// Unknown stanza types are skipped. A malformed stanza of a known type is an error, even if it is for another
  /// recipient.
  func fileKey(for credentials: [AgeCredential], file: RawSpan) throws(AgeError) -> SecretBytes {
    let fileKey = hasScryptStanza ? try passphraseFileKey(credentials) : try identityFileKey(credentials)
    guard try FileKey.isValid(mac, for: file.extracting(0..<authenticatedByteCount), fileKey: fileKey) else {
      throw AgeError(.headerAuthenticationFailed, "the header's MAC is wrong")
    }
    return fileKey
  }

  /// Derives a key for each passphrase in turn until one fits. A work factor above its maximum ends the search.
  private func passphraseFileKey(_ credentials: [AgeCredential]) throws(AgeError) -> SecretBytes {
    let stanza = try ScryptStanza(onlyStanzaOf: self)
    var wasTried = false
    for case .passphrase(let passphrase, let maximumWorkFactor) in credentials {
      wasTried = true
      if let fileKey = try stanza.unwrap(with: passphrase, maximumWorkFactor: maximumWorkFactor) { return fileKey }
    }
    guard wasTried else {
      throw AgeError(.noMatchingIdentity, "the file is sealed with a passphrase, but no passphrase was given")
    }
    throw AgeError(.wrongPassphrase, "the passphrase does not open the file")
  }

  private func identityFileKey(_ credentials: [AgeCredential]) throws(AgeError) -> SecretBytes {
    let wrapped = try WrappedFileKeys(stanzas)
    for case .identity(let identity) in credentials {
      if let fileKey = try wrapped.unwrap(with: identity) { return fileKey }
    }
    throw AgeError(.noMatchingIdentity, "none of the given identities opens the file")
  }
}
