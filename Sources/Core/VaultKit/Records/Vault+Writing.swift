public import VaultDocument
internal import VaultFileStore
internal import VaultRecords
package import VaultSealing
package import VaultStorage
internal import VaultSystem
internal import VaultTrust

extension Vault {
  /// Removes records: they go to the trash, sealed and authenticated as before, all or none.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`, and like ``add(_:)``.
  public func remove(_ ids: [RecordID]) async throws(VaultError) {
    guard !ids.isEmpty else { return }
    try await writing(changing: ids.count == 1 ? ids[0] : nil) { lock throws(VaultError) in
      let now = currentTime()
      var changes: [StoreChange] = []
      for id in ids { changes += try removal(of: verifiedRecord(id, prefersLive: true), at: now) }
      try apply(changes, lock, isLast: true)
    }
  }

  /// The changes that move a record to the trash.
  func removal(of old: OpenRecord, at now: Timestamp) throws(VaultError) -> [StoreChange] {
    let id = old.id
    var draft = EnvelopeDraft(next: old.verified, now: now)
    draft.deletedAt = now
    let trashed = try sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .trash(id))
    let older = try readTrash(id)
    if let older { try requireNoNewerFormat(older, at: .trash(id), id) }
    return [StoreChange(.record(id), from: old.bytes, to: nil), StoreChange(.trash(id), from: older, to: trashed)]
  }

  package func readTrash(_ id: RecordID) throws(VaultError) -> [UInt8]? {
    try inStore(record: id) { () throws(StoreError) in try store.read(.trash(id)) }
  }

  /// Writes the next revision of a record, in the present schema of its kind, if its members differ.
  package func replace(_ old: OpenRecord, with fields: JSONObject, _ lock: any StoreLock) throws(VaultError) -> Bool {
    guard let change = try replacement(of: old, by: fields) else { return false }
    try apply([change], lock)
    return true
  }

  /// The change to a record's next revision, in the present schema of its kind; nil if its members are the same.
  ///
  /// - Parameter former: earlier values that another program knows. They and the replaced values are in the order of
  ///   their sealing times.
  func replacement(
    of old: OpenRecord, by fields: JSONObject, knowing former: [FormerInput] = []
  ) throws(VaultError) -> StoreChange? {
    guard fields != old.fields else { return nil }
    var draft = EnvelopeDraft(next: old.verified, now: currentTime())
    draft.schema = max(draft.schema, old.kind?.schema ?? 1)
    if let kind = old.kind, !former.isEmpty {
      let known = try sealed(former, of: kind, old.verified.keys, now: draft.updatedAt)
      for (path, token) in old.stored.tokens(absentFrom: fields) + known {
        draft.former.insert([token], at: path)
      }
      draft.predecessor = nil
    }
    let bytes = try sealedBytes(fields, draft: draft, keys: old.verified.keys, in: .record(old.id))
    return StoreChange(.record(old.id), from: old.bytes, to: bytes)
  }

  /// The kind for records of a type.
  ///
  /// A type with which the vault was not opened is refused: its records would be listed without a name, and not be
  /// checked against its description.
  func kind(of type: any VaultRecord.Type) throws(VaultError) -> RecordKind {
    if let fault = RecordKind.fault(of: type) { throw VaultError(record: fault, id: nil, input: true) }
    guard let kind = kinds[type.kindName] else {
      throw VaultError(
        .inputRefused, "is a type that the vault was not opened with", field: "\(type)",
        remedies: ["add the type to the types of Vault.Options when you open the vault"])
    }
    guard kind.mayBe(type) else {
      throw VaultError(
        .inputRefused,
        "has the kind name `\(type.kindName)`, which is already the name of \(kind.typeName ?? "another kind")",
        field: "\(type)", remedies: ["give it another kindName"])
    }
    return kind
  }

  /// The change that adds a record under the present root key; `encode` seals its fields. Nothing is stored yet.
  func newRecord(
    _ id: RecordID, kind: RecordKind, former: [FormerInput] = [], from origin: RecordOrigin? = nil, now: Timestamp,
    encode: (SealingContext) throws(VaultError) -> JSONObject
  ) throws(VaultError) -> StoreChange {
    let root = keyring.current
    let (wrapped, keys) = try inSealing { () throws(SealingError) -> (wrapped: WrappedKey, keys: RecordKeys) in
      guard let dataKey = origin?.dataKey else { return try root.makeDataKey(for: id) }
      let wrapped = try root.verifiedWrap(of: dataKey, record: id)
      return (wrapped, try RecordKeys(dataKey: dataKey, vaultID: root.vaultID, recordID: id))
    }
    let fields = try encode(keys.context(sealingAt: now))
    var draft = EnvelopeDraft(id: id, kind: kind.name, schema: kind.schema, now: now, wrappedKey: wrapped)
    if let origin { draft.createdAtText = origin.createdAt.text }
    for (path, token) in try sealed(former, of: kind, keys, now: now) { draft.former.append([token], at: path) }
    return StoreChange(.record(id), from: nil, to: try sealedBytes(fields, draft: draft, keys: keys, in: .record(id)))
  }

  /// The tokens of former values, with their paths.
  private func sealed(
    _ former: [FormerInput], of kind: RecordKind, _ keys: RecordKeys, now: Timestamp
  ) throws(VaultError) -> [(MemberPath, String)] {
    var tokens: [(MemberPath, String)] = []
    for value in former {
      let text: String
      do throws(RecordError) {
        text = try kind.plaintext(ofFormer: value.value, at: value.path)
      } catch {
        throw VaultError(record: error, id: nil, input: true)
      }
      let time = min(value.sealedAt ?? now, now)
      let token = try inSealing { () throws(SealingError) in
        try keys.seal(RawSpan(_elements: Array(text.utf8).span), at: time)
      }
      tokens.append((kind.pathInCurrentSchema(value.path), token))
    }
    return tokens
  }

  func encode(
    _ record: some VaultRecord, in context: SealingContext, _ id: RecordID
  ) throws(VaultError) -> JSONObject {
    do throws(RecordError) {
      return try record.encoded(in: context)
    } catch {
      throw VaultError(record: error, id: id, input: true)
    }
  }

  /// The encoded members of a typed record, checked against the description of its kind.
  func encode(
    _ record: some VaultRecord, kind: RecordKind, in context: SealingContext, id: RecordID, before: JSONObject?
  ) throws(VaultError) -> JSONObject {
    let members = try encode(record, in: context, id)
    do throws(RecordError) {
      let completed = try kind.completed(members, before: before)
      if let fault = kind.faults(in: completed).first { throw fault }
      return completed
    } catch {
      throw VaultError(record: error, id: id, input: true)
    }
  }

  /// Completes a record and returns its final bytes; see ``verifiedBytes(of:in:)``. Its version is prepared for the
  /// memory, which counts it once `apply` has written it. A root that waits for a reseal is refused.
  package func sealedBytes(
    _ fields: JSONObject, draft: EnvelopeDraft, keys: RecordKeys, in location: StoreLocation
  ) throws(VaultError) -> [UInt8] {
    guard !keyring.waitsForReseal(hint: draft.wrappedKey.rootHint) else {
      throw VaultError(
        .rotationUnfinished, "must wait until the unfinished reseal is finished", file: location.relativePath,
        record: draft.id)
    }
    var draft = draft
    draft.formerCount = header.formerCount
    let record = try inSealing(record: draft.id) { [draft] () throws(SealingError) in
      try RecordSeal.seal(fields, draft, keys: keys)
    }
    let bytes = try verifiedBytes(of: record, in: location)
    memory?.prepare(SeenVersion(record), for: location)
    return bytes
  }

  /// The bytes of a record's file, checked before they are stored: they parse to exactly the tree of the MAC, readers
  /// accept their envelope, and no value that must be sealed is in clear. Tokens and key were already opened again
  /// after sealing.
  package func verifiedBytes(of record: SealedRecord, in location: StoreLocation) throws(VaultError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(DocumentError) {
      bytes = try record.document.prettyBytes()
      guard try JSONParser.parse(bytes) == record.document else {
        throw DocumentError(code: .wrongType, reason: "a record was not written as it should be")
      }
    } catch {
      throw VaultError(.inputRefused, "does not fit the limits of a record: \(error.reason)", record: record.id)
    }
    try requireReadable(record)
    try requireSealed(record, location)
    return bytes
  }

  /// Checks the envelope as if it came from a stranger; the bytes are known to parse to this tree.
  private func requireReadable(_ record: SealedRecord) throws(VaultError) {
    do throws(SealingError) {
      _ = try RecordEnvelope(of: record.document)
    } catch {
      throw VaultError(
        .inputRefused, "is not of format 1, so nobody could read the record again", record: record.id,
        field: error.path,
        underlying: error)
    }
  }

  /// Refuses a value in clear that its kind seals. Only the present schema of a known kind is checked, because
  /// `migrate` seals the clear text of an older one.
  private func requireSealed(_ record: SealedRecord, _ location: StoreLocation) throws(VaultError) {
    guard case .object(let members) = record.document, let envelope = members[RecordEnvelope.memberName],
      let kind = envelope["kind"]?.string.flatMap({ kinds[$0] }), envelope["schema"]?.int == kind.schema
    else { return }
    // The envelope counts as clear text only if a kind seals members of any name. It is removed only after a hit.
    guard kind.clearTextPath(in: members) != nil else { return }
    var fields = members
    fields[RecordEnvelope.memberName] = nil
    guard let path = kind.clearTextPath(in: fields) else { return }
    throw .clearText(at: path, file: location.relativePath, record.id)
  }

  /// For a process that is about to end: undoes or completes unfinished writes in all vaults, within a time limit.
  /// Afterwards no write begins or returns.
  public static func stopWriting(within limit: Duration) { PendingWrites.stop(within: limit) }

  /// Applies changes, except of the checkpoint (``replaceCheckpoint(_:by:_:)``), and remembers them. With `.mayBeLost`
  /// they are stored and remembered, although this throws. The caller flushes the memory.
  ///
  /// - Parameters:
  ///   - isTold: whether the observer gets events; a rotation sends only one for all its writes.
  ///   - isLast: whether nothing is read or changed under the lock afterwards, so that the change may release it.
  package func apply(
    _ changes: [StoreChange], _ lock: any StoreLock, isTold: Bool = true, isLast: Bool = false
  ) throws(VaultError) {
    if isLast { (lock as? any ReleasingLock)?.releaseWithNextChange() }
    do throws(VaultError) {
      try storing(
        { () throws(StoreError) in try store.apply(changes, under: lock) },
        note: { () throws(VaultError) in
          if isTold { tell(changes) }
          try remember(changes)
        })
    } catch {
      options.tell(error, of: header.vaultID)
      throw error
    }
  }

  /// Remembers the writes of this process, regardless of earlier versions.
  private func remember(_ changes: [StoreChange]) throws(VaultError) {
    guard let memory else { return }
    memory.noteWritten(changes)
    for change in changes where change.location == .header {
      if let bytes = change.replacement { try memory.remember(VaultHeader(parsing: bytes), isOwn: true) }
    }
  }

  /// Replaces the checkpoint by a new one, and remembers it.
  ///
  /// - Parameter mark: the mark of the checkpoint that was read; nil if there was no checkpoint.
  package func replaceCheckpoint(_ mark: ContentMark?, by new: Checkpoint, _ lock: any StoreLock) throws(VaultError) {
    let writer = try inStore { () throws(StoreError) in try store.writer(of: .checkpoint, under: lock) }
    try new.write { piece throws(VaultError) in
      try inStore { () throws(StoreError) in try writer.append(piece) }
    }
    try storing(
      { () throws(StoreError) in try writer.commit(replacing: mark) },
      note: { () throws(VaultError) in memory?.noteCheckpoint(try Pin.CheckpointMark(new), isOwn: true) })
  }
}

extension Vault {
  /// Refuses to replace a file of a newer version of this program: it is not damaged, and may be the only copy.
  package func requireNoNewerFormat(_ bytes: [UInt8], at place: StoreLocation, _ id: RecordID) throws(VaultError) {
    do throws(VaultError) {
      _ = try StoredRecord(parsing: bytes, file: place.relativePath, id: id, kinds: kinds)
    } catch {
      if error.code == .newerFormat { throw error }
    }
  }
}
