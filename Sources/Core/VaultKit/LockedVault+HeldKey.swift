package import VaultDocument
package import VaultSealing
internal import VaultTrust

// A vault whose root key is in another process: records are read and written, and nothing else is.

extension LockedVault {
  /// Unlocks it with a root key that another process holds; what is remembered is compared as in
  /// ``unlock(with:options:)``.
  ///
  /// - Parameter slot: what unlocked it there.
  package func unlock(
    heldBy holder: any RootKeyHolder, slot id: SlotID, options: Vault.Options = .init()
  ) throws(VaultError) -> Vault {
    guard let slot = header.slots.first(where: { $0.id == id }) else {
      throw VaultError(.noSuchSlot, "is no slot of the vault any more")
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
  /// The root key, for who is to hold it for other processes.
  package var rootKey: RootKey { keyring.current }
}
