package import VaultKit
internal import VaultSealing
internal import VaultStorage

extension LockedVault {
  /// Runs `body` with the vault at one moment, so that it sees no unfinished batch.
  func withSnapshot<Result>(
    lockTimeout: Duration, onLockWait: @escaping @Sendable (Int32?) -> Void,
    _ body: (LockedVault) async throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    let lock = try await store.waitForLock(.snapshot, timeout: lockTimeout, onWait: onLockWait)
    defer { lock.release() }
    guard let view = lock.view else { return try await body(reread() ?? self) }
    return try await body(LockedVault(store: view))
  }
}

extension LockedVault {
  /// Refuses a vault whose slots or checkpoint are damaged, because a copy of it would be useless.
  ///
  /// - Parameter vault: authenticates the checkpoint with its keys; without it only the form is checked.
  func requireUsable(with vault: Vault?) throws(VaultError) {
    for state in try slotStates() {
      if let fault = state.fault { throw fault }
    }
    guard let found = try StoredCheckpoint.read(from: store) else { return }
    if let vault { try found.checkpoint.authenticate(under: vault.keyring) }
  }
}

extension Vault {
  /// Runs `body` with the vault at one moment and a verified header, so that it sees no unfinished batch.
  nonisolated(nonsending) func withSnapshot<Result>(
    _ body: nonisolated(nonsending) (LockedVault) async throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await atOneMoment { vault throws(VaultError) in
      try vault.refresh()
      return try await body(LockedVault(store: vault.store))
    }
  }

  /// The present key for the lists of backups.
  package var backupListKey: BackupListKey { BackupListKey(root: keyring.current) }
}

/// Authenticates the list of a backup under one root key (format 1, section 14.2, List).
package struct BackupListKey: Sendable {
  fileprivate let root: RootKey

  /// A list's head with the id of the root key, and a MAC.
  package func authenticated(_ head: ListHead) throws(VaultError) -> ListHead {
    try head.authenticated(as: .backupList, under: root)
  }

  /// Checks the MAC of a list under the root key.
  package func authenticate(_ head: ListHead) throws(VaultError) {
    try head.authenticate(as: .backupList, under: root)
  }
}
