internal import VaultAge
package import VaultCrypto
internal import VaultDocument
package import VaultSealing
package import VaultStorage

/// Unlocks a vault: from its header and a key to the root key (format 1, section 9, Reading). Nothing is written.
package struct Unlocking {
  package let store: any RecordStore
  package let header: VaultHeader

  package init(store: any RecordStore, header: VaultHeader) {
    (self.store, self.header) = (store, header)
  }

  /// The root key and the slot that gave it.
  ///
  /// The order of checks is fixed: the slot's shape and cost, its hash, age, the ids, the commitment, the header's MAC.
  package func unlock(with key: VaultKey) throws(VaultError) -> (root: RootKey, slot: Slot) {
    let (payload, slot) =
      switch key {
      case .identities(let identities): try open(with: identities)
      case .passphrase(let passphrase, let maximum): try open(with: passphrase, maximum: maximum)
      }
    let root = try SlotPayload.parse(payload, slot: slot, header: header)
    try verify(root, slot)
    return (root, slot)
  }

  private func verify(_ root: RootKey, _ slot: Slot) throws(VaultError) {
    guard root.id == header.root.id, constantTimeEqual(root.commitment, header.root.commitment) else {
      throw SlotFile.damaged(slot, "does not hold the root key that the header names")
    }
    try header.authenticate(under: root)
  }

  /// Opens the first slot for one of the identities. If that slot is damaged, no other is tried. Slots of plugins come
  /// last, because a plugin may ask somebody for something.
  private func open(with identities: [AgeIdentity]) throws(VaultError) -> (SecretBytes, Slot) {
    for slot in header.slots {
      guard let recipient = slot.recipient, recipient.pluginName == nil,
        let identity = identities.first(where: { $0.mayOpen(recipient) })
      else { continue }
      let file = try inspected(slot, maximumWorkFactor: SlotFile.defaultMaximumWorkFactor)
      do throws(AgeError) {
        return unsafe (try AgeFile.open(file.span.bytes, with: [.identity(identity)]), slot)
      } catch {
        throw SlotFile.damaged(slot, "does not open with its recipient's identity")
      }
    }
    for slot in header.slots {
      if let payload = try openByPlugin(slot, with: identities) { return (payload, slot) }
    }
    throw VaultError(.noMatchingSlot, "no slot of the vault is for this identity")
  }

  /// The content of a plugin's slot; nil if no identity is of this plugin, or if the plugin has no key for the slot.
  private func openByPlugin(_ slot: Slot, with identities: [AgeIdentity]) throws(VaultError) -> SecretBytes? {
    guard case .plugin(let recipient) = slot.kind else { return nil }
    let own = identities.filter { $0.mayOpen(recipient) }
    guard !own.isEmpty else { return nil }
    let file = try inspected(slot, maximumWorkFactor: SlotFile.defaultMaximumWorkFactor)
    do throws(AgeError) {
      return try unsafe AgeFile.open(file.span.bytes, with: own.map { .identity($0) })
    } catch {
      switch error.code {
      case .noMatchingIdentity: return nil
      case .pluginFailed, .pluginMissing: throw VaultError(.pluginFailed, error.reason, underlying: error)
      default: throw SlotFile.damaged(slot, "does not open with its plugin's key")
      }
    }
  }

  /// Tries every passphrase slot; a damaged one is an error only if no other opens.
  private func open(with passphrase: SecretBytes, maximum: Int) throws(VaultError) -> (SecretBytes, Slot) {
    let slots = header.slots.filter { $0.kind == .scrypt }
    guard !slots.isEmpty else {
      throw VaultError(.noMatchingSlot, "no slot of the vault takes a passphrase", remedies: [.useIdentity])
    }
    var refusal: VaultError?
    for slot in slots {
      do throws(VaultError) {
        if let payload = try open(slot, with: passphrase, maximum: maximum) { return (payload, slot) }
      } catch {
        refusal = refusal ?? error
      }
    }
    throw refusal
      ?? VaultError(
        .wrongPassphrase, "the passphrase opens no slot of the vault", remedies: ["check the passphrase and try again"])
  }

  /// The content of the slot; nil if the passphrase does not open it.
  package func open(
    _ slot: Slot, with passphrase: SecretBytes, maximum: Int
  ) throws(VaultError) -> SecretBytes? {
    let file = try inspected(slot, maximumWorkFactor: maximum)
    do throws(AgeError) {
      return try unsafe AgeFile.open(file.span.bytes, with: [.passphrase(passphrase, maximumWorkFactor: maximum)])
    } catch {
      switch error.code {
      case .wrongPassphrase, .noMatchingIdentity: return nil
      case .cryptoFailed: throw VaultError(.memoryUnavailable, error.reason, file: slot.path, underlying: error)
      default: throw SlotFile.damaged(slot, "is damaged")
      }
    }
  }

  /// The bytes of a slot's file, after all checks that need no key.
  private func inspected(_ slot: Slot, maximumWorkFactor: Int) throws(VaultError) -> [UInt8] {
    guard let file = try inStore({ () throws(StoreError) in try store.read(.slot(slot.id)) }) else {
      throw SlotFile.damaged(slot, "is missing")
    }
    try SlotFile.inspect(file, slot, maximumWorkFactor: maximumWorkFactor)
    return file
  }
}
