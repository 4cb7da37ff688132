internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// One check of a vault, under a lock, folder by folder, so that its memory does not grow with the vault.
struct Verifier {
  let vault: Vault
  /// The store; with a malformed journal, the files without it.
  let files: LockedVault
  private var result = Verification()
  private let scope: VerificationScope
  private let journal: JournalState
  private var checkpoint: Checkpoint?
  private var comparison: CheckpointComparison?
  private var seen = SeenComparison()
  /// The outcomes for the files of the trash, by the folders of their ids.
  private var trashed: [UInt8: [(RecordID, Result<RecordVersion, VaultError>)]] = [:]
  private var trashFaults: [VaultFault] = []
  private var attachments = GatheredAttachments()
  private var walk: FileWalk
  /// The records to forget after they are reported.
  private var gone: [RecordID] = []

  init(_ vault: Vault, _ scope: VerificationScope) throws(VaultError) {
    self.vault = vault
    self.scope = scope
    (files, journal) = try vault.locked.readableFiles()
    walk = FileWalk(files.store, scope)
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

  /// A damaged checkpoint is one more fault; the records are then verified without it.
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
    let (vault, standing) = (vault, standing)
    var walk = walk
    let fault = try walk.forEachTrashed { id, bytes throws(VaultError) in
      let listed = try standing?.entry(of: id)
      let file = VerifiedFile(bytes, of: vault, at: .trash(id), unless: listed)
      trashed[id.folder, default: []].append((id, file.version))
      attachments.take(file.named, of: id, file.keys)
      result.trashedCount += 1
      progress()
    }
    self.walk = walk
    if let fault {
      trashFaults.append(fault)
      attachments.miss()
    }
  }

  /// Checks the records folder by folder, on all cores.
  mutating func checkRecords(_ progress: () -> Void, _ take: (FoundVersions) -> Void) async throws(VaultError) {
    let (vault, standing) = (vault, standing)
    var walk = walk
    try await walk.forEachFolder { folder throws(VaultError) in
      let listed = try standing?.entries(inFolder: folder) ?? []
      return { id, bytes throws(VaultError) in
        VerifiedFile(bytes, of: vault, at: .record(id), unless: listed.entry(of: id))
      }
    } consume: { (folder: FolderOutcomes<VerifiedFile>) throws(VaultError) in
      var found = FoundVersions()
      result.recordCount += folder.outcomes.count
      for (id, outcome) in folder.outcomes {
        let file = try outcome.get()
        attachments.take(file.named, of: id, file.keys)
        if let misfit = file.misfit { result.faults.append(VaultFault(misfit, of: id)) }
        try self.take(file.version, .record(id), id, into: &found) { result.faults.append($0) }
        progress()
      }
      if let fault = folder.fault {
        result.faults.append(fault)
        attachments.miss()
      }
      try takeTrashed(inFolder: folder.number, into: &found)
      try compare(found, inFolder: folder.number)
      take(found)
    }
    self.walk = walk
  }

  /// The versions that the checkpoint vouches for, if the scope allows it: their fields were opened for the checkpoint.
  private var standing: VersionList? { scope.sinceCheckpoint ? checkpoint?.entries : nil }

  /// Notes the outcome for one file, with its version if it is good.
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
      let live = found.version(of: id)
      let version = try take(outcome, .trash(id), id, into: &found) { trashFaults.append($0) }
      guard let live, let version else { continue }
      switch LiveAndTrashed(id, live: live.revision, removed: version.revision) {
      case .fault(let fault): trashFaults.append(fault)
      case .note(let note): result.notes.append(note)
      }
    }
  }

  /// Compares with the checkpoint, and with the memory of this machine.
  private mutating func compare(_ found: FoundVersions, inFolder folder: UInt8) throws(VaultError) {
    let toldCount = comparison?.faults.count ?? 0
    try comparison?.compare(found, inFolder: folder)
    guard let memory = vault.memory else { return }
    let told = Set((comparison?.faults.dropFirst(toldCount) ?? []).compactMap(\.record))
    let changes = seen.compare(
      found, with: try memory.folder(folder), told: told, isElsewhere: memory.isElsewhere)
    for (id, change) in changes {
      if change == .forgotten { gone.append(id) } else { memory.note(change, of: id) }
    }
  }

  mutating func compareCounts() { result.faults += walk.countFaults() }

  mutating func compareCheckpointWithSeen() throws(VaultError) {
    guard let memory = vault.memory, !result.faults.contains(where: { $0.file == Checkpoint.fileName }) else { return }
    let mark = try checkpoint.map { checkpoint throws(VaultError) in try Pin.CheckpointMark(checkpoint) }
    if let mark { memory.noteCheckpoint(mark) }
    seen.take(try memory.checkpointDifference(from: mark))
  }

  /// Checks the attachments of the records in the scope, whose MACs cover the hashes of the files.
  mutating func checkAttachments() throws(VaultError) {
    if scope.part != nil { attachments.miss() }
    let check = try AttachmentCheck(of: files.store, attachments, readingAll: true)
    result.faults += check.faults
    result.notes += check.notes + attachments.notes(requirements: vault.header.requirements)
  }

  mutating func checkStrayEntries() throws(VaultError) {
    result.faults += trashFaults + (comparison?.faults ?? [])
    var notes: [String] = []
    result.faults += walk.strayFaults(besides: result.faults) { file in
      notes.append("\(file) \(Surroundings.keyReason)")
      return nil
    }
    result.notes += notes + walk.hiddenNotes
  }

  /// Files that others may read or write are noted, because they are not damage.
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
    // Changes of others since the moment of the check are not faults.
    let older = seen.faults.filter { fault in fault.record.map { !vault.isSeenAtPresent($0) } ?? true }
    result.faults += older.isEmpty ? older : vault.asToldOfReplica(older)
    result.notes += seen.notes
    for id in gone where !vault.isSeenAtPresent(id) { vault.memory?.note(.forgotten, of: id) }
    return result
  }

  /// The codes of authentic files that are nevertheless wrong, whose errors have no underlying cause.
  private func code(of error: VaultError, at place: StoreLocation, _ id: RecordID) -> VaultError.Code? {
    if let code = error.codeOfAuthentic { return code }
    guard let bytes = try? files.store.read(place), let document = try? JSONParser.parse(bytes),
      let envelope = try? RecordEnvelope(of: document), envelope.id != id
    else { return nil }
    return .misplaced
  }
}

/// The outcome for one file: its version if it is good, and its attachments in any case.
private struct VerifiedFile: Sendable {
  let version: Result<RecordVersion, VaultError>
  let named: NamedAttachments
  let keys: AttachmentKeys?
  let misfit: RecordError?

  init(
    _ bytes: Result<[UInt8], VaultError>, of vault: Vault, at place: StoreLocation, unless listed: RecordVersion?
  ) {
    do throws(VaultError) {
      let record = try vault.checkedRecord(bytes.get(), at: place, unless: listed)
      (version, named) = (.success(record.version), record.named)
      (keys, misfit) = (record.keys, record.misfit)
    } catch {
      (version, named, keys, misfit) = (.failure(error), NamedAttachments(in: bytes), nil, nil)
    }
  }
}
