internal import VaultDocument
public import VaultKit
internal import VaultSealing
internal import VaultStorage
package import VaultTrust

/// The result of making a checkpoint.
public struct CheckpointResult: Sendable {
  /// The new checkpoint; nil if the vault has faults, and then nothing was written.
  public let checkpoint: Checkpoint?
  /// The verification before it.
  public let verification: Verification
}

extension Vault {
  /// Verifies the whole vault and writes the list of all its records, live and removed, as its checkpoint.
  ///
  /// It shows one moment, like ``verify(_:progress:)``. Nothing is written if there is any fault, because a checkpoint
  /// vouches for its records.
  ///
  /// - Parameters:
  ///   - acceptingRollback: also lists records that went back, or are gone, since the last checkpoint.
  ///   - progress: called after each record.
  /// - Throws: ``VaultError`` like ``verify(_:progress:)`` and ``add(_:)``.
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
      // If the moment is the present, which excludes writers, the list is made and written under a writer's lock.
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

  private struct FoundVault {
    let verification: Verification
    let entries: VersionList
    let onlyInTrash: Set<RecordID>
    let headerHash: [UInt8]
  }

  /// Verifies the vault and lists its records, under a lock that the caller holds.
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

  /// Writes nothing if a fault remains. The result then has no checkpoint.
  private func writeCheckpoint(
    _ found: FoundVault, acceptingRollback: Bool, lock: any StoreLock
  ) throws(VaultError) -> CheckpointResult {
    let verification = found.verification
    guard verification.faults.allSatisfy({ acceptingRollback && $0.code.isRollback }) else {
      return CheckpointResult(checkpoint: nil, verification: verification)
    }
    // Refuses keys that were changed since the check.
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

  /// Remembers the records that a check has found, regardless of earlier versions; missing records are forgotten.
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
  /// The checkpoint, authentic under the keys of the vault; nil if it does not exist.
  package func checkpoint() throws(VaultError) -> Checkpoint? {
    let found = try storedCheckpoint(in: store)
    return found?.checkpoint
  }

  /// Like `checkpoint()`, read through a view of the vault's files, with a mark to detect changes of the file.
  func storedCheckpoint(in store: any RecordStore) throws(VaultError) -> StoredCheckpoint? {
    guard let found = try StoredCheckpoint.read(from: store) else { return nil }
    try found.checkpoint.authenticate(under: keyring)
    return found
  }
}
