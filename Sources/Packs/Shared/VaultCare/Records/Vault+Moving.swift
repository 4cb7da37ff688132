package import VaultDocument
package import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
package import VaultTrust

extension Vault {
  /// Seals records of another vault again in this one, under their ids, all or none. They get data keys of this vault,
  /// keep their sealing times, and get a revision above all that this vault or machine has known. Their attachments are
  /// first sealed into files of this vault, piece by piece.
  ///
  /// Records that are already here with the same content stay, because an earlier call may have been interrupted before
  /// its caller could remove the records there.
  ///
  /// - Parameter source: the vault with the records' attachments; nil if they have no attachments.
  /// - Returns: the ids that were written.
  @discardableResult
  package nonisolated(nonsending) func take(
    _ records: [OpenRecord], from source: Vault? = nil
  ) async throws(VaultError) -> [RecordID] {
    for record in records { try checkFits(record, source) }
    let files = source?.store
    return try await writing { lock throws(VaultError) in
      try addingAttachments(lock) { () throws(VaultError) in try take(records, from: files ?? store, lock) }
    }
  }

  /// Attachments are written at once. The records follow together at the end.
  private func take(
    _ records: [OpenRecord], from source: any RecordStore, _ lock: any StoreLock
  ) throws(VaultError) -> [RecordID] {
    let now = currentTime()
    var changes: [StoreChange] = []
    var written: [RecordID] = []
    for record in records where try !isHere(record, source) {
      if !record.attachments.isEmpty {
        _ = try attachmentStore()
        try requireExtension(lock)
      }
      changes += try replacing(record, now) { draft throws(VaultError) in
        try sealedAnew(record, draft: draft, from: source, lock: lock)
      }
      written.append(record.id)
    }
    if !changes.isEmpty { try apply(changes, lock) }
    return written
  }

  /// Whether a record of another vault is here. If it is here with other content, that is an error.
  private func isHere(_ record: OpenRecord, _ source: any RecordStore) throws(VaultError) -> Bool {
    guard let bytes = try locked.read(record.id) else { return false }
    let own = try verify(bytes, record.id)
    if own.envelope.kind == record.envelope.kind, try own.revealed() == record.revealed(),
      try hasAttachments(own, of: record, source)
    {
      return true
    }
    throw VaultError(.alreadyExists, "is already here, but with other content", file: own.file, record: record.id)
  }

  /// Whether a record of this vault has the same attachments, by name and content, which is read in both.
  private func hasAttachments(
    _ own: OpenRecord, of record: OpenRecord, _ source: any RecordStore
  ) throws(VaultError) -> Bool {
    func ordered(_ record: OpenRecord) -> [Attachment] {
      record.attachments.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    func content(_ attachment: Attachment, _ record: OpenRecord, _ store: any RecordStore) throws(VaultError)
      -> OpenedAttachment
    {
      let key = try inSealing(record: record.id) { () throws(SealingError) in
        try record.verified.attachmentKey(of: attachment.id)
      }
      return try OpenedAttachment(attachment, from: store, key: key)
    }
    let (ours, theirs) = (ordered(own), ordered(record))
    guard ours.elementsEqual(theirs, by: { sameBytes($0.name, $1.name) && $0.byteCount == $1.byteCount }) else {
      return false
    }
    for (one, other) in zip(ours, theirs) {
      let (left, right) = (try content(one, own, store), try content(other, record, source))
      while true {
        let piece = try left.next()
        // Both are cut into the same chunks.
        guard try piece == right.next() else { return false }
        if piece.isEmpty { break }
      }
    }
    return true
  }

  /// Refuses a record that this vault cannot hold, and opens its sealed fields. Nothing is locked or written yet.
  private func checkFits(_ record: OpenRecord, _ source: Vault?) throws(VaultError) {
    guard record.attachments.isEmpty || source != nil else {
      throw VaultError(
        .usage, "has attachments, but the vault that holds them is not given", record: record.id,
        remedies: ["say which vault the records come from"])
    }
    let name = record.envelope.kind
    guard let kind = kinds[name] else {
      throw VaultError(
        .unknownKind, "is of the kind `\(name)`, which the target vault does not know", record: record.id,
        remedies: ["declare the kind in the target vault first"])
    }
    guard record.envelope.schema <= kind.schema else {
      throw VaultError(
        .inputRefused, "has a newer schema of the kind `\(name)` than the target vault knows", record: record.id,
        remedies: ["declare the newer schema in the target vault first"])
    }
    try record.check()
    // The other vault migrates an older schema.
    guard record.envelope.schema == kind.schema, let fault = kind.faults(in: record.stored).first else { return }
    throw VaultError(record: fault, id: record.id, input: true)
  }
}
