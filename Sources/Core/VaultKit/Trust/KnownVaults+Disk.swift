internal import VaultDocument
internal import VaultFileStore
internal import VaultStorage
internal import VaultTrust

extension KnownVaults {
  /// Remembers that a person was told the type of file system on which a vault lies.
  ///
  /// - Returns: whether it is new to this machine.
  package func noteDisk(_ type: String, of vault: LockedVault) throws(VaultError) -> Bool {
    let name = StateName.disk(vault.header.vaultID)
    let bytes = Array((type + "\n").utf8)
    guard try read(name) != bytes else { return false }
    try write([StateFolder.Change(name, bytes)])
    return true
  }
}

extension StateName {
  /// The file system on which a vault was last reported.
  static func disk(_ id: VaultID) -> StateName { StateName("disks", id.text + ".txt") }
}
