public import VaultDocument
internal import VaultRecords
internal import VaultSealing
package import VaultStorage
internal import VaultTrust

extension Vault {
  /// The verified record with this id.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`, `.newerFormat`. With ``Options/state``, here and below:
  ///   `.rolledBack`, `.forked` if this machine has seen a newer version, or another one with the same revision.
  public nonisolated(nonsending) func record(_ id: RecordID) async throws(VaultError) -> OpenRecord {
    try await working { () throws(VaultError) in
      defer { memory?.flush() }
      return try verifiedRecord(id)
    }
  }

  /// The verified record that `text` means, which must still mean it; see ``LockedVault/resolve(_:)``.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.ambiguousRecord`, `.damaged`, `.changedUnderneath` if the record got
  ///   another name between the look-up and the reading.
  public func record(named text: String) async throws(VaultError) -> OpenRecord {
    try await record(named: text, prefersLive: false)
  }

  /// Like ``record(named:)``, for a caller that will remove the record: of equal revisions here and in the trash, it
  /// means the live one.
  package func recordToRemove(named text: String) async throws(VaultError) -> OpenRecord {
    try await record(named: text, prefersLive: true)
  }

  private func record(named text: String, prefersLive: Bool) async throws(VaultError) -> OpenRecord {
    defer { memory?.flush() }
    // A full id is looked up by reading it.
    let id = if let id = RecordID(parsing: text) { id } else { try await locked.resolve(text) }
    return try await working { () throws(VaultError) in
      let record = try verifiedRecord(id, prefersLive: prefersLive)
      guard NameMatch(text).means(record) else { throw .renamed(record) }
      return record
    }
  }

  /// The verified record of a row that a person chose by its name.
  ///
  /// - Parameter prefersLive: as for ``recordToRemove(named:)``.
  package func record(of row: RecordSummary, prefersLive: Bool) async throws(VaultError) -> OpenRecord {
    defer { memory?.flush() }
    let record = try verifiedRecord(row.id, prefersLive: prefersLive)
    guard sameBytes(record.name, row.name) else { throw .renamed(record) }
    return record
  }

  /// The records that match a query, each verified, sorted.
  ///
  /// - Parameter leavingOut: gets the error of each record that does not verify; nil throws the first error.
  /// - Throws: ``VaultError`` if a folder cannot be read; `.cancelled`.
  public nonisolated(nonsending) func list(
    _ query: RecordQuery = .init(), leavingOut: ((VaultError) -> Void)? = nil
  ) async throws(VaultError) -> [RecordSummary] {
    try await listedRows(of: listed(query), leavingOut: leavingOut)
  }

  /// The records that match a query, each verified, sorted; and the errors of those that do not verify.
  package func listed(_ query: RecordQuery = .init()) async throws(VaultError) -> Listed<RecordSummary> {
    let (records, faults) = try await locked.listed(query)
    return verified(records, faults)
  }

  /// The rows whose records verify, and the errors of the others after the known ones. A row stays as it was given: it
  /// is not compared with its verified record.
  package func verified(
    _ rows: [RecordSummary], _ faults: [VaultError]
  ) -> (records: [RecordSummary], faults: [VaultError]) {
    defer { memory?.flush() }
    var (records, faults) = (rows, faults)
    var left: Set<RecordID> = []
    // In the order of ids, because the memory of this machine is read folder by folder.
    for id in records.map(\.id).sorted() {
      do throws(VaultError) {
        _ = try verifiedRecord(id)
      } catch {
        left.insert(id)
        // It was removed meanwhile, or in the newer revision in the trash.
        if error.code != .noSuchRecord { faults.append(error) }
      }
    }
    records.removeAll { left.contains($0.id) }
    return (records, faults)
  }

  /// Gives every live record to `body`, verified, in the order of ids; `body` runs in the caller's isolation.
  ///
  /// The records are those of one moment. If the store cannot show that moment beside the present, nobody can write
  /// meanwhile, not even `body`.
  ///
  /// - Throws: ``VaultError`` of the first record that does not verify, and the errors of `body`; `.lockedByOther`,
  ///   `.cancelled`.
  public nonisolated(nonsending) func forEachOpenRecord(
    _ body: (OpenRecord) throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await forEachOpenRecord({ $0 }, consume: body)
  }

  /// Gives every live record to `body`, which may throw any error.
  ///
  /// - Throws: like the function above, and the errors of `body`.
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

  /// Transforms every live record, verified, on all cores, and gives the results to `consume` in the order of ids.
  ///
  /// The records are those of one moment, like in ``forEachOpenRecord(_:)``. Only some hundred records are in memory at
  /// a time.
  ///
  /// - Parameters:
  ///   - transform: called once for each record, on any thread.
  ///   - consume: runs in the caller's isolation.
  /// - Throws: ``VaultError`` of the first record that does not verify, and the errors of both closures, after
  ///   everything before it was consumed; `.lockedByOther`, `.cancelled`.
  public nonisolated(nonsending) func forEachOpenRecord<Output: Sendable>(
    _ transform: @escaping @Sendable (OpenRecord) throws(VaultError) -> Output,
    consume: (Output) throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await forEachOpenRecord(
      in: { vault throws(VaultError) in try vault.locked.chunks() }, transform, consume: consume)
  }

  /// Transforms the records of some chunks, which are requested at the shown moment.
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

  /// The results for some records, up to the first that fails, and the error of that one, which the observer has got.
  /// Only a fault of the folder itself is thrown.
  private func outputs<Output>(
    of chunk: RecordChunk, _ trashed: Set<RecordID>, _ transform: (OpenRecord) throws(VaultError) -> Output
  ) throws(VaultError) -> (outputs: [Output], failure: VaultError?) {
    var outputs: [Output] = []
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try store.readLocked(chunk.ids, inFolder: chunk.folder) { id, bytes in
        do throws(VaultError) {
          let bytes = try inStore(record: id) { () throws(StoreError) in try bytes.get() }
          if let record = try liveRecord(bytes, id: id, trashed: trashed) { outputs.append(try transform(record)) }
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

  /// A verified live record, compared with this machine's memory; nil if the trash has a newer revision, by which it
  /// was removed.
  private func liveRecord(
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

  /// Reads and verifies a live record, and compares it with the trash and this machine's memory. The observer gets an
  /// error, too. The caller flushes the memory.
  ///
  /// - Parameter prefersLive: whether the live record counts if the one in the trash has the same revision.
  package func verifiedRecord(_ id: RecordID, prefersLive: Bool = false) throws(VaultError) -> OpenRecord {
    try reportingErrors(of: id) { () throws(VaultError) in try readVerified(id, prefersLive: prefersLive) }
  }

  /// If the memory knows another version and the file has changed since it was read, the call repeats itself. On a
  /// replica it waits for the change first.
  private func readVerified(_ id: RecordID, prefersLive: Bool) throws(VaultError) -> OpenRecord {
    guard let bytes = try locked.read(id) else { throw .noSuchRecord }
    var record = try verify(bytes, id)
    record.hasOlderInTrash = try isNewerThanTrash(record, prefersLive: prefersLive)
    do throws(VaultError) {
      try compareWithSeen(record)
      return record
    } catch {
      // Another process may have written and noted the record since it was read here.
      guard error.isAboutPin else { throw error }
      if try locked.read(id) == bytes {
        try locked.waitForReplica(error) { (try? locked.read(id)) != bytes }
      }
      return try readVerified(id, prefersLive: prefersLive)
    }
  }

  /// Whether an older revision of a record is in the trash; false if the trash cannot be read or does not verify. A
  /// newer removed revision is an error, and so is an equal one unless `prefersLive`.
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

  /// Parses and verifies the bytes of a record's file. The caller checks `deleted_at`, the trash and the memory. A
  /// root that the header does not name may be new, so the header is read once more (format 1, section 9, Reading).
  package func verify(_ bytes: [UInt8], _ id: RecordID, in location: StoreLocation) throws(VaultError) -> OpenRecord {
    let document = try parseDocument(bytes, file: location.relativePath, record: id)
    do throws(VaultError) {
      return try verifiedUnderKnownRoots(document, bytes: bytes, id: id, file: location.relativePath)
    } catch {
      guard (error.underlying as? SealingError)?.code == .unknownRoot, try refresh() else {
        throw explained(error, bytes: bytes, id: id, in: location)
      }
      return try verifiedUnderKnownRoots(document, bytes: bytes, id: id, file: location.relativePath)
    }
  }

  /// Improves the error of a live record that may have been edited by hand: only its MAC is wrong, and its sealed
  /// values are intact. Such a record has its own remedy.
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

  /// Verifies the tree of a record file and keeps the bytes it was parsed from. The call fails if a root is new, and
  /// then the caller reads the header again. Neither the trash nor the memory is compared.
  private func verifiedUnderKnownRoots(
    _ document: JSONValue, bytes: [UInt8], id: RecordID, file: String
  ) throws(VaultError) -> OpenRecord {
    let keyring = keyring
    let verified = try inSealing(file: file, record: id) { () throws(SealingError) in
      try RecordSeal.verify(document, as: id) { hint throws(SealingError) in try keyring.rootEvenIfWaiting(hint: hint) }
    }
    try requireListedAtReseal(verified.envelope, keyring: keyring, file: file)
    let kind = kinds[verified.envelope.kind]
    let record = OpenRecord(verified: verified, bytes: bytes, file: file, kind: kind, onReveal: revealing(id))
    if let kind, record.fitsKind, verified.envelope.schema <= kind.schema,
      let path = kind.clearTextPath(in: record.fields)
    {
      throw .clearText(at: path, file: file, id)
    }
    return record
  }

  /// Under a root that waits for a reseal, accepts only versions that the checkpoint at its beginning lists, because
  /// the person who left could have made any other (format 1, section 11, Rotation).
  private func requireListedAtReseal(
    _ envelope: RecordEnvelope, keyring: Keyring, file: String
  ) throws(VaultError) {
    guard keyring.waitsForReseal(hint: envelope.wrappedKey.rootHint) else { return }
    let list = try keyring.resealList { () throws(VaultError) in try resealCheckpoint(keyring) }
    guard let entry = try list.entries.entry(of: envelope.id), constantTimeEqual(entry.mac, envelope.mac) else {
      throw VaultError(
        .damaged, "did not exist when the reseal began, and its root key is no longer accepted", file: file,
        record: envelope.id)
    }
  }

  private func resealCheckpoint(_ keyring: Keyring) throws(VaultError) -> Checkpoint {
    guard let found = try StoredCheckpoint.read(from: store) else {
      throw VaultError(.damaged, "is missing: an unfinished reseal needs it", file: Checkpoint.fileName)
    }
    // Under no other root, because the person who left could have made it.
    try found.checkpoint.authenticate(under: keyring.current)
    return found.checkpoint
  }
}

extension VaultError {
  fileprivate static func renamed(_ record: OpenRecord) -> VaultError {
    VaultError(.changedUnderneath, "was renamed while it was being looked up", file: record.file, record: record.id)
  }
}
