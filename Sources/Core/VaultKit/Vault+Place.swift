internal import VaultFileStore
package import VaultStorage
internal import VaultTrust

extension Vault {
  /// Whether a folder is the vault's, or lies below it, whatever links and dots lead to either; false when one is not
  /// there.
  package static func isFolder(_ folder: String, inVaultAt vault: String) throws(VaultError) -> Bool {
    try inStore { () throws(StoreError) in try NamedFolder.lies(folder, in: vault) }
  }
}

extension LockedVault {
  /// Notes from now on what is written to the vault's directory, or removed from it, through this value, its copies and
  /// what they unlock.
  package func noteWrittenPlaces() { (store as? DirectoryStore)?.written.begin() }

  /// What was written since ``noteWrittenPlaces()``.
  package var writtenPlaces: Set<StoreLocation> { (store as? DirectoryStore)?.written.all ?? [] }

  /// Whether a file was made or removed since ``noteWrittenPlaces()``.
  package var hasMadeOrRemovedFiles: Bool { (store as? DirectoryStore)?.written.hasMadeOrRemoved ?? false }
}
