internal import VaultDocument
internal import VaultFileStore
internal import VaultStorage
internal import VaultTrust

extension KnownVaults {
  /// Remembers that somebody was told on which type of file system a vault lies.
  ///
  /// - Returns: whether this machine did not know it.
  package func noteDisk(_ type: String, of vault: LockedVault) throws(VaultError) -> Bool {
    let name = StateName.disk(vault.header.vaultID)
    let bytes = Array((type + "\n").utf8)
    guard try read(name) != bytes else { return false }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    try inState { () throws(StoreError) in try folder.apply([StateFolder.Change(name, bytes)], under: lock) }
    return true
  }
}

extension StateName {
  /// The file system on which a vault was last said to lie.
  static func disk(_ id: VaultID) -> StateName { StateName("disks", id.text + ".txt") }
}
