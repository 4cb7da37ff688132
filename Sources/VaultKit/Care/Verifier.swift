internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
internal import VaultStorage

/// One run over a vault, under a lock: folder by folder, so that what it takes does not grow with the vault.
struct Verifier {
  let vault: Vault
  /// The store; with a malformed journal, the files as they are without it.
  let files: LockedVault
  private var result = Verification()
  private let scope: VerificationScope
  private let journal: JournalState
  private var checkpoint: Checkpoint?
  private var comparison: CheckpointComparison?
  private var seen = SeenComparison()
  /// What became of the files of the trash, by the folders that their ids belong to.
  private var trashed: [UInt8: [(RecordID, Result<RecordVersion, VaultError>)]] = [:]
  private var trashFaults: [VaultFault] = []
  private var counts = RecordCounts()
  /// What is to be forgotten once it is told.
  private var gone: [RecordID] = []

  init(_ vault: Vault, _ scope: VerificationScope) throws(VaultError) {
    self.vault = vault
    self.scope = scope
    (files, journal) = try vault.locked.readableFiles()
    if let rotation = vault.header.unfinishedRotation { result.notes.append(rotation.unfinishedNote) }
  }

  private var directory: DirectoryStore? { vault.store as? DirectoryStore }

  mutating func checkJournal() {
    if let note = journal.note { result.notes.append(note) }
    if let fault = journal.fault { result.faults.append(fault) }
  }

  mutating func checkSlots() throws(VaultError) {
    result.slotCount = vault.header.slots.count
    result.faults += try SlotFile.faults(of: vault.header, in: vault.store)
  }

  /// A checkpoint that is damaged is one fault more; the records are then verified without it.
  mutating func readCheckpoint() throws(VaultError) {
    do throws(VaultError) {
      let found = try vault.storedCheckpoint(in: files.store)
      checkpoint = found?.checkpoint
      if scope.sinceCheckpoint, checkpoint == nil { throw .noCheckpoint }
      comparison = checkpoint.map { CheckpointComparison($0) }
    } catch {
      guard error.code != .noCheckpoint else { throw error }
      result.faults.append(try VaultFault(error, file: Checkpoint.fileName))
    }
  }

  mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    let check = check
    do throws(VaultError) {
      try files.forEachTrashedFile { id, bytes in
        guard scope.contains(id.folder) else { return }
        trashed[id.folder, default: []].append((id, check.trashed(bytes, id)))
        result.trashedCount += 1
        progress()
      }
    } catch {
      trashFaults.append(try VaultFault(error, file: error.file ?? StoreLocation.trashPath))
      return counts.takeTrash(nil)
    }
    counts.takeTrash(result.trashedCount)
  }

  /// Folder by folder, on all cores.
  ///
  /// - Parameter take: gets what was found in each.
  mutating func checkRecords(_ progress: () -> Void, _ take: (FoundVersions) -> Void) async throws(VaultError) {
    let (check, files) = (check, files)
    try await ParallelMap(chunkSize: 1)(
      (UInt8.min...UInt8.max).filter(scope.contains), cancellation: VaultError.cancelled,
      { folder throws(VaultError) in try check.folder(folder, in: files) },
      consume: { folder throws(VaultError) in
        var found = FoundVersions()
        result.recordCount += folder.outcomes.count
        counts.take(folder.fault == nil ? folder.outcomes.count : nil, inFolder: folder.number)
        for (id, outcome) in folder.outcomes {
          try self.take(outcome, .record(id), id, into: &found) { result.faults.append($0) }
          progress()
        }
        if let fault = folder.fault { result.faults.append(fault) }
        try takeTrashed(inFolder: folder.number, into: &found)
        try compare(found, inFolder: folder.number)
        take(found)
      })
  }

  private var check: RecordCheck {
    RecordCheck(vault: vault, checkpoint: scope.sinceCheckpoint ? checkpoint : nil)
  }

  /// Notes the outcome for one file, and gives the version if it is good.
  @discardableResult
  private func take(
    _ outcome: Result<RecordVersion, VaultError>, _ place: StoreLocation, _ id: RecordID,
    into found: inout FoundVersions, _ add: (VaultFault) -> Void
  ) throws(VaultError) -> RecordVersion? {
    do throws(VaultError) {
      let version = try outcome.get()
      found.take(version, at: place)
      return version
    } catch {
      found.takeFaulty(id, at: place)
      add(try VaultFault(error, code: code(of: error, at: place, id), file: place.relativePath, record: id))
      return nil
    }
  }

  private mutating func takeTrashed(
    inFolder folder: UInt8, into found: inout FoundVersions
  ) throws(VaultError) {
    for (id, outcome) in trashed.removeValue(forKey: folder) ?? [] {
      let version = try take(outcome, .trash(id), id, into: &found) { trashFaults.append($0) }
      if let version { checkTwin(of: id, version.revision) }
    }
  }

  /// A live record with the id of one in the trash: the higher revision counts, equal ones are damage.
  private mutating func checkTwin(of id: RecordID, _ revision: Int) {
    guard let bytes = try? files.read(id), let live = try? vault.verify(bytes, id) else { return }
    guard live.envelope.revision != revision else {
      let error = VaultError.equalRevisions(id)
      return trashFaults.append(
        VaultFault(.equalRevisions, error.reason, file: StoreLocation.trash(id).relativePath, record: id))
    }
    let counting = live.envelope.revision > revision ? StoreLocation.record(id) : StoreLocation.trash(id)
    result.notes.append(
      "\(id.text) is among the records and in the trash: \(counting.relativePath) counts, being newer")
  }

  /// Compares with the checkpoint, and with what this machine has seen.
  private mutating func compare(_ found: FoundVersions, inFolder folder: UInt8) throws(VaultError) {
    let toldCount = comparison?.faults.count ?? 0
    try comparison?.compare(found, inFolder: folder)
    guard let memory = vault.memory else { return }
    let told = Set((comparison?.faults.dropFirst(toldCount) ?? []).compactMap(\.record))
    for (id, change) in seen.compare(found, with: try memory.folder(folder), told: told) {
      if change == .forgotten { gone.append(id) } else { memory.note(change, of: id) }
    }
  }

  mutating func compareCounts() { result.faults += counts.faults(in: files.store, scope) }

  mutating func compareCheckpointWithSeen() throws(VaultError) {
    guard let memory = vault.memory, !result.faults.contains(where: { $0.file == Checkpoint.fileName }) else { return }
    let mark = try checkpoint.map { checkpoint throws(VaultError) in try Pin.CheckpointMark(checkpoint) }
    if let mark { memory.noteCheckpoint(mark) }
    seen.take(try memory.expectedCheckpoint()?.difference(from: mark))
  }

  mutating func checkStrayEntries() throws(VaultError) {
    result.faults += trashFaults + (comparison?.faults ?? [])
    let surroundings = Surroundings(of: files.store)
    result.faults += surroundings.faults(besides: result.faults)
    result.notes += surroundings.keyFiles.map { "\($0) \(Surroundings.keyReason)" }
    result.faults += VaultFault.strayEntries(in: files.store, besides: result.faults)
  }

  /// Files that others may read or write are no damage.
  mutating func checkPermissions() {
    guard let directory else { return }
    note("everybody may write to", directory.placesWritableByAll(), forbidding: "o-w")
    note("others than the owner may read", directory.placesOpenToOthers(), forbidding: "go=")
  }

  private mutating func note(_ words: String, _ places: [String], forbidding mode: String) {
    guard let first = places.first else { return }
    let others = places.count > 1 ? " and \(places.count - 1) more" : ""
    result.notes.append("\(words) \(first)\(others): `chmod -R \(mode) \(first.shellQuoted)` forbids it")
  }

  consuming func finish() -> Verification {
    result.changes = comparison?.changes
    for index in result.faults.indices where !result.faults[index].witnesses.isEmpty {
      guard let id = result.faults[index].record, seen.confirmed.contains(id) else { continue }
      result.faults[index].witnesses.insert(.machine)
    }
    // What others have written since the moment that was looked at is no fault.
    result.faults += seen.faults.filter { fault in fault.record.map { !vault.isSeenAtPresent($0) } ?? true }
    result.notes += seen.notes
    for id in gone where !vault.isSeenAtPresent(id) { vault.memory?.note(.forgotten, of: id) }
    return result
  }

  /// Codes that the error alone does not tell: what verifies and is wrong all the same has no cause below.
  private func code(of error: VaultError, at place: StoreLocation, _ id: RecordID) -> VaultError.Code? {
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

  struct Folder: Sendable {
    let number: UInt8
    var outcomes: [(RecordID, Result<RecordVersion, VaultError>)] = []
    var fault: VaultFault?
  }

  func folder(_ number: UInt8, in files: LockedVault) throws(VaultError) -> Folder {
    var folder = Folder(number: number)
    let listed = try checkpoint?.entries.entries(inFolder: number) ?? []
    do throws(StoreError) {
      let store = files.store
      try store.readLocked(store.records(inFolder: number), inFolder: number) { id, bytes in
        folder.outcomes.append((id, live(bytes, id, listed)))
        return true
      }
    } catch {
      folder.fault = VaultFault(unreadable: number, error)
    }
    return folder
  }

  private func live(
    _ bytes: Result<[UInt8], StoreError>, _ id: RecordID, _ listed: [RecordVersion]
  ) -> Result<RecordVersion, VaultError> {
    Result { () throws(VaultError) in
      switch bytes {
      case .success(let bytes): try version(of: vault.verify(bytes, id), listed.entry(of: id))
      case .failure(let error): throw VaultError(store: error, record: id)
      }
    }
  }

  func trashed(_ bytes: Result<[UInt8], VaultError>, _ id: RecordID) -> Result<RecordVersion, VaultError> {
    Result { () throws(VaultError) in
      try version(of: vault.verifyTrashed(bytes.get(), id).record, checkpoint?.entries.entry(of: id))
    }
  }

  /// Checks what a record that verified holds, unless the checkpoint already stands for it.
  private func version(
    of record: OpenRecord, _ listed: RecordVersion?
  ) throws(VaultError) -> RecordVersion {
    let version = RecordVersion(record)
    if listed == version { return version }
    try record.check()
    return version
  }
}
