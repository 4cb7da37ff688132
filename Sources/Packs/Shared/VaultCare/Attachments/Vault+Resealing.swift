internal import VaultCrypto
package import VaultDocument
package import VaultKit
package import VaultSealing
package import VaultStorage
package import VaultTrust

extension Vault {
  /// The next revision of a record under a new data key of `root`. Its attachments are sealed again, too, into new
  /// files that exist before any record names them; the old files stay. The caller writes the record, and after an
  /// error removes the new files.
  package func resealed(
    _ record: OpenRecord, under root: RootKey, now: Timestamp, _ lock: any StoreLock
  ) throws(VaultError) -> SealedRecord {
    let (id, verified) = (record.id, record.verified)
    guard !record.attachments.isEmpty else {
      return try inSealing(file: record.file, record: id) { () throws(SealingError) in
        try RecordSeal.resealed(verified, under: root, now: now)
      }
    }
    var draft = EnvelopeDraft(next: verified, now: now)
    draft.deletedAt = record.envelope.deletedAt
    return try resealed(record, under: root, as: draft, from: store, lock)
  }

  /// Like `resealed(_:under:now:_:)`, as the revision in `draft`, whose key and attachments are replaced.
  func resealed(
    _ record: OpenRecord, under root: RootKey, as draft: EnvelopeDraft, from source: any RecordStore,
    _ lock: any StoreLock
  ) throws(VaultError) -> SealedRecord {
    let (id, verified, target) = (record.id, record.verified, try attachmentStore())
    let dataKey = try inSealing(record: id) { () throws(SealingError) in try root.makeDataKey(for: id) }
    var draft = draft
    draft.attachments = []
    for attachment in record.attachments {
      let key = try inSealing(record: id) { () throws(SealingError) in
        try verified.attachmentKey(of: attachment.id)
      }
      let content = try OpenedAttachment(attachment, from: source, key: key)
      draft.attachments.append(
        try AttachmentStream.write(
          named: attachment.name, to: target, under: lock,
          key: { new throws(SealingError) in try root.attachmentKey(of: new, record: id, dataKey.wrapped) },
          next: content.next))
    }
    let complete = draft
    return try inSealing(file: record.file, record: id) { () throws(SealingError) in
      try RecordSeal.resealed(verified, dataKey, as: complete)
    }
  }

  /// Removes the files in `attachments/` that no record names, live or removed, if every record can be read.
  ///
  /// - Parameter some: only these; nil for all.
  /// - Returns: the removed ones.
  @discardableResult
  package func removeUnnamedAttachments(
    among some: Set<AttachmentID>? = nil, _ lock: any StoreLock
  ) throws(VaultError) -> [AttachmentID] {
    guard let store = store as? any AttachmentStore else { return [] }
    let unnamed = try AttachmentCheck(of: store, GatheredAttachments(in: store), readingAll: false).unnamed ?? []
    let ids = unnamed.filter { some?.contains($0) ?? true }
    if !ids.isEmpty { try inStore { () throws(StoreError) in try store.removeAttachments(ids, under: lock) } }
    return ids
  }
}
