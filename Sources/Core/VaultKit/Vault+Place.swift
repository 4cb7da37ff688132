internal import VaultFileStore
package import VaultStorage
internal import VaultTrust

extension Vault {
  /// Whether a folder is the vault's or lies below it, even through links and dots; false if either does not exist.
  package static func isFolder(_ folder: String, inVaultAt vault: String) throws(VaultError) -> Bool {
    try inStore { () throws(StoreError) in try NamedFolder.lies(folder, in: vault) }
  }
}

extension LockedVault {
  /// Starts recording the places in the vault's directory that are written or removed through this value, its copies
  /// and vaults unlocked from it.
  package func noteWrittenPlaces() { (store as? DirectoryStore)?.written.begin() }

  package var writtenPlaces: Set<StoreLocation> { (store as? DirectoryStore)?.written.all ?? [] }

  /// Whether a file was created or removed since ``noteWrittenPlaces()``.
  package var hasMadeOrRemovedFiles: Bool { (store as? DirectoryStore)?.written.hasMadeOrRemoved ?? false }
}
