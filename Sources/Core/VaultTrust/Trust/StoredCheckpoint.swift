internal import VaultDocument
internal import VaultSealing
package import VaultStorage

/// A checkpoint as a store has it.
///
/// It is a type and not a tuple, because the optimiser of Swift 6.3 returns a damaged copy of a large member of an
/// optional tuple (`Tests/Toolchain/README.md`).
package struct StoredCheckpoint: Sendable {
  package let checkpoint: Checkpoint
  /// Tells whether the file is still the same.
  package let mark: ContentMark

  /// Reads the checkpoint of a store, without authenticating it. Nil if the store has none.
  package static func read(from store: any RecordStore) throws(VaultError) -> StoredCheckpoint? {
    let reader = try inStore { () throws(StoreError) in try store.reader(of: .checkpoint) }
    guard let reader else { return nil }
    return StoredCheckpoint(checkpoint: try Checkpoint(reading: reader), mark: reader.mark)
  }
}

extension Checkpoint {
  /// Authenticates it under the root of the keyring that it names: the current one, or one that is still open.
  package func authenticate(under keyring: Keyring) throws(VaultError) {
    let hint = Array(rootID.bytes.prefix(8))
    let root = try inSealing(file: Self.fileName) { () throws(SealingError) in try keyring.root(hint: hint) }
    try authenticate(under: root)
  }
}
