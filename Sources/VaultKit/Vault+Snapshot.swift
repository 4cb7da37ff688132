package import VaultDocument
internal import VaultSealing
package import VaultStorage

extension LockedVault {
  /// Does `body` with the vault as it is now, while nobody writes: it sees no batch half done.
  ///
  /// - Throws: ``VaultError`` `.lockedByOther`, `.damaged`, and what `body` throws.
  package func withSnapshot(
    lockTimeout: Duration, onLockWait: @escaping @Sendable (Int32?) -> Void,
    _ body: (LockedVault) async throws(VaultError) -> Void
  ) async throws(VaultError) {
    let lock = try await store.waitForLock(.shared, timeout: lockTimeout, onWait: onLockWait)
    defer { lock.release() }
    try await body(reread() ?? self)
  }
}

extension Vault {
  /// Does `body` with the vault as it is now, its header verified, while nobody writes: it sees no batch half done.
  ///
  /// - Throws: ``VaultError`` `.lockedByOther`, `.damaged`, `.changedUnderneath`, and what `body` throws.
  package func withSnapshot(_ body: (LockedVault) async throws(VaultError) -> Void) async throws(VaultError) {
    let lock = try await store.waitForLock(.shared, timeout: options.lockTimeout, onWait: options.onLockWait)
    defer { lock.release() }
    try refresh()
    try await body(LockedVault(store: store))
  }

  /// The MAC (32 bytes) of a backup's list under the current root key, from the canonical encoding of its tree in pieces
  /// (format 1, section 14.2).
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  package func backupListMAC(treeByteCount: Int, tree: some Sequence<[UInt8]>) throws(VaultError) -> [UInt8] {
    let root = keyring.current
    return try inSealing { () throws(SealingError) in
      try root.mac(as: .backupList, treeByteCount: treeByteCount, tree: tree)
    }
  }

  /// Whether a backup's list was made by somebody who has the current root key.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  package func authenticatesBackupList(_ document: JSONObject) throws(VaultError) -> Bool {
    let root = keyring.current
    return try inSealing { () throws(SealingError) in try root.authenticates(document, as: .backupList) }
  }

  /// Verifies the file of a record, live or removed, and opens every sealed field of it.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  package func checkedVersion(_ bytes: [UInt8], at place: StoreLocation) throws(VaultError) -> Checkpoint.Entry {
    guard let id = place.recordID else { preconditionFailure("only records have versions") }
    let record = place == .trash(id) ? try verifyTrashed(bytes, id).record : try verify(bytes, id)
    try record.check()
    return Checkpoint.Entry(record)
  }
}
