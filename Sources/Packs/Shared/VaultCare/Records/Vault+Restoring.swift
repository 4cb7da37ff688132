package import VaultDocument
package import VaultKit
package import VaultSealing
package import VaultStorage
package import VaultTrust

/// A verified record of another state of the vault that may be restored.
package struct RestorableRecord: Sendable {
  package let record: OpenRecord

  package var id: RecordID { record.id }
  package var name: String { record.name }
  package var attachmentCount: Int { record.attachments.count }
}

/// The effect of restoring a record.
package enum RestoreOutcome: Sendable, Equatable {
  /// The record exists with the same content, so nothing changes.
  case unchanged
  /// It is not among the live records, or the present one does not verify.
  case missing
  /// The record exists with other content, which would become an earlier revision.
  case replacing
}

extension Vault {
  /// Verifies the file of a record, live or removed, to restore it elsewhere.
  package func restorableRecord(_ bytes: [UInt8], at place: StoreLocation) throws(VaultError) -> RestorableRecord {
    guard let id = place.recordID else { preconditionFailure("only records are brought back") }
    let record = place == .trash(id) ? try verifyTrashed(bytes, id).record : try verify(bytes, id)
    try record.check()
    return RestorableRecord(record: record)
  }

  /// The effect of restoring records, one for each.
  package func outcome(ofRestoring records: [RestorableRecord]) throws(VaultError) -> [RestoreOutcome] {
    var outcomes: [RestoreOutcome] = []
    for record in records { outcomes.append(try outcome(of: record.record)) }
    return outcomes
  }

  /// Refuses to replace a file of a newer format.
  private func outcome(of old: OpenRecord) throws(VaultError) -> RestoreOutcome {
    let live = try locked.read(old.id)
    for (place, bytes) in [(StoreLocation.record(old.id), live), (.trash(old.id), try readTrash(old.id))] {
      if let bytes { try requireNoNewerFormat(bytes, at: place, old.id) }
    }
    guard let live, let record = try? verify(live, old.id) else { return .missing }
    let isSame = record.stored == old.stored && record.attachments == old.attachments && !lacksFormer(record, of: old)
    return isSame ? .unchanged : .replacing
  }

  /// Whether another version has former values that the record lacks and has room for.
  private func lacksFormer(_ record: OpenRecord, of old: OpenRecord) -> Bool {
    old.envelope.former.paths.contains { path in
      let known = record.envelope.former.tokens(at: path)
      return known.count < header.formerCount && old.envelope.former.tokens(at: path).contains { !known.contains($0) }
    }
  }

  /// Restores records from another state of this vault, all or none: each as the next revision of the present one, so
  /// that no other machine reports a rollback. Present records with the same content stay.
  ///
  /// Under another root key than that state's, the records and their attachments are sealed again, with a new data key.
  ///
  /// - Returns: the ids that were written.
  package func bringBack(_ records: [RestorableRecord]) async throws(VaultError) -> [RecordID] {
    try await writing { lock throws(VaultError) in
      try addingAttachments(lock) { () throws(VaultError) in try bringBack(records, lock) }
    }
  }

  /// Restores records with the files of their attachments, which come first, even for records that are unchanged here.
  package func bringBack(
    _ records: [RestorableRecord], with files: @escaping AttachmentFiles
  ) async throws(VaultError) -> [RecordID] {
    try await writing { lock throws(VaultError) in
      try addingAttachments(lock) { () throws(VaultError) in
        try copyAttachments(of: records.map(\.record), from: files, lock)
        return try bringBack(records, lock)
      }
    }
  }

  private func bringBack(
    _ records: [RestorableRecord], _ lock: any StoreLock
  ) throws(VaultError) -> [RecordID] {
    let now = currentTime()
    var changes: [StoreChange] = []
    var written: [OpenRecord] = []
    for old in records.map(\.record) where try outcome(of: old) != .unchanged {
      changes += try bringingBack(old, now: now, lock: lock)
      written.append(old)
    }
    if !changes.isEmpty { try apply(changes, lock) }
    try removeSealedAnew(written, lock)
    return written.map(\.id)
  }

  /// Removes the attachment files of records that were sealed again, because no record names them any more.
  func removeSealedAnew(_ records: [OpenRecord], _ lock: any StoreLock) throws(VaultError) {
    for old in records where isOfOtherRoot(old) && !old.attachments.isEmpty {
      try removeUnnamed(old.attachments.map(\.id), of: old.id, from: attachmentStore(), lock)
    }
  }

  /// The changes that restore one record, which the caller applies. The attachments of a record with another root are
  /// sealed into new files at once.
  func bringingBack(
    _ old: OpenRecord, now: Timestamp, lock: any StoreLock
  ) throws(VaultError) -> [StoreChange] {
    guard old.verified.keys.vaultID == header.vaultID else {
      throw VaultError(.unexpectedVault, "is a record of another vault", record: old.id)
    }
    try requireAttachments(of: old)
    let isSealingAnew = isOfOtherRoot(old)
    return try replacing(old, now) { draft throws(VaultError) in
      try isSealingAnew
        ? sealedAnew(old, draft: draft, from: store, lock: lock)
        : sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .record(old.id))
    }
  }

  /// Whether a record of another state of this vault gets a new data key here.
  func isOfOtherRoot(_ old: OpenRecord) -> Bool {
    !keyring.current.id.bytes.starts(with: old.envelope.wrappedKey.rootHint)
  }

  /// The changes that replace the present version by a verified one, with a revision above all known ones. The caller
  /// applies them.
  package func replacing(
    _ old: OpenRecord, _ now: Timestamp, seal: (EnvelopeDraft) throws(VaultError) -> [UInt8]
  ) throws(VaultError) -> [StoreChange] {
    let (live, trashed) = (try locked.read(old.id), try readTrash(old.id))
    let known = [live, trashed].compactMap { $0.flatMap { SeenVersion(parsing: $0, of: old.id)?.revision } }
    let seen = try memory?.folder(old.id.folder).versions[old.id]?.revision
    let revision = max(old.envelope.revision, (known + [seen ?? 0]).max() ?? 0)
    var draft = EnvelopeDraft(next: old.verified, now: now)
    draft.revision = revision + 1
    draft.predecessor = nil
    // Equal values of versions with other data keys have other tokens.
    draft.former = try former(of: old, besides: [live, trashed])
      .distinct(besides: old.stored, old.verified.keys, atMost: header.formerCount)
    return [StoreChange(.record(old.id), from: live, to: try seal(draft))]
      + (trashed.map { [StoreChange(.trash(old.id), from: $0, to: nil)] } ?? [])
  }

  /// The former values of a version that replaces others: its own, those of the others, and the others' sealed values.
  /// Versions that do not verify are skipped.
  private func former(of old: OpenRecord, besides others: [[UInt8]?]) throws(VaultError) -> FormerValues {
    var former = old.envelope.former
    for bytes in others.compactMap({ $0 }) {
      guard let other = try? verify(bytes, old.id, in: .record(old.id)) else { continue }
      former = try inSealing(record: old.id) { () throws(SealingError) in
        try old.verified.former(former, replacing: other.verified)
      }
    }
    return former
  }

  /// The bytes of a version with a new data key. Its attachments are first sealed into files of this vault.
  package func sealedAnew(
    _ old: OpenRecord, draft: EnvelopeDraft, from source: any RecordStore, lock: any StoreLock
  ) throws(VaultError) -> [UInt8] {
    let root = keyring.current
    guard old.attachments.isEmpty else {
      let sealed = try resealed(old, under: root, as: draft, from: source, lock)
      return try verifiedBytes(of: sealed, in: .record(old.id))
    }
    let sealed = try inSealing(record: old.id) { () throws(SealingError) in
      try RecordSeal.resealed(old.verified, under: root, as: draft)
    }
    return try verifiedBytes(of: sealed, in: .record(old.id))
  }
}
