package import VaultDocument
package import VaultSealing
package import VaultStorage

// What a merge of versions of a record needs of an open vault.

extension Vault {
  /// The root key whose id begins with `hint` (8 bytes), current or still in use.
  ///
  /// - Throws: ``SealingError`` `.unknownRoot` when there is none, it is retired, or it waits for a reseal.
  package func recordRoot(hint: [UInt8]) throws(SealingError) -> RootKey { try keyring.root(hint: hint) }

  /// The newest version of a record that this machine has seen; nil for none.
  ///
  /// - Throws: ``VaultError`` `.damagedState`, `.permissionDenied`, `.ioFailed`.
  package func seenVersion(of id: RecordID) throws(VaultError) -> (revision: Int, mac: [UInt8])? {
    guard let memory, let version = try memory.seen(of: id).versions[id] else { return nil }
    return (version.revision, version.mac.bytes)
  }

  /// The bytes of a record that was just sealed, read once more as before any write.
  ///
  /// - Throws: ``VaultError`` `.inputRefused`, `.damaged` for clear text where a sealed value belongs.
  package func fileBytes(of record: SealedRecord, in place: StoreLocation) throws(VaultError) -> [UInt8] {
    try verifiedBytes(of: record, in: place)
  }
}
