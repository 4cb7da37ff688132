internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
internal import VaultStorage

/// One run over a vault, under a lock.
struct Verifier {
  let vault: Vault
  /// The store; with a malformed journal, the files as they are without it.
  let files: LockedVault
  private(set) var result = Verification()
  private let scope: VerificationScope
  private let journal: JournalState
  private var checkpoint: Checkpoint?
  private var found = FoundVersions()

  init(_ vault: Vault, _ scope: VerificationScope) throws(VaultError) {
    self.vault = vault
    self.scope = scope
    (files, journal) = try vault.locked.readableFiles()
    if let rotation = vault.header.unfinishedRotation { result.notes.append(rotation.unfinishedNote) }
  }

  private var directory: DirectoryStore? { vault.store as? DirectoryStore }

  mutating func checkJournal() {
    if let note = journal.note { result.notes.append(note) }
    if let fault = journal.fault { add(fault) }
  }

  mutating func checkSlots() throws(VaultError) {
    result.slotCount = vault.header.slots.count
    result.faults += try SlotFile.faults(of: vault.header, in: vault.store)
  }

  /// A checkpoint that is damaged is one fault more; the records are then verified without it.
  mutating func readCheckpoint() throws(VaultError) {
    do throws(VaultError) {
      checkpoint = try vault.checkpoint(in: files.store)?.checkpoint
      if scope.sinceCheckpoint, checkpoint == nil { throw .noCheckpoint }
    } catch {
      guard error.code != .noCheckpoint else { throw error }
      add(try VaultFault(error, file: Checkpoint.fileName))
    }
  }

  /// Folder by folder, on all cores.
  mutating func checkRecords(_ progress: () -> Void) async throws(VaultError) {
    let (check, files) = (check, files)
    try await ParallelMap(chunkSize: 1)(
      (UInt8.min...UInt8.max).filter(scope.contains), cancellation: VaultError.cancelled,
      { folder throws(VaultError) in check.folder(folder, in: files) },
      consume: { folder throws(VaultError) in
        result.recordCount += folder.outcomes.count
        for (id, outcome) in folder.outcomes {
          try take(outcome, .record(id), id)
          progress()
        }
        if let fault = folder.fault { add(fault) }
      })
  }

  private var check: RecordCheck {
    RecordCheck(vault: vault, checkpoint: scope.sinceCheckpoint ? checkpoint : nil)
  }

  /// Notes the outcome for one file, and gives the version if it is good.
  @discardableResult
  private mutating func take(
    _ outcome: Result<Checkpoint.Entry, VaultError>, _ place: StoreLocation, _ id: RecordID
  ) throws(VaultError) -> Checkpoint.Entry? {
    do throws(VaultError) {
      let version = try outcome.get()
      found.take(version, at: place)
      return version
    } catch {
      found.takeFaulty(id)
      try add(error, place, id)
      return nil
    }
  }

  mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    var outcomes: [(RecordID, Result<Checkpoint.Entry, VaultError>)] = []
    let check = check
    do throws(VaultError) {
      try files.forEachTrashedFile { id, bytes in
        guard scope.contains(id.folder) else { return }
        outcomes.append((id, check.trashed(bytes, id)))
        progress()
      }
    } catch {
      add(try VaultFault(error, file: error.file ?? "trash"))
    }
    result.trashedCount = outcomes.count
    for (id, outcome) in outcomes {
      if let version = try take(outcome, .trash(id), id) { checkTwin(of: id, version.revision) }
    }
  }

  /// A live record with the id of one in the trash: the higher revision counts, equal ones are damage.
  private mutating func checkTwin(of id: RecordID, _ revision: Int) {
    guard let bytes = try? files.read(id), let live = try? vault.verify(bytes, id) else { return }
    guard live.envelope.revision != revision else {
      let error = VaultError.equalRevisions(id)
      return add(VaultFault(.equalRevisions, error.reason, file: StoreLocation.trash(id).relativePath, record: id))
    }
    let counting = live.envelope.revision > revision ? StoreLocation.record(id) : StoreLocation.trash(id)
    result.notes.append(
      "\(id.text) is among the records and in the trash: \(counting.relativePath) counts, being newer")
  }

  mutating func compareWithCheckpoint() {
    result.versions = found.versions
    guard let checkpoint else { return }
    let comparison = CheckpointComparison(checkpoint, found, scope)
    result.changes = comparison.changes
    result.faults += comparison.faults
  }

  mutating func checkStrayEntries() throws(VaultError) {
    do throws(StoreError) {
      let known = Set(result.faults.map(\.file))
      for path in try files.store.strayEntries() where !known.contains(path) {
        add(VaultFault(.strayEntry, "does not belong into the vault", file: path))
      }
    } catch {
      add(VaultFault(VaultFault.Code(error), error.reason, file: error.path ?? "records"))
    }
  }

  /// Files that others may read are no damage: a clone makes them so.
  mutating func checkPermissions() {
    guard let places = directory?.placesOpenToOthers(), let first = places.first else { return }
    let others = places.count > 1 ? " and \(places.count - 1) more" : ""
    result.notes.append("others than the owner may read \(first)\(others): `chmod -R go= DIR` forbids it")
  }

  private mutating func add(_ fault: VaultFault) { result.faults.append(fault) }

  private mutating func add(_ error: VaultError, _ place: StoreLocation, _ id: RecordID) throws(VaultError) {
    add(try VaultFault(error, code: code(of: error, at: place, id), file: place.relativePath, record: id))
  }

  /// Codes that the error alone does not tell: what verifies and is wrong all the same has no cause below.
  private func code(of error: VaultError, at place: StoreLocation, _ id: RecordID) -> VaultFault.Code? {
    if error.code == .damaged, error.underlying == nil { return error.field == nil ? .wrongPlace : .clearText }
    guard let bytes = try? files.store.read(place), let document = try? JSONParser.parse(bytes),
      let envelope = try? RecordEnvelope(of: document), envelope.id != id
    else { return nil }
    return .misplaced
  }
}

/// The check of single records, from any thread.
private struct RecordCheck: Sendable {
  let vault: Vault
  /// What stands for the records that it lists, if anything does.
  let checkpoint: Checkpoint?

  func folder(
    _ folder: UInt8, in files: LockedVault
  ) -> (outcomes: [(RecordID, Result<Checkpoint.Entry, VaultError>)], fault: VaultFault?) {
    var outcomes: [(RecordID, Result<Checkpoint.Entry, VaultError>)] = []
    do throws(StoreError) {
      let store = files.store
      try store.readLocked(store.records(inFolder: folder), inFolder: folder) { id, bytes in
        outcomes.append((id, live(bytes, id)))
        return true
      }
      return (outcomes, nil)
    } catch {
      return (outcomes, VaultFault(unreadable: folder, error))
    }
  }

  private func live(
    _ bytes: Result<[UInt8], StoreError>, _ id: RecordID
  ) -> Result<Checkpoint.Entry, VaultError> {
    Result { () throws(VaultError) in
      switch bytes {
      case .success(let bytes): try version(of: vault.verify(bytes, id))
      case .failure(let error): throw VaultError(store: error, record: id)
      }
    }
  }

  func trashed(_ bytes: Result<[UInt8], VaultError>, _ id: RecordID) -> Result<Checkpoint.Entry, VaultError> {
    Result { () throws(VaultError) in try version(of: vault.verifyTrashed(bytes.get(), id).record) }
  }

  /// Checks what a record that verified holds, unless the checkpoint already stands for it.
  private func version(of record: OpenRecord) throws(VaultError) -> Checkpoint.Entry {
    let version = Checkpoint.Entry(record)
    if checkpoint?[record.id] == version { return version }
    try record.check()
    return version
  }
}
