package import VaultDocument
package import VaultSealing
internal import VaultTrust

// A vault whose root key is in another process, which only reads and writes records.

extension LockedVault {
  /// Unlocks it with a root key that another process holds. The memory is compared like in ``unlock(with:options:)``.
  /// Unlike there, a header that another process replaced is not read again.
  package func unlock(
    heldBy holder: any RootKeyHolder, slot id: SlotID, options: Vault.Options = .init()
  ) throws(VaultError) -> Vault {
    guard let slot = header.slots.first(where: { $0.id == id }) else {
      throw VaultError(.noSuchSlot, "is no longer a slot of the vault")
    }
    let memory = RollbackMemory(of: self, options)
    let known = try memory?.requireIdentity(header)
    let root = RootKey(
      heldBy: holder, id: header.root.id, commitment: header.root.commitment, vaultID: header.vaultID)
    try header.authenticate(under: root)
    try memory?.remember(header, known)
    options.tell(.opened, of: header.vaultID, slots: [id])
    return Vault(locked: self, root: root, slot: slot, memory: memory, options: options)
  }
}

extension Vault {
  /// The root key, for a process that will hold it for others.
  package var rootKey: RootKey { keyring.current }
}
