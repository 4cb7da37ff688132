public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

extension Vault {
  /// Changes a typed record; only members that the change touches are written again.
  ///
  /// The vault is locked meanwhile, so that nothing comes between reading and writing. `change` runs in the caller's
  /// isolation, and may use the state of an actor.
  ///
  /// - Parameter revision: the version on which the change is based; nil means the present one.
  /// - Returns: whether anything changed.
  /// - Throws: ``VaultError`` like ``add(_:)`` and ``record(_:)``, `.changedUnderneath` if the record has another
  ///   revision than expected, and the errors of `change`; then nothing is written.
  @discardableResult
  public nonisolated(nonsending) func update<Record: VaultRecord>(
    _ id: RecordID, as type: Record.Type = Record.self, expecting revision: Int? = nil,
    _ change: (inout Record) throws(VaultError) -> Void
  ) async throws(VaultError) -> Bool {
    // Each change of the thread takes time while others wait for the lock.
    try await nearWorkers { () async throws(VaultError) -> Bool in
      let lock = try await lockForWriting(changing: id)
      defer { lock.release() }
      var draft = try await working { () throws(VaultError) -> RecordDraft<Record> in
        try self.draft(of: id, expecting: revision)
      }
      try change(&draft.stored.value)
      return try await working { [draft] () throws(VaultError) -> Bool in
        defer { memory?.flush() }
        guard let change = try self.change(by: draft) else { return false }
        try apply([change], lock, isLast: true)
        return true
      }
    }
  }

  /// Changes a typed record, with a closure that may throw any error and has a result.
  ///
  /// - Returns: the result of `change`.
  /// - Throws: like the function above, and the errors of `change`; then nothing is written.
  @discardableResult
  public nonisolated(nonsending) func update<Record: VaultRecord, Output, Failure: Error>(
    _ id: RecordID, as type: Record.Type = Record.self, expecting revision: Int? = nil,
    _ change: (inout Record) throws(Failure) -> Output
  ) async throws -> Output {
    var caught = CaughtError<Failure>()
    var output: Output?
    do throws(VaultError) {
      try await update(id, as: type, expecting: revision) { record throws(VaultError) in
        output = try caught.passing { () throws(Failure) in try change(&record) }
      }
    } catch {
      throw caught.error ?? error
    }
    guard let output else { preconditionFailure("an update that does not throw has made its change") }
    return output
  }

  /// Changes records of one type, all or none; only members that the change touches are written again.
  ///
  /// The vault is locked from the first to the last record. `change` is called once for each id, in their order, in the
  /// caller's isolation, while records are read and sealed on all cores.
  ///
  /// - Returns: the ids of changed records, in that order.
  /// - Throws: ``VaultError`` of the first record that cannot be read, `.cancelled`, and like
  ///   ``update(_:as:expecting:_:)``.
  @discardableResult
  public nonisolated(nonsending) func update<Record: VaultRecord>(
    _ ids: [RecordID], as type: Record.Type, _ change: (inout TypedRecord<Record>) throws(VaultError) -> Void
  ) async throws(VaultError) -> [RecordID] {
    let lock = try await lockForWriting()
    defer { lock.release() }
    var known: Set<RecordID> = []
    let once = ids.filter { known.insert($0).inserted }
    var changes: [StoreChange] = []
    for start in stride(from: 0, to: once.count, by: Self.updatedAtOnce) {
      changes += try await self.changes(to: once[start...].prefix(Self.updatedAtOnce), change)
    }
    guard !changes.isEmpty else { return [] }
    return try await working { [changes] () throws(VaultError) in
      defer { memory?.flush() }
      try apply(changes, lock, isLast: true)
      return changes.compactMap(\.location.recordID)
    }
  }

  /// Changes records of one type, all or none, with a closure that may throw any error.
  ///
  /// - Throws: like the function above, and the errors of `change`; then nothing is written.
  @discardableResult
  public nonisolated(nonsending) func update<Record: VaultRecord, Failure: Error>(
    _ ids: [RecordID], as type: Record.Type, _ change: (inout TypedRecord<Record>) throws(Failure) -> Void
  ) async throws -> [RecordID] {
    var caught = CaughtError<Failure>()
    do throws(VaultError) {
      return try await update(ids, as: type) { record throws(VaultError) in
        try caught.passing { () throws(Failure) in try change(&record) }
      }
    } catch {
      throw caught.error ?? error
    }
  }

  /// The most opened records in memory at a time.
  private static var updatedAtOnce: Int { 512 }

  /// Reads and seals on all cores; `change` runs in between, in the caller's isolation and in the order of `ids`.
  /// Nothing is written.
  private nonisolated(nonsending) func changes<Record: VaultRecord>(
    to ids: ArraySlice<RecordID>, _ change: (inout TypedRecord<Record>) throws(VaultError) -> Void
  ) async throws(VaultError) -> [StoreChange] {
    let map = ParallelMap(chunkSize: 32)
    var drafts: [RecordDraft<Record>] = []
    try await map(
      ids, cancellation: VaultError.cancelled, { id throws(VaultError) in try self.draft(of: id) },
      consume: { draft throws(VaultError) in drafts.append(draft) })
    for index in drafts.indices { try change(&drafts[index].stored) }
    var changes: [StoreChange] = []
    try await map(
      drafts, cancellation: VaultError.cancelled, { draft throws(VaultError) in try self.change(by: draft) },
      consume: { change throws(VaultError) in if let change { changes.append(change) } })
    return changes
  }
}

/// A typed record before a change.
struct RecordDraft<Record: VaultRecord>: Sendable {
  let old: OpenRecord
  /// The type's encoding before the change.
  let base: JSONObject
  let kind: RecordKind
  let context: SealingContext
  var stored: TypedRecord<Record>
}

extension Vault {
  func draft<Record: VaultRecord>(
    of id: RecordID, expecting revision: Int? = nil
  ) throws(VaultError) -> RecordDraft<Record> {
    let kind = try kind(of: Record.self)
    let old = try verifiedRecord(id)
    if let revision, old.envelope.revision != revision { throw .changedMeanwhile(old) }
    return try draft(of: old, kind)
  }

  func draft<Record: VaultRecord>(of old: OpenRecord, _ kind: RecordKind) throws(VaultError) -> RecordDraft<Record> {
    let context = old.verified.context(sealingAt: currentTime())
    let stored = try TypedRecord(old, as: Record.self)
    return RecordDraft(
      old: old, base: try encode(stored.value, in: context, old.id), kind: kind, context: context, stored: stored)
  }

  /// The change to write; nil if nothing changed.
  func change(by draft: RecordDraft<some VaultRecord>) throws(VaultError) -> StoreChange? {
    let (old, base) = (draft.old, draft.base)
    let encoded = try encode(draft.stored.value, kind: draft.kind, in: draft.context, id: old.id, before: base)
    let new = try inSealing(record: old.id) { () throws(SealingError) in
      try old.verified.keys.keepingTokens(of: base, in: encoded)
    }
    let updated = JSONValue.object(old.fields).applying(differenceFrom: .object(base), to: .object(new))
    guard case .object(let fields) = updated else { preconditionFailure("objects differ by an object") }
    return try replacement(of: old, by: fields)
  }
}

extension VaultError {
  /// The error for a record that changed since a change to it was made.
  static func changedMeanwhile(_ record: OpenRecord) -> VaultError {
    var error = VaultError(
      .changedUnderneath, "was changed by someone else in the meantime", file: record.file, record: record.id,
      remedies: ["look at the record again and repeat the change"])
    error.revision = record.envelope.revision
    return error
  }
}
