public import VaultDocument
internal import VaultRecords
internal import VaultSealing
package import VaultStorage
internal import VaultTrust

extension Vault {
  /// The record with this id, verified.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`, `.newerFormat`.
  ///   With ``Options/state``, here and below: `.rolledBack`, `.forked` when this machine has seen a newer version, or
  ///   another one with the same revision.
  public nonisolated(nonsending) func record(_ id: RecordID) async throws(VaultError) -> OpenRecord {
    try await working { () throws(VaultError) in
      defer { memory?.flush() }
      return try verifiedRecord(id)
    }
  }

  /// The record that `text` means, verified, and meant by it still; see ``LockedVault/resolve(_:)``.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.ambiguousRecord`, `.damaged`, `.changedUnderneath` when the record got
  ///   another name between the look-up and the reading.
  public func record(named text: String) async throws(VaultError) -> OpenRecord {
    try await record(named: text, prefersLive: false)
  }

  /// As ``record(named:)``, for who is about to remove it: of equal revisions here and in the trash, this one is meant.
  package func recordToRemove(named text: String) async throws(VaultError) -> OpenRecord {
    try await record(named: text, prefersLive: true)
  }

  private func record(named text: String, prefersLive: Bool) async throws(VaultError) -> OpenRecord {
    defer { memory?.flush() }
    // A full id is looked up by being read.
    let id = if let id = RecordID(parsing: text) { id } else { try await locked.resolve(text) }
    return try await working { () throws(VaultError) in
      let record = try verifiedRecord(id, prefersLive: prefersLive)
      guard NameMatch(text).means(record) else { throw .renamed(record) }
      return record
    }
  }

  /// The record of a row that somebody chose by its name, verified.
  ///
  /// - Parameter prefersLive: as for ``recordToRemove(named:)``.
  package func record(of row: RecordSummary, prefersLive: Bool) async throws(VaultError) -> OpenRecord {
    defer { memory?.flush() }
    let record = try verifiedRecord(row.id, prefersLive: prefersLive)
    guard sameBytes(record.name, row.name) else { throw .renamed(record) }
    return record
  }

  /// The records that a query finds, each verified, sorted.
  ///
  /// - Parameter leavingOut: is told of each record that does not verify; nil to throw the first fault.
  /// - Throws: ``VaultError`` when a folder cannot be read; `.cancelled`.
  public nonisolated(nonsending) func list(
    _ query: RecordQuery = .init(), leavingOut: ((VaultError) -> Void)? = nil
  ) async throws(VaultError) -> [RecordSummary] {
    try await listedRows(of: listed(query), leavingOut: leavingOut)
  }

  /// The records that a query finds, each verified, sorted; and the faults of those that do not verify.
  package func listed(_ query: RecordQuery = .init()) async throws(VaultError) -> Listed<RecordSummary> {
    let (records, faults) = try await locked.listed(query)
    return verified(records, faults)
  }

  /// Those of some rows whose records verify, and the faults of the others after those that are known.
  package func verified(
    _ rows: [RecordSummary], _ faults: [VaultError]
  ) -> (records: [RecordSummary], faults: [VaultError]) {
    defer { memory?.flush() }
    var (records, faults) = (rows, faults)
    var left: Set<RecordID> = []
    // In the order of ids: what a machine has seen is read folder by folder.
    for id in records.map(\.id).sorted() {
      do throws(VaultError) {
        _ = try verifiedRecord(id)
      } catch {
        left.insert(id)
        // It was removed: meanwhile, or in the newer revision that the trash has.
        if error.code != .noSuchRecord { faults.append(error) }
      }
    }
    records.removeAll { left.contains($0.id) }
    return (records, faults)
  }

  /// Gives every live record to `body`, verified, in the order of ids; `body` runs where the caller is isolated.
  ///
  /// They are as they were at one moment. Nobody can write meanwhile where the store cannot show that moment beside the
  /// present, `body` included.
  ///
  /// - Throws: ``VaultError`` of the first record that does not verify, and what `body` throws; `.lockedByOther`,
  ///   `.cancelled`.
  public nonisolated(nonsending) func forEachOpenRecord(
    _ body: (OpenRecord) throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await forEachOpenRecord({ $0 }, consume: body)
  }

  /// Gives every live record to `body`, whose errors may be any.
  ///
  /// - Throws: as the one above, and what `body` throws.
  public nonisolated(nonsending) func forEachOpenRecord<Failure: Error>(
    _ body: (OpenRecord) throws(Failure) -> Void
  ) async throws {
    var caught = CaughtError<Failure>()
    do throws(VaultError) {
      try await forEachOpenRecord { record throws(VaultError) in
        try caught.passing { () throws(Failure) in try body(record) }
      }
    } catch {
      throw caught.error ?? error
    }
  }

  /// Makes something of every live record, verified, on all cores, and gives it to `consume` in the order of ids.
  ///
  /// They are as they were at one moment, as with ``forEachOpenRecord(_:)``. Of the records themselves only some
  /// hundred are in memory at a time.
  ///
  /// - Parameters:
  ///   - transform: called once for each record, on any thread.
  ///   - consume: runs where the caller is isolated.
  /// - Throws: ``VaultError`` of the first record that does not verify, and what both closures throw, after everything
  ///   before it was consumed; `.lockedByOther`, `.cancelled`.
  public nonisolated(nonsending) func forEachOpenRecord<Output: Sendable>(
    _ transform: @escaping @Sendable (OpenRecord) throws(VaultError) -> Output,
    consume: (Output) throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await forEachOpenRecord(
      in: { vault throws(VaultError) in try vault.locked.chunks() }, transform, consume: consume)
  }

  /// The same with those of some chunks, which are asked for at the moment that is shown.
  nonisolated(nonsending) func forEachOpenRecord<Output: Sendable, Chunks: Sequence<Result<RecordChunk, VaultError>>>(
    in makeChunks: @Sendable (Vault) throws(VaultError) -> Chunks,
    _ transform: @escaping @Sendable (OpenRecord) throws(VaultError) -> Output,
    consume: (Output) throws(VaultError) -> Void
  ) async throws(VaultError) where Chunks: Sendable {
    defer { memory?.flush() }
    try await atOneMoment { vault throws(VaultError) in
      let (trashed, chunks) = try await working { () throws(VaultError) in
        (Set((try? vault.store.trashed()) ?? []), try makeChunks(vault))
      }
      try await ParallelMap(chunkSize: 1)(
        chunks, cancellation: VaultError.cancelled,
        { chunk throws(VaultError) in try vault.outputs(of: chunk.get(), trashed, transform) },
        consume: { chunk throws(VaultError) in
          for output in chunk.outputs { try consume(output) }
          if let failure = chunk.failure { throw failure }
        })
    }
  }

  /// What is made of some records, up to the first that fails.
  private func outputs<Output>(
    of chunk: RecordChunk, _ trashed: Set<RecordID>, _ transform: (OpenRecord) throws(VaultError) -> Output
  ) throws(VaultError) -> (outputs: [Output], failure: VaultError?) {
    var outputs: [Output] = []
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try store.readLocked(chunk.ids, inFolder: chunk.folder) { id, bytes in
        do throws(VaultError) {
          let bytes = try inStore(record: id) { () throws(StoreError) in try bytes.get() }
          if let record = try counting(bytes, id: id, trashed: trashed) { outputs.append(try transform(record)) }
          return true
        } catch {
          options.tell(error, of: header.vaultID, records: [id])
          failure = error
          return false
        }
      }
    }
    return (outputs, failure)
  }

  /// A live record that verified; nil for one that the trash has in a newer revision, by which it was removed.
  private func counting(
    _ bytes: [UInt8], id: RecordID, trashed: Set<RecordID>
  ) throws(VaultError) -> OpenRecord? {
    let record = try verify(bytes, id)
    do throws(VaultError) {
      if trashed.contains(id) { _ = try isNewerThanTrash(record) }
      try compareWithSeen(record)
      return record
    } catch {
      guard trashed.contains(id), error.code == .noSuchRecord else { throw error }
      return nil
    }
  }

  /// - Parameter prefersLive: whether the live record counts if the one in the trash has the same revision.
  package func verifiedRecord(_ id: RecordID, prefersLive: Bool = false) throws(VaultError) -> OpenRecord {
    try reportingErrors(of: id) { () throws(VaultError) in try readVerified(id, prefersLive: prefersLive) }
  }

  private func readVerified(_ id: RecordID, prefersLive: Bool) throws(VaultError) -> OpenRecord {
    guard let bytes = try locked.read(id) else { throw .noSuchRecord }
    var record = try verify(bytes, id)
    record.hasOlderInTrash = try isNewerThanTrash(record, prefersLive: prefersLive)
    do throws(VaultError) {
      try compareWithSeen(record)
      return record
    } catch {
      // Somebody may have written the record, and noted it, since it was read here.
      guard error.isAboutPin else { throw error }
      if try locked.read(id) == bytes {
        try locked.waitForReplica(error) { (try? locked.read(id)) != bytes }
      }
      return try readVerified(id, prefersLive: prefersLive)
    }
  }

  /// Whether an older revision of a record is in the trash; a trash that cannot be read, or does not verify, says
  /// nothing.
  private func isNewerThanTrash(_ live: OpenRecord, prefersLive: Bool = false) throws(VaultError) -> Bool {
    guard let bytes = try? readTrash(live.id), let trashed = try? verifyTrashed(bytes, live.id).record else {
      return false
    }
    let (revision, removed) = (live.envelope.revision, trashed.envelope.revision)
    guard removed <= revision else { throw .removedSince(live.id) }
    guard removed < revision || prefersLive else { throw .equalRevisions(live.id) }
    return removed < revision
  }

  /// Parses and verifies the bytes of a live record's file.
  package func verify(_ bytes: [UInt8], _ id: RecordID) throws(VaultError) -> OpenRecord {
    let record = try verify(bytes, id, in: .record(id))
    guard record.envelope.deletedAt == nil else { throw .removed(file: record.file, id) }
    return record
  }

  /// A root that the header did not name may have been made since: the header is read once more then (format 1, section
  /// 9, Reading).
  package func verify(_ bytes: [UInt8], _ id: RecordID, in location: StoreLocation) throws(VaultError) -> OpenRecord {
    let document = try parseDocument(bytes, file: location.relativePath, record: id)
    do throws(VaultError) {
      return try verify(document, bytes: bytes, id: id, file: location.relativePath)
    } catch {
      guard (error.underlying as? SealingError)?.code == .unknownRoot, try refresh() else {
        throw explained(error, bytes: bytes, id: id, in: location)
      }
      return try verify(document, bytes: bytes, id: id, file: location.relativePath)
    }
  }

  /// A live record whose MAC alone is wrong, and whose sealed values are whole, may have been edited by hand: that has
  /// a way on of its own.
  private func explained(
    _ error: VaultError, bytes: [UInt8], id: RecordID, in location: StoreLocation
  ) -> VaultError {
    guard (error.underlying as? SealingError)?.code == .authenticationFailed, error.field == nil,
      location == .record(id), (try? EditedRecord(bytes, id: id, vault: self).checkTokens()) != nil
    else { return error }
    var explained = error
    explained.isEdited = true
    explained.remedies.insert(.acceptEdits([id]), at: 0)
    return explained
  }

  /// Verifies the tree of a record file, and what it was parsed from is kept with it.
  func verify(
    _ document: JSONValue, bytes: [UInt8], id: RecordID, file: String
  ) throws(VaultError) -> OpenRecord {
    let keyring = keyring
    let verified = try inSealing(file: file, record: id) { () throws(SealingError) in
      try RecordSeal.verify(document, as: id) { hint throws(SealingError) in try keyring.recordRoot(hint: hint) }
    }
    try requireListed(verified.envelope, keyring: keyring, file: file)
    let kind = kinds[verified.envelope.kind]
    let record = OpenRecord(verified: verified, bytes: bytes, file: file, kind: kind, onReveal: revealing(id))
    if let kind, record.fitsKind, verified.envelope.schema <= kind.schema,
      let path = kind.clearTextPath(in: record.fields)
    {
      throw .clearText(at: path, file: file, id)
    }
    return record
  }

  /// Under a root that waits for a reseal, only what the checkpoint of its beginning lists is taken: who left could
  /// have made anything else (format 1, section 11, Rotation).
  private func requireListed(
    _ envelope: RecordEnvelope, keyring: Keyring, file: String
  ) throws(VaultError) {
    guard keyring.waitsForReseal(hint: envelope.wrappedKey.rootHint) else { return }
    let list = try keyring.resealList { () throws(VaultError) in try resealCheckpoint(keyring) }
    guard let entry = try list.entries.entry(of: envelope.id), constantTimeEqual(entry.mac, envelope.mac) else {
      throw VaultError(
        .damaged, "was not there when the reseal began, and its root key is not accepted any more", file: file,
        record: envelope.id)
    }
  }

  private func resealCheckpoint(_ keyring: Keyring) throws(VaultError) -> Checkpoint {
    guard let found = try StoredCheckpoint.read(from: store) else {
      throw VaultError(.damaged, "is missing: an unfinished reseal needs it", file: Checkpoint.fileName)
    }
    // Under no other root: who left could have made it.
    try found.checkpoint.authenticate(under: keyring.current)
    return found.checkpoint
  }
}

extension VaultError {
  fileprivate static func renamed(_ record: OpenRecord) -> VaultError {
    VaultError(.changedUnderneath, "got another name while it was looked up", file: record.file, record: record.id)
  }
}
