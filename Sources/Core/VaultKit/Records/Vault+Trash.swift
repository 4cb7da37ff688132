public import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// The result of deleting records for good.
public struct DeletedRecords: Sendable {
  /// The deleted records.
  public internal(set) var deleted: [RecordID] = []
  /// The errors of records that are still in the trash.
  public internal(set) var faults: [VaultError] = []
  /// How many deleted records the checkpoint still lists, because the root key is in another process. A verification
  /// reports them as gone until a person accepts that in a new checkpoint.
  public internal(set) var stillListedCount = 0
}

extension Vault {
  /// The removed records, each verified, the latest first.
  ///
  /// - Parameter leavingOut: gets the error of each record that does not verify; nil throws the first error.
  /// - Throws: ``VaultError`` if the trash cannot be read as a folder, `.lockedByOther`.
  public nonisolated(nonsending) func trash(
    leavingOut: ((VaultError) -> Void)? = nil
  ) async throws(VaultError) -> [TrashedRecord] {
    try await listedRows(of: listedTrash(), leavingOut: leavingOut)
  }

  /// The removed records, each verified, the latest first; and the errors of those that do not verify.
  package nonisolated(nonsending) func listedTrash() async throws(VaultError) -> Listed<TrashedRecord> {
    var records: [TrashedRecord] = []
    let faults = try await forEachOpenTrashedRecord { record, deletedAt in
      records.append(TrashedRecord(StoredRecord(record), deletedAt: deletedAt))
    }
    return (records.sorted(by: TrashedRecord.isBefore), faults)
  }

  /// Reads every removed record that verifies, in the order of ids, at one moment.
  ///
  /// - Parameter body: gets a record and the time of its removal.
  /// - Returns: the errors of records that do not verify, or for which `body` throws.
  /// - Throws: like ``trash(leavingOut:)``.
  public nonisolated(nonsending) func forEachOpenTrashedRecord(
    _ body: (OpenRecord, Timestamp) throws(VaultError) -> Void
  ) async throws(VaultError) -> [VaultError] {
    defer { memory?.flush() }
    return try await atOneMoment { vault throws(VaultError) in
      let ids = try await working { () throws(VaultError) in
        try inStore { () throws(StoreError) in try vault.store.trashed() }
      }
      var faults: [VaultError] = []
      try await ParallelMap()(
        ids, cancellation: VaultError.cancelled, { id throws(VaultError) in vault.openTrashed(id) },
        consume: { record throws(VaultError) in
          do throws(VaultError) {
            guard let (record, deletedAt) = try record.get() else { return }
            try body(record, deletedAt)
          } catch {
            faults.append(error)
          }
        })
      return faults
    }
  }

  /// A verified removed record; nil if it is gone meanwhile.
  private func openTrashed(_ id: RecordID) -> Result<(OpenRecord, Timestamp)?, VaultError> {
    Result { () throws(VaultError) in
      guard let bytes = try locked.readTrashed(id) else { return nil }
      let (record, deletedAt) = try verifyTrashed(bytes, id)
      // An older version than the one seen may lie beside a newer live one; `verify` reports it.
      _ = try memory?.take(SeenVersion(record))
      return (record, deletedAt)
    }
  }

  /// Restores removed records, all or none, each as its next revision.
  ///
  /// If a live record has the same id, the higher revision counts: a lower live one is replaced, and for a higher one
  /// the call is refused (format 1, section 6, Records).
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.alreadyExists` if a newer live record has the id, `.damaged` if both
  ///   have the same revision or one does not verify, and like ``add(_:)``.
  public func restore(_ ids: [RecordID]) async throws(VaultError) {
    guard !ids.isEmpty else { return }
    try await writing { lock throws(VaultError) in
      let now = currentTime()
      var changes: [StoreChange] = []
      for id in Set(ids) { changes += try restoring(id, now) }
      try apply(changes, lock, isLast: true)
    }
  }

  /// The changes that restore a removed record. A live record of the same or a higher revision makes this throw.
  private func restoring(_ id: RecordID, _ now: Timestamp) throws(VaultError) -> [StoreChange] {
    guard let bytes = try readTrash(id) else { throw .notInTrash(id) }
    let old = try verifyTrashed(bytes, id).record
    let live = try locked.read(id)
    if let live { try checkReplaceable(verify(live, id), by: old) }
    try compareWithSeen(old)
    let draft = EnvelopeDraft(next: old.verified, now: now)
    let restored = try sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .record(id))
    return [
      StoreChange(.record(id), from: live, to: restored), StoreChange(.trash(id), from: bytes, to: nil),
    ]
  }

  private func checkReplaceable(_ live: OpenRecord, by trashed: OpenRecord) throws(VaultError) {
    guard live.envelope.revision >= trashed.envelope.revision else { return }
    guard live.envelope.revision > trashed.envelope.revision else { throw .equalRevisions(live.id) }
    throw VaultError(
      .alreadyExists, "is already a live record, and newer than the one in the trash", file: live.file, record: live.id,
      remedies: [.deleteOlder(live.id)])
  }

  /// Deletes removed records for good, in batches of at most 100,000.
  ///
  /// A record that does not verify is kept and reported, because it may be the only copy. A checkpoint that lists the
  /// deleted records gets a successor without them, in the same step.
  ///
  /// - Parameter evenDamaged: also deletes a record that does not verify, if it is a regular file.
  /// - Throws: ``VaultError`` `.noSuchRecord` before anything is deleted, and like ``add(_:)``.
  public func deleteTrashed(_ ids: [RecordID], evenDamaged: Bool = false) async throws(VaultError) -> DeletedRecords {
    try await writing { lock throws(VaultError) in
      let present = Set(try inStore { () throws(StoreError) in try store.trashed() })
      if let missing = ids.first(where: { !present.contains($0) }) { throw .notInTrash(missing) }
      var report = DeletedRecords()
      var batch = DeletionBatch()
      for id in Set(ids).sorted() {
        do throws(VaultError) {
          guard let bytes = try readTrash(id) else { continue }
          let version = try deletableVersion(bytes, id, evenDamaged: evenDamaged)
          batch.append(id, version: version, bytes: bytes)
        } catch {
          report.faults.append(error)
        }
        if batch.isFull { try delete(&batch, report: &report, lock: lock) }
      }
      try delete(&batch, report: &report, lock: lock)
      return report
    }
  }

  /// Deletes for good the records that were removed at `time` or before, like ``deleteTrashed(_:evenDamaged:)``; nil
  /// deletes all of them.
  ///
  /// - Throws: ``VaultError`` like ``deleteTrashed(_:evenDamaged:)``.
  public func emptyTrash(removedBy time: Timestamp? = nil) async throws(VaultError) -> DeletedRecords {
    let (records, faults) = try await listedTrash()
    let old = records.filter { record in time.map { record.deletedAt <= $0 } ?? true }
    var report = try await deleteTrashed(old.map(\.id))
    report.faults += faults
    return report
  }

  /// The version in a file of the trash; nil for a file that does not verify but must be deleted anyway.
  private func deletableVersion(
    _ bytes: [UInt8], _ id: RecordID, evenDamaged: Bool
  ) throws(VaultError) -> RecordVersion? {
    do throws(VaultError) {
      return RecordVersion(try verifyTrashed(bytes, id).record)
    } catch {
      guard evenDamaged else { throw error }
      return nil
    }
  }

  /// Deletes a batch for good and empties it. The checkpoint forgets the records before that, and unnamed attachments
  /// are removed after it.
  private func delete(
    _ batch: inout DeletionBatch, report: inout DeletedRecords, lock: any StoreLock
  ) throws(VaultError) {
    guard !batch.changes.isEmpty else { return }
    report.stillListedCount += try unlist(batch.versions, lock)
    try apply(batch.changes, lock)
    report.deleted += batch.ids
    if let store = store as? any AttachmentStore {
      for (id, attachments) in batch.attachments { try removeUnnamed(attachments, of: id, from: store, lock) }
    }
    batch = DeletionBatch()
  }

  /// Verifies a file of the trash like a live one, except for `deleted_at`.
  package func verifyTrashed(
    _ bytes: [UInt8], _ id: RecordID
  ) throws(VaultError) -> (record: OpenRecord, deletedAt: Timestamp) {
    let record = try verify(bytes, id, in: .trash(id))
    guard let deletedAt = record.envelope.deletedAt else { throw .notRemoved(file: record.file, id) }
    return (record, deletedAt)
  }
}

/// Files of the trash to delete together.
private struct DeletionBatch {
  /// The most bytes that wait in memory for comparison with the files.
  private static let byteLimit = 64 << 20

  private(set) var ids: [RecordID] = []
  /// The versions of the records; nil for a file that does not verify.
  private(set) var versions: [RecordID: RecordVersion?] = [:]
  private(set) var changes: [StoreChange] = []
  private(set) var attachments: [(record: RecordID, ids: [AttachmentID])] = []
  private var byteCount = 0

  var isFull: Bool { changes.count == ChangePlan.maximumChangeCount || byteCount >= Self.byteLimit }

  mutating func append(_ id: RecordID, version: RecordVersion?, bytes: [UInt8]) {
    ids.append(id)
    versions[id] = .some(version)
    changes.append(StoreChange(.trash(id), from: bytes, to: nil))
    byteCount += bytes.count
    let named = NamedAttachments(in: bytes).ids
    if !named.isEmpty { attachments.append((id, named.sorted())) }
  }
}

extension VaultError {
  fileprivate static func notInTrash(_ id: RecordID) -> VaultError {
    VaultError(.noSuchRecord, "the trash has no such record", record: id, remedies: [.listTrash])
  }

  /// The error for a live record that was removed in a later revision (format 1, section 6, Records).
  static func removedSince(_ id: RecordID) -> VaultError {
    VaultError(
      .noSuchRecord, "was removed: its revision in the trash is newer than the live one", record: id,
      remedies: [.restoreFromTrash(id)])
  }

  /// The error for a live and a removed record with the same id and revision (format 1, section 6, Records).
  package static func equalRevisions(_ id: RecordID) -> VaultError {
    VaultError(
      .damaged, "has the same revision as the live record of this id",
      file: StoreLocation.trash(id).relativePath, record: id, remedies: [.keepOne(id)])
  }
}
