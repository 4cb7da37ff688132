import VaultDocument
import VaultKit
import VaultStorage

/// Two checkpoints of two branches that both follow the one of their common ancestor.
struct CheckpointMerge: Sendable {
  /// The one that counts.
  fileprivate let later: Checkpoint
  /// Whether the other one has the same number, so that only a successor of both is newer than each.
  fileprivate let isTied: Bool
  /// The records that only the other side has removed from the list, because it deleted them for good.
  fileprivate let unlisted: Set<RecordID>
}

extension Vault {
  /// The merge of two checkpoints; nil if one of them is not authentic under the keys of the vault.
  ///
  /// - Parameters:
  ///   - base: that of the common ancestor; empty for none.
  ///   - takesOne: whether one authentic checkpoint is enough.
  func checkpointMerge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], takesOne: Bool
  ) -> CheckpointMerge? {
    let sides = [ours, theirs].compactMap(authenticCheckpoint)
    guard let later = sides.max(by: { $0.isBefore($1) }) else { return nil }
    guard sides.count == 2 else {
      return takesOne ? CheckpointMerge(later: later, isTied: false, unlisted: []) : nil
    }
    let earlier = sides[0].isBefore(sides[1]) ? sides[0] : sides[1]
    var unlisted: Set<RecordID> = []
    if let base = authenticCheckpoint(base), let listed = try? base.entries.all(), let kept = try? earlier.entries.all()
    {
      unlisted = Set(listed.map(\.id)).subtracting(kept.map(\.id))
    }
    return CheckpointMerge(later: later, isTied: earlier.sequence == later.sequence, unlisted: unlisted)
  }

  /// Replaces the present checkpoint by the merged one, after the merged records were put. It does not list records
  /// that the other side deleted and that are gone here, too.
  func put(_ merge: CheckpointMerge) async throws(VaultError) {
    let old = try inStore { () throws(StoreError) in try store.read(.checkpoint) }
    var gone: Set<RecordID> = []
    for id in merge.unlisted {
      let (listed, live) = (try merge.later.entries.entry(of: id), try locked.read(id))
      let removed = try readTrash(id)
      if listed != nil, live == nil, removed == nil { gone.insert(id) }
    }
    let isNew = merge.isTied || !gone.isEmpty
    let result = isNew ? try merge.later.without(gone, under: keyring.current) : merge.later
    try await put(result.fileBytes(), replacing: old, at: .checkpoint)
  }

  private func authenticCheckpoint(_ bytes: [UInt8]) -> Checkpoint? {
    guard let found = try? Checkpoint(parsing: bytes) else { return nil }
    let isAuthentic: Void? = try? found.authenticate(under: keyring)
    return isAuthentic.map { found }
  }
}

extension Checkpoint {
  /// An order of the same two checkpoints on which all machines agree.
  fileprivate func isBefore(_ other: Checkpoint) -> Bool {
    if sequence != other.sequence { return sequence < other.sequence }
    if createdAt != other.createdAt { return createdAt < other.createdAt }
    let (own, others) = ((try? hash()) ?? [], (try? other.hash()) ?? [])
    return own.lexicographicallyPrecedes(others)
  }

  fileprivate func fileBytes() throws(VaultError) -> [UInt8] {
    var bytes: [UInt8] = []
    try write { piece throws(VaultError) in bytes += piece }
    return bytes
  }
}
