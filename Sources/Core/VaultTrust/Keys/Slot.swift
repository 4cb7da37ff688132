public import VaultAge
package import VaultCrypto
public import VaultDocument
package import VaultSealing

/// One way to unlock, as the header lists it: an age file that holds the root key.
public struct Slot: Sendable {
  /// The kind of key that opens the slot.
  public enum Kind: Sendable, Equatable {
    /// The identity of this recipient.
    case x25519(AgeRecipient)
    /// The identity of this hybrid (post-quantum) recipient.
    case hybrid(AgeRecipient)
    /// An identity of the plugin of this recipient.
    case plugin(AgeRecipient)
    /// A passphrase.
    case scrypt

    /// The name in the header.
    public var name: String {
      switch self {
      case .x25519: "x25519"
      case .hybrid: "mlkem768x25519"
      case .plugin: "plugin"
      case .scrypt: "scrypt"
      }
    }
  }

  /// The id in its file's name.
  public let id: SlotID
  /// The name for people; may be empty.
  public let label: String
  /// The kind of key that opens it.
  public let kind: Kind
  /// The time when it was added, or made again by a rotation.
  public let createdAt: Timestamp
  /// SHA-256 of the whole slot file, 32 bytes.
  public let sha256: [UInt8]

  /// The recipient; nil for a passphrase.
  public var recipient: AgeRecipient? {
    switch kind {
    case .x25519(let recipient), .hybrid(let recipient), .plugin(let recipient): recipient
    case .scrypt: nil
    }
  }

  /// Whether one of the identities may open the slot. Only the plugin knows whether one of its identities does.
  package func mayOpen(with identities: [AgeIdentity]) -> Bool {
    recipient.map { recipient in identities.contains { $0.mayOpen(recipient) } } ?? false
  }

  /// Whether the slot withstands quantum computers. A passphrase does. A plugin's slot does not count, because only the
  /// plugin knows its key.
  package var isPostQuantum: Bool { recipient.map(\.isPostQuantum) ?? true }

  /// The path of the slot's file below the vault's directory.
  public var path: String { "slots/\(id.text).age" }

  package init(id: SlotID, label: String, kind: Kind, createdAt: Timestamp, sha256: [UInt8]) {
    self.id = id
    self.label = label
    self.kind = kind
    self.createdAt = createdAt
    self.sha256 = sha256
  }

  init(_ members: MemberReader) throws(VaultError) {
    try members.allowOnly(["created_at", "id", "kind", "label", "recipient", "sha256"])
    id = try members.value("id")
    label = try members.text("label")
    createdAt = try members.value("created_at")
    sha256 = try members.hash("sha256")
    kind = try Kind(members)
  }

  /// The slot in the header.
  package var members: JSONObject {
    JSONObject(present: [
      "created_at": createdAt, "id": id, "kind": kind.name, "label": label, "recipient": recipient?.text,
      "sha256": Hex.encode(sha256),
    ])
  }
}

extension Slot.Kind {
  /// The kind of a slot for `recipient`.
  package init(_ recipient: AgeRecipient) {
    self =
      switch recipient.kind {
      case .x25519: .x25519(recipient)
      case .hybrid: .hybrid(recipient)
      case .plugin: .plugin(recipient)
      }
  }

  fileprivate init(_ members: MemberReader) throws(VaultError) {
    let name = try members.text("kind")
    if name == Self.scrypt.name {
      guard members["recipient"] == nil else { throw members.damaged("recipient") }
      self = .scrypt
      return
    }
    guard ["x25519", "mlkem768x25519", "plugin"].contains(name) else { throw members.damaged("kind") }
    guard let recipient = try? AgeRecipient(parsing: members.text("recipient")), case let kind = Self(recipient),
      kind.name == name
    else { throw members.damaged("recipient") }
    self = kind
  }
}

extension [Slot] {
  /// Whether further keys of the vault are post-quantum. Passphrases alone do not show that its machines have the
  /// library for such keys.
  package var arePostQuantum: Bool { allSatisfy(\.isPostQuantum) && contains { $0.recipient != nil } }
}

/// The content of a slot's age file: four lines (format 1, section 4.2, Slots).
package enum SlotPayload {
  /// The lines for `root`, in secure memory. The root key must be in this process.
  package static func make(_ root: RootKey) throws(VaultError) -> SecretBytes {
    let head = "ecv-root 1\nvault \(root.vaultID.text)\nkey \(root.id)\nroot "
    try inSealing { () throws(SealingError) in try root.requireHere() }
    do throws(CryptoError) {
      return try root.withKey { key throws(CryptoError) in
        try SecretBytes(byteCount: head.utf8.count + Base64.encodedCount(of: key.byteCount) + 1) { payload in
          for byte in head.utf8 { payload.append(byte) }
          Base64.append(Span(_bytes: key), to: &payload)
          payload.append(UInt8(ascii: "\n"))
        }
      }
    } catch {
      throw VaultError(crypto: error)
    }
  }

  /// The root key in `payload`, which must be for this vault and hold nothing else. The caller compares the key's own
  /// id and commitment with the header.
  package static func parse(_ payload: SecretBytes, slot: Slot, header: VaultHeader) throws(VaultError) -> RootKey {
    let head = Array("ecv-root 1\nvault \(header.vaultID.text)\nkey \(header.root.id)\nroot ".utf8)
    let encoded = Base64.encodedCount(of: RootKey.byteCount)
    let damaged = VaultError(.damaged, "has no root key of this vault", file: slot.path)
    guard payload.count == head.count + encoded + 1 else { throw damaged }
    let key: SecretBytes?
    do throws(CryptoError) {
      key = try payload.withBytes { payload throws(CryptoError) -> SecretBytes? in
        let bytes = Span<UInt8>(_bytes: payload)
        guard head.indices.allSatisfy({ bytes[$0] == head[$0] }), bytes[bytes.count - 1] == UInt8(ascii: "\n") else {
          return nil
        }
        return try SecretBytes.key(ofBase64: bytes.extracting(head.count..<head.count + encoded))
      }
    } catch {
      throw VaultError(crypto: error)
    }
    guard let key else { throw damaged }
    do throws(SealingError) {
      return try RootKey(key, vaultID: header.vaultID)
    } catch {
      throw VaultError(sealing: error, file: slot.path)
    }
  }
}
