import VaultCrypto
internal import VaultDocument

/// The start of a new file: its header, its nonce, and the key for its payload. It serves one file, because the key
/// must not seal two payloads.
package struct AgeSealing {
  /// Header and payload nonce.
  package let prefix: [UInt8]
  package let payload: AgePayload

  /// - Parameter mayMix: whether post-quantum recipients may stand beside others.
  package init(to recipients: [AgeRecipient], mayMix: Bool = false) throws(AgeError) {
    guard !recipients.isEmpty else { throw AgeError(.noRecipient, "there is no recipient to seal to") }
    try mayMix ? AgeRecipient.requireLibrary(for: recipients) : AgeRecipient.requireUsable(recipients)
    guard recipients.count <= AgeHeader.maximumStanzaCount else {
      throw AgeError(.tooLarge, "there are more recipients than a header can have")
    }
    let fileKey = try FileKey.random()
    try self.init(fileKey: fileKey, stanzas: FileKey.stanzas(fileKey, to: recipients, mayMix: mayMix))
  }

  init(passphrase: RawSpan, workFactor: Int) throws(AgeError) {
    let fileKey = try FileKey.random()
    let stanza = try ScryptStanza.wrap(fileKey, passphrase: passphrase, workFactor: workFactor)
    try self.init(fileKey: fileKey, stanzas: [stanza])
  }

  private init(fileKey: SecretBytes, stanzas: [AgeStanza]) throws(AgeError) {
    var bytes = AgeHeader.authenticatedBytes(stanzas)
    let mac = try FileKey.headerMAC(RawSpan(_elements: bytes.span), fileKey: fileKey)
    bytes.append(.space)
    Base64.append(mac.span, .unpadded, to: &bytes)
    bytes.append(.lineFeed)
    let nonce = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecureRandom.bytes(count: AgePayload.nonceByteCount)
    }
    prefix = bytes + nonce
    payload = try AgePayload(fileKey: fileKey, nonce: nonce)
  }
}
