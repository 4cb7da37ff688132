package import VaultFileStore
package import VaultStorage
package import VaultSystem

/// A new vault in a folder of its own, without a real disk behind its syncs.
package struct StoreFolder: Sendable {
  private let folder = TemporaryFolder()
  /// The vault's path.
  package let path: String
  package let store: DirectoryStore

  /// Makes the vault with the header `[0]`.
  package init() throws {
    path = folder.path + "/vault"
    store = try DirectoryStore.create(at: path, operations: FaultyFileOperations(recorder: SimulatedDisk()))
    try store.apply([.put(.header, [0])])
  }

  /// Another store of the same vault.
  package func reopen(_ operations: (any FileOperations)? = nil) throws(StoreError) -> DirectoryStore {
    try DirectoryStore(at: path, operations: operations ?? FaultyFileOperations(recorder: SimulatedDisk()))
  }

  /// The path of something in the vault.
  package subscript(_ relative: String) -> String { path + "/" + relative }

  /// The path of a document.
  package subscript(_ location: StoreLocation) -> String { path + "/" + location.relativePath }
}
