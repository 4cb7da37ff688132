internal import VaultDocument
public import VaultKit
internal import VaultSealing
internal import VaultStorage
package import VaultTrust

/// What came of making a checkpoint.
public struct CheckpointResult: Sendable {
  /// The new checkpoint; nil when the vault is not as it should be, and nothing was written.
  public let checkpoint: Checkpoint?
  /// What was verified before.
  public let verification: Verification
}

extension Vault {
  /// Verifies the whole vault and writes the list of all its records, live and removed, as its checkpoint.
  ///
  /// It is of one moment, as with ``verify(_:progress:)``. Nothing is written when anything is wrong: a checkpoint
  /// stands for what it lists.
  ///
  /// - Parameters:
  ///   - acceptingRollback: lists the records also when some went back, or are gone, since the last checkpoint.
  ///   - progress: called after each record.
  /// - Throws: ``VaultError`` as ``verify(_:progress:)`` and ``add(_:)``.
  public nonisolated(nonsending) func makeCheckpoint(
    acceptingRollback: Bool = false, progress: () -> Void = {}
  ) async throws(VaultError) -> CheckpointResult {
    try await reporting(to: progress) { report throws(VaultError) in
      try await self.checkpoint(acceptingRollback: acceptingRollback) { report(()) }
    }
  }

  private func checkpoint(
    acceptingRollback: Bool, _ progress: @escaping @Sendable () -> Void
  ) async throws(VaultError) -> CheckpointResult {
    defer { memory?.flush() }
    let found: FoundVault? = try await atOneMoment { vault throws(VaultError) in
      // Where a moment is the present, with writers kept out, the list is made and written under the lock of a writer.
      guard vault !== self else { return nil }
      try vault.refresh()
      return try await vault.foundVault(progress)
    }
    guard let found else {
      let lock = try await lockForWriting()
      defer { lock.release() }
      return try writeCheckpoint(await foundVault(progress), acceptingRollback: acceptingRollback, lock: lock)
    }
    let lock = try await lockForWriting()
    defer { lock.release() }
    return try writeCheckpoint(found, acceptingRollback: acceptingRollback, lock: lock)
  }

  /// What a run over the vault has found.
  private struct FoundVault {
    let verification: Verification
    let entries: VersionList
    let onlyInTrash: Set<RecordID>
    let headerHash: [UInt8]
  }

  private func foundVault(_ progress: @Sendable () -> Void) async throws(VaultError) -> FoundVault {
    var (builder, onlyInTrash) = (VersionList.Builder(), Set<RecordID>())
    let verification = try await verification(VerificationScope(), progress: progress) { found in
      for version in found.versions {
        builder.append(version)
        if found.isOnlyInTrash(version.id) { onlyInTrash.insert(version.id) }
      }
    }
    return FoundVault(
      verification: verification, entries: builder.finish(), onlyInTrash: onlyInTrash, headerHash: try header.hash())
  }

  private func writeCheckpoint(
    _ found: FoundVault, acceptingRollback: Bool, lock: any StoreLock
  ) throws(VaultError) -> CheckpointResult {
    let verification = found.verification
    guard verification.faults.allSatisfy({ acceptingRollback && $0.code.isRollback }) else {
      return CheckpointResult(checkpoint: nil, verification: verification)
    }
    // Keys that were changed since are not those of what was found.
    guard try header.hash() == found.headerHash else {
      throw VaultError(.changedUnderneath, "was changed while the records were verified", file: VaultHeader.fileName)
    }
    let old = try storedCheckpoint(in: store)
    let new = try Checkpoint.make(
      following: old?.checkpoint, of: found.entries, headerHash: found.headerHash, createdAt: options.now(),
      under: keyring.current)
    try replaceCheckpoint(old?.mark, by: new, lock)
    if acceptingRollback { acceptSeen(found.entries, onlyInTrash: found.onlyInTrash, faults: verification.faults) }
    return CheckpointResult(checkpoint: new, verification: verification)
  }

  /// Remembers the records as a run over the vault has found them, whatever was seen before; what is gone is forgotten.
  private func acceptSeen(
    _ entries: VersionList, onlyInTrash: Set<RecordID>, faults: [VaultFault]
  ) {
    guard let memory else { return }
    memory.noteWritten(entries, onlyInTrash: onlyInTrash, accepting: true)
    for fault in faults where fault.code == .vanished {
      if let id = fault.record { memory.note(.forgotten, of: id) }
    }
  }
}

extension Vault {
  /// The checkpoint, authentic under the keys of the vault; nil when there is none.
  package func checkpoint() throws(VaultError) -> Checkpoint? {
    let found = try storedCheckpoint(in: store)
    return found?.checkpoint
  }

  /// The same, read through a view of the vault's files, with what tells whether the file is still the same.
  func storedCheckpoint(in store: any RecordStore) throws(VaultError) -> StoredCheckpoint? {
    guard let found = try StoredCheckpoint.read(from: store) else { return nil }
    try found.checkpoint.authenticate(under: keyring)
    return found
  }
}
