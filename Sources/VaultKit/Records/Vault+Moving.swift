public import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

extension Vault {
  /// Seals records of another vault anew in this one, under their ids, all or none: with data keys of this vault, at
  /// their sealing times, each as a revision above all that this vault or machine has known of it.
  ///
  /// What is here already with the same content stays: an earlier call may have been interrupted before its caller
  /// could take the records away from there.
  ///
  /// - Returns: the ids that were written.
  /// - Throws: ``VaultError`` `.alreadyExists` for an id that is here with another content, `.unknownKind` and
  ///   `.inputRefused` where the kind is unknown here, is of an older schema or another one; and as ``add(_:)``.
  @discardableResult
  public nonisolated(nonsending) func take(_ records: [OpenRecord]) async throws(VaultError) -> [RecordID] {
    for record in records { try checkFits(record) }
    return try await writing { lock throws(VaultError) in
      let now = currentTime()
      var changes: [StoreChange] = []
      var written: [RecordID] = []
      for record in records where try !isHere(record) {
        changes += try replacing(record, now, sealingAnew: true)
        written.append(record.id)
      }
      if !changes.isEmpty { try apply(changes, lock) }
      return written
    }
  }

  /// Stores a new record from clear input under an id, such as that of a record in another vault with other readers.
  ///
  /// - Throws: ``VaultError`` `.alreadyExists` for an id that is here, live or removed; and as ``add(_:)``.
  public nonisolated(nonsending) func add(_ input: RecordInput, id: RecordID) async throws(VaultError) {
    let change = try newRecord(id, of: input, currentTime())
    try await writing { lock throws(VaultError) in
      let known = [try locked.read(id), try readTrash(id)]
      guard known.allSatisfy({ $0 == nil }) else {
        throw VaultError(.alreadyExists, "is the id of a record that is here already, or in the trash", record: id)
      }
      try apply([change], lock)
    }
  }

  /// Whether a record of another vault is here, with the same content.
  private func isHere(_ record: OpenRecord) throws(VaultError) -> Bool {
    guard let bytes = try locked.read(record.id) else { return false }
    let own = try verify(bytes, record.id)
    if own.envelope.kind == record.envelope.kind, try own.revealed() == record.revealed() { return true }
    throw VaultError(.alreadyExists, "is there already, and is another record", file: own.file, record: record.id)
  }

  private func checkFits(_ record: OpenRecord) throws(VaultError) {
    guard record.attachments.isEmpty else {
      throw VaultError(
        .inputRefused, "has attachments, which do not go with a record to another vault", record: record.id,
        remedies: ["take them out and attach them there"])
    }
    let name = record.envelope.kind
    guard let kind = kinds[name] else {
      throw VaultError(
        .unknownKind, "is of the kind `\(name)`, which is not known there", record: record.id,
        remedies: ["declare the kind there first"])
    }
    guard record.envelope.schema <= kind.schema else {
      throw VaultError(
        .inputRefused, "is of a newer schema of the kind `\(name)` than is known there", record: record.id,
        remedies: ["declare the newer schema there first"])
    }
    try record.check()
    // An older schema is for a migration there.
    guard record.envelope.schema == kind.schema, let fault = kind.faults(in: record.stored).first else { return }
    throw VaultError(record: fault, id: record.id, input: true)
  }
}
