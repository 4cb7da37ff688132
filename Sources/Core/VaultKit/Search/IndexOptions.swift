internal import VaultCrypto
internal import VaultDocument
internal import VaultIndex
internal import VaultRecords
internal import VaultStorage
internal import VaultTrust

/// Where an index of a vault's readable fields may be kept, so that lists and look-ups need not read every file.
///
/// It is a cache for its owner alone, one file for each folder that holds a vault, made when it is first of use and
/// brought up to date by whoever asks. Deleting it is always safe. Nothing of a sealed field is in it.
package struct IndexOptions: Sendable {
  /// The folder that the index lies in; it is made, 0700, when it is needed.
  package let directory: String
  /// From how many records on an index is made: fewer are read as fast.
  package var minimumRecordCount = 256
  /// Called with half a sentence when the files are read although an index was wanted.
  package var onNote: @Sendable (String) -> Void = { _ in }

  /// An index in this folder.
  package init(directory: String) { self.directory = directory }
}

/// Where the index of a vault lies, and how large it is.
package struct IndexState: Sendable {
  /// The path of its file.
  package let path: String
  /// Nil while there is none.
  package let byteCount: Int?
}

extension LockedVault {
  /// The same vault, with an index of its records, or with nil without one.
  ///
  /// What is found with it is the same, but for one thing: a file that was edited in place, and not replaced as this
  /// program does it, is only noticed where it is among what is found. A vault that is in no folder has no index.
  package func using(_ index: IndexOptions?) -> LockedVault { LockedVault(self, index: index) }

  /// Where the index is; nil when none is used.
  package var indexState: IndexState? {
    indexPlace.map { IndexState(path: $0.path, byteCount: $0.byteCount) }
  }

  /// By the hash of the folder's real path, or of the address: copies of a vault have indexes of their own.
  var indexPlace: IndexPlace? {
    guard let indexOptions, store is any StampedStore, let path = store.knownPaths.last,
      let hash = try? unsafe SHA256.hash(Array(path.utf8).span.bytes)
    else { return nil }
    return IndexPlace(directory: indexOptions.directory, name: Hex.encode(Array(hash.prefix(16))))
  }

  /// What an index is made for: the vault, and the kinds by which its records are read.
  var indexIdentity: [UInt8] { header.vaultID.bytes + kinds.identity }
}
