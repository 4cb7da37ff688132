package import VaultDocument
package import VaultSealing
internal import VaultStorage
internal import VaultTrust

extension Vault {
  /// Writes a successor of the checkpoint without the records that are about to be deleted for good, so that no later
  /// verification reports the deletion as a rollback (format 1, section 8, Checkpoint).
  ///
  /// The checkpoint is replaced before the files are deleted: a crash in between leaves unlisted records, which is
  /// harmless. The successor keeps the date of its predecessor, because it says nothing newer about the others.
  ///
  /// An entry stays if the deleted version is older, or another one of the same revision: it was rolled back before.
  /// All entries stay if the checkpoint is damaged, or is older than this machine has seen.
  ///
  /// - Parameter records: their versions in the trash; nil for a file that does not verify.
  /// - Returns: how many of the records the checkpoint still lists, although they are gone only because of the
  ///   deletion.
  func unlist(_ records: [RecordID: RecordVersion?], _ lock: any StoreLock) throws(VaultError) -> Int {
    guard let old = (try? StoredCheckpoint.read(from: store)) ?? nil else { return 0 }
    var gone: Set<RecordID> = []
    for (id, version) in records {
      guard let listed = try old.checkpoint.entries.entry(of: id), listed.isSucceeded(by: version) else { continue }
      // A live record of this id is still listed.
      if try inStore({ () throws(StoreError) in try store.read(.record(id)) }) == nil { gone.insert(id) }
    }
    guard !gone.isEmpty else { return 0 }
    // An agent makes no MAC of a list.
    guard keyring.current.isHere else { return gone.count }
    guard try isExpected(old.checkpoint) else { return 0 }
    let new = try old.checkpoint.without(gone, under: keyring.current)
    try replaceCheckpoint(old.mark, by: new, lock)
    return 0
  }

  /// Whether a checkpoint is authentic and the newest that this machine has seen.
  private func isExpected(_ checkpoint: Checkpoint) throws(VaultError) -> Bool {
    do throws(VaultError) { try checkpoint.authenticate(under: keyring) } catch { return false }
    return try memory?.checkpointDifference(from: Pin.CheckpointMark(checkpoint)) == nil
  }
}

extension RecordVersion {
  /// Whether a version is this one or a later one; an unreadable version counts as later.
  fileprivate func isSucceeded(by version: RecordVersion?) -> Bool {
    switch version?.succession(after: self) {
    case nil, .newer, .same: true
    case .older, .forked: false
    }
  }
}

extension Checkpoint {
  /// The successor that lists the same versions without some records, with the same date.
  package func without(_ ids: Set<RecordID>, under root: RootKey) throws(VaultError) -> Checkpoint {
    var kept = VersionList.Builder()
    try entries.forEachPiece { entries in
      for entry in entries where !ids.contains(entry.id) { kept.append(entry) }
    }
    return try .make(following: self, of: kept.finish(), headerHash: headerHash, createdAt: createdAt, under: root)
  }
}
