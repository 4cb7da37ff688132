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
  public func makeCheckpoint(
    acceptingRollback: Bool = false, progress: () -> Void = {}
  ) async throws(VaultError) -> CheckpointResult {
    let lock = try await lockForWriting()
    defer {
      lock.release()
      memory?.flush()
    }
    let found = try await verification(VerificationScope(), progress)
    guard found.faults.allSatisfy({ acceptingRollback && $0.code.isRollback }) else {
      return CheckpointResult(checkpoint: nil, verification: found)
    }
    let old = try checkpoint(in: store)
    let new = try Checkpoint.make(
      following: old?.checkpoint, of: found.versions, headerHash: header.hash(), createdAt: options.now(),
      under: keyring.current)
    try replaceCheckpoint(old?.bytes, by: new, lock)
    if acceptingRollback { acceptSeen(found) }
    return CheckpointResult(checkpoint: new, verification: found)
  }
}

extension VaultFault.Code {
  /// Whether nothing is damaged, and yet something is older than it was, or gone.
  public var isRollback: Bool { self == .rolledBack || self == .forked || self == .vanished }
}
