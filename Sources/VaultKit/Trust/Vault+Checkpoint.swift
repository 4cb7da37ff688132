internal import VaultDocument
internal import VaultStorage

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
  /// Nobody writes meanwhile. Nothing is written when anything is wrong: a checkpoint stands for what it lists.
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
    acceptingRollback: Bool, _ progress: () -> Void
  ) async throws(VaultError) -> CheckpointResult {
    let lock = try await lockForWriting()
    defer {
      lock.release()
      memory?.flush()
    }
    var (builder, onlyInTrash) = (VersionList.Builder(), Set<RecordID>())
    let verification = try await verification(VerificationScope(), progress) { found in
      for version in found.versions {
        builder.append(version)
        if found.isOnlyInTrash(version.id) { onlyInTrash.insert(version.id) }
      }
    }
    guard verification.faults.allSatisfy({ acceptingRollback && $0.code.isRollback }) else {
      return CheckpointResult(checkpoint: nil, verification: verification)
    }
    let (entries, old) = (builder.finish(), try storedCheckpoint(in: store))
    let new = try Checkpoint.make(
      following: old?.checkpoint, of: entries, headerHash: header.hash(), createdAt: options.now(),
      under: keyring.current)
    try replaceCheckpoint(old?.mark, by: new, lock)
    if acceptingRollback { acceptSeen(entries, onlyInTrash, verification.faults) }
    return CheckpointResult(checkpoint: new, verification: verification)
  }

  /// Remembers the records as a run over the vault has found them, whatever was seen before; what is gone is forgotten.
  private func acceptSeen(
    _ entries: VersionList, _ onlyInTrash: Set<RecordID>, _ faults: [VaultFault]
  ) {
    guard let memory else { return }
    memory.noteWritten(entries, onlyInTrash: onlyInTrash)
    for fault in faults where fault.code == .vanished {
      if let id = fault.record { memory.note(.forgotten, of: id) }
    }
  }
}

extension VaultError.Code {
  /// Whether nothing is damaged, and yet something is older than it was, or gone.
  public var isRollback: Bool { self == .rolledBack || self == .forked || self == .vanished }
}
