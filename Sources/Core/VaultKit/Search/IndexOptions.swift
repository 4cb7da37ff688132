internal import VaultCrypto
internal import VaultDocument
internal import VaultIndex
internal import VaultRecords
internal import VaultStorage
internal import VaultTrust

/// The place and rules for an index of a vault's readable fields, so that lists and look-ups need not read every file.
///
/// It is a cache only for its owner, one file for each folder of a vault, made when it is first useful and updated by
/// every reader. Deleting it is always safe. It contains nothing of a sealed field.
package struct IndexOptions: Sendable {
  /// The folder of the index; it is created, 0700, if needed.
  package let directory: String
  /// An index is made from this many records on; fewer are read as fast.
  package var minimumRecordCount = 256
  /// Called with half a sentence if the files are read although an index was wanted.
  package var onNote: @Sendable (String) -> Void = { _ in }

  package init(directory: String) { self.directory = directory }
}

/// The place and size of a vault's index.
package struct IndexState: Sendable {
  package let path: String
  /// Nil if it does not exist.
  package let byteCount: Int?
}

extension LockedVault {
  /// The same vault with an index of its records; nil means without one.
  ///
  /// Results are the same with one exception: a file that was edited in place, and not replaced as this program does,
  /// is only noticed if it is among the results. A vault that is not in a folder has no index.
  package func using(_ index: IndexOptions?) -> LockedVault { LockedVault(self, index: index) }

  /// The place of the index; nil if no index is used.
  package var indexState: IndexState? {
    indexPlace.map { IndexState(path: $0.path, byteCount: $0.byteCount) }
  }

  /// Named by the hash of the folder's real path, or of the address, so that copies of a vault have separate indexes.
  var indexPlace: IndexPlace? {
    guard let indexOptions, store is any StampedStore, let path = store.knownPaths.last,
      let hash = try? unsafe SHA256.hash(Array(path.utf8).span.bytes)
    else { return nil }
    return IndexPlace(directory: indexOptions.directory, name: Hex.encode(Array(hash.prefix(16))))
  }

  /// The identity of an index: the vault, and the kinds by which its records are read.
  var indexIdentity: [UInt8] { header.vaultID.bytes + kinds.identity }
}
