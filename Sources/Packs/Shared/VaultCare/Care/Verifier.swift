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
  /// The versions in the folder that is being read, and the fault of the folder itself.
  private var found = FoundVersions()
  private var folderFault: VaultFault?
  /// Called with the versions of each folder.
  private let gather: (FoundVersions) -> Void
  /// The records to forget after the check has reported them.
  private var gone: [RecordID] = []

  init(
    _ vault: Vault, _ scope: VerificationScope, gather: @escaping (FoundVersions) -> Void
  ) throws(VaultError) {
    (self.vault, self.scope, self.gather) = (vault, scope, gather)
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

  /// The versions in the checkpoint, if the scope trusts them: their fields were opened for the checkpoint.
  private var standing: VersionList? { scope.sinceCheckpoint ? checkpoint?.entries : nil }

  /// Notes the outcome for one file, with its version if it is good.
  @discardableResult
  private mutating func take(
    _ outcome: Result<RecordVersion, VaultError>, at place: StoreLocation, of id: RecordID
  ) throws(VaultError) -> RecordVersion? {
    do throws(VaultError) {
      let version = try outcome.get()
      found.take(version, at: place)
      return version
    } catch {
      found.takeFaulty(id, at: place)
      let fault = try VaultFault(error, code: code(of: error, at: place, id), file: place.relativePath, record: id)
      if place == .trash(id) { trashFaults.append(fault) } else { result.faults.append(fault) }
      return nil
    }
  }

  /// Takes the removed records of a folder, after its live records, to find ids that are in both places.
  private mutating func takeTrashed(inFolder folder: UInt8) throws(VaultError) {
    for (id, outcome) in trashed.removeValue(forKey: folder) ?? [] {
      let live = found.version(of: id)
      let version = try take(outcome, at: .trash(id), of: id)
      guard let live, let version else { continue }
      switch LiveAndTrashed(id, live: live.revision, removed: version.revision) {
      case .fault(let fault): trashFaults.append(fault)
      case .note(let note): result.notes.append(note)
      }
    }
  }

  /// Compares with the checkpoint, and with the memory of this machine.
  private mutating func compare(inFolder folder: UInt8) throws(VaultError) {
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

  /// Checks the checkpoint, attachments, stray files and permissions, after the walk over the records.
  mutating func checkRest(_ walk: FileWalk) throws(VaultError) {
    result.faults += walk.countFaults()
    try compareCheckpointWithSeen()
    try checkAttachments(walk.attachments)
    checkInbox()
    checkStrayEntries(walk)
    checkPermissions()
  }

  private mutating func compareCheckpointWithSeen() throws(VaultError) {
    guard let memory = vault.memory, !result.faults.contains(where: { $0.file == Checkpoint.fileName }) else { return }
    let mark = try checkpoint.map { checkpoint throws(VaultError) in try Pin.CheckpointMark(checkpoint) }
    if let mark { memory.noteCheckpoint(mark) }
    seen.take(try memory.checkpointDifference(from: mark))
  }

  /// Checks the attachments of the visited records. The records' MACs cover the hashes of the files.
  private mutating func checkAttachments(_ attachments: GatheredAttachments) throws(VaultError) {
    let check = try AttachmentCheck(of: files.store, attachments, readingAll: true)
    result.faults += check.faults
    result.notes += check.notes + attachments.notes(requirements: vault.header.requirements)
  }

  /// A deposit is not part of the vault before it is accepted, so its faults are only noted.
  private mutating func checkInbox() {
    let inbox = InboxCheck.faults(in: files.store)
    if let note = InboxCheck.note(inbox.count) { result.notes.append(note) }
    result.notes += inbox.faults.map { "\($0.file) \($0.reason)" }
  }

  /// First adds the faults of the trash and of the checkpoint, because a file with a fault is not reported as stray.
  private mutating func checkStrayEntries(_ walk: FileWalk) {
    result.faults += trashFaults + (comparison?.faults ?? [])
    var notes: [String] = []
    let strays = walk.strayFaults(besides: result.faults) { file in
      notes.append("\(file) \(Surroundings.keyReason)")
      return nil
    }
    // An entry of the inbox can come from any depositor.
    let (inInbox, others) = (strays.filter(InboxCheck.isAbout), strays.filter { !InboxCheck.isAbout($0) })
    result.faults += others
    notes += inInbox.filter { stray in !result.notes.contains { $0.hasPrefix(stray.file + " ") } }
      .map { "\($0.file) \($0.reason)" }
    result.notes += notes + walk.hiddenNotes
  }

  /// Files that others may read or write are noted, because they are not damage.
  private mutating func checkPermissions() {
    guard let directory else { return }
    note("everybody can write to", directory.placesWritableByAll(), forbidding: "o-w")
    note("users other than the owner can read", directory.placesOpenToOthers(), forbidding: "go=")
  }

  private mutating func note(_ words: String, _ places: [String], forbidding mode: String) {
    guard let first = places.first else { return }
    let others = places.count > 1 ? " and \(places.count - 1) more" : ""
    result.notes.append("\(words) \(first)\(others): `chmod -R \(mode) \(first.shellQuoted)` prevents that")
  }

  /// Adds the faults by the memory of this machine. Then the memory forgets records that are gone from the trash.
  consuming func finish() throws(VaultError) -> Verification {
    result.changes = comparison?.changes
    for index in result.faults.indices where !result.faults[index].witnesses.isEmpty {
      guard let id = result.faults[index].record, seen.confirmed.contains(id) else { continue }
      result.faults[index].witnesses.insert(.machine)
    }
    // Changes of others since the moment of the check are not faults.
    var older: [VaultFault] = []
    for fault in seen.faults {
      if let id = fault.record, try vault.isSeenAtPresent(id) { continue }
      older.append(fault)
    }
    result.faults += older.isEmpty ? older : vault.asToldOfReplica(older)
    result.notes += seen.notes
    for id in gone where try !vault.isSeenAtPresent(id) { vault.memory?.note(.forgotten, of: id) }
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

extension Verifier: RecordVisitor {
  var looking: @Sendable (UInt8) throws(VaultError) -> Look {
    let (vault, standing) = (vault, standing)
    return { folder throws(VaultError) in
      let listed = try standing?.entries(inFolder: folder) ?? []
      return { place, id, bytes throws(VaultError) in
        VerifiedFile(bytes, of: vault, at: place, unless: listed.entry(of: id))
      }
    }
  }

  /// The outcome for a removed record waits until the live records of its folder were read.
  mutating func take(_ file: VerifiedFile, at place: StoreLocation, _ id: RecordID) throws(VaultError) {
    guard place == .record(id) else {
      trashed[id.folder, default: []].append((id, file.version))
      result.trashedCount += 1
      return
    }
    result.recordCount += 1
    if let misfit = file.misfit { result.faults.append(VaultFault(misfit, of: id)) }
    try take(file.version, at: place, of: id)
  }

  mutating func miss(_ folder: UInt8?, _ fault: VaultFault) {
    if folder == nil { trashFaults.append(fault) } else { folderFault = fault }
  }

  mutating func finish(_ folder: UInt8?) throws(VaultError) {
    guard let folder else { return }
    if let fault = folderFault.take() { result.faults.append(fault) }
    try takeTrashed(inFolder: folder)
    try compare(inFolder: folder)
    gather(found)
    found = FoundVersions()
  }
}

/// The outcome for one file: its version if the file is good, and in any case the attachments that the file names.
struct VerifiedFile: VisitedFile {
  let version: Result<RecordVersion, VaultError>
  let named: NamedAttachments
  let keys: AttachmentKeys?
  let misfit: RecordError?

  /// - Parameter listed: a version whose fields were all opened already. The fields of any other version are opened.
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
