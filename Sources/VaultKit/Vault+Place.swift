internal import VaultFileStore
package import VaultStorage

extension Vault {
  /// Whether a folder is the vault's, or lies below it, whatever links and dots lead to either; false when one is not
  /// there.
  ///
  /// - Throws: ``VaultError`` `.permissionDenied`, `.ioFailed`.
  package static func isFolder(_ folder: String, inVaultAt vault: String) throws(VaultError) -> Bool {
    try inStore { () throws(StoreError) in try NamedFolder.lies(folder, in: vault) }
  }
}

extension LockedVault {
  /// What was written to the vault's directory, or removed from it, through this value, its copies and what they
  /// unlock.
  package var writtenPlaces: Set<StoreLocation> { (store as? DirectoryStore)?.written.all ?? [] }
}
