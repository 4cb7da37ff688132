internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
internal import VaultStorage

/// What ``Vault/verify(progress:)`` found.
public struct Verification: Sendable {
  /// Live records, good and faulty.
  public internal(set) var recordCount = 0
  /// Removed records, good and faulty.
  public internal(set) var trashedCount = 0
  /// Slots that the header lists.
  public internal(set) var slotCount = 0
  /// Everything that is wrong, in the order of files.
  public internal(set) var faults: [VaultFault] = []
  /// What is no damage but worth knowing, a sentence each.
  public internal(set) var notes: [String] = []

  /// Whether nothing is wrong.
  public var isGood: Bool { faults.isEmpty }
}

extension Vault {
  /// Checks everything in the vault with its keys: every record's place, MAC, sealed fields and type, the trash, the slots
  /// against the header, and what else lies there. A fault does not stop it.
  ///
  /// Nobody writes meanwhile. The header itself was verified when the vault was unlocked, and is again if it changed.
  ///
  /// - Parameter progress: called after each record.
  /// - Throws: ``VaultError`` `.lockedByOther`, `.changedUnderneath`, `.memoryUnavailable`, `.damaged` for the header.
  public func verify(progress: () -> Void = {}) async throws(VaultError) -> Verification {
    try reading { () throws(VaultError) in
      try refresh()
      var verifier = try Verifier(self)
      try verifier.checkJournal()
      try verifier.checkSlots()
      try verifier.checkRecords(progress)
      try verifier.checkTrash(progress)
      try verifier.checkStrayEntries()
      verifier.checkPermissions()
      return verifier.result
    }
  }
}

/// One run over a vault, under a lock.
struct Verifier {
  let vault: Vault
  /// The store; with a malformed journal, the files as they are without it.
  let files: LockedVault
  private(set) var result = Verification()
  private let journal: JournalState

  init(_ vault: Vault) throws(VaultError) {
    self.vault = vault
    (files, journal) = try vault.locked.readableFiles()
    if let rotation = vault.header.unfinishedRotation { result.notes.append(rotation.unfinishedNote) }
  }

  private var directory: DirectoryStore? { vault.store as? DirectoryStore }

  mutating func checkJournal() throws(VaultError) {
    switch journal {
    case .none: break
    case .pending(let places):
      result.notes.append(
        "a batch of \(places.count) change\(places.count == 1 ? "" : "s") is committed but not put in place yet: "
          + "the next command that may write does it")
    case .malformed(let error):
      add(VaultFault(VaultFault.Code.malformedJournal, error.reason, file: error.path ?? ".journal.json"))
    }
  }

  mutating func checkSlots() throws(VaultError) {
    for slot in vault.header.slots {
      result.slotCount += 1
      do throws(VaultError) {
        guard let file = try inStore({ () throws(StoreError) in try vault.store.read(.slot(slot.id)) }) else {
          add(VaultFault(.missingSlot, "is missing", file: slot.path))
          continue
        }
        try SlotFile.inspect(file, slot, maximumWorkFactor: SlotFile.workFactors.upperBound)
      } catch {
        add(try VaultFault(error, code: error.underlying == nil ? .damagedSlot : nil, file: slot.path))
      }
    }
  }

  mutating func checkRecords(_ progress: () -> Void) throws(VaultError) {
    for folder in UInt8.min...UInt8.max {
      var found: [(RecordID, Result<Void, VaultError>)] = []
      do throws(StoreError) {
        try files.store.readRecords(inFolder: folder) { id, bytes in
          found.append((id, checked(bytes, id)))
          progress()
          return true
        }
      } catch {
        let hex = String(folder, radix: 16)
        add(
          VaultFault(
            VaultFault.Code(error), error.reason,
            file: error.path ?? "records/\(String(repeating: "0", count: 2 - hex.count))\(hex)"))
      }
      result.recordCount += found.count
      for case (let id, .failure(let error)) in found { try add(error, .record(id), id) }
    }
  }

  private func checked(_ bytes: Result<[UInt8], StoreError>, _ id: RecordID) -> Result<Void, VaultError> {
    Result { () throws(VaultError) in
      switch bytes {
      case .success(let bytes): try vault.verify(bytes, id).check()
      case .failure(let error): throw VaultError(store: error, record: id)
      }
    }
  }

  mutating func checkTrash(_ progress: () -> Void) throws(VaultError) {
    var found: [(RecordID, Result<Int?, VaultError>)] = []
    do throws(VaultError) {
      try files.forEachTrashedFile { id, bytes in
        found.append((id, checkedTrash(bytes, id)))
        progress()
      }
    } catch {
      add(try VaultFault(error, file: error.file ?? "trash"))
    }
    result.trashedCount = found.count
    for (id, outcome) in found {
      do throws(VaultError) {
        if let revision = try outcome.get() { try checkTwin(of: id, revision) }
      } catch {
        try add(error, .trash(id), id)
      }
    }
  }

  private func checkedTrash(
    _ bytes: Result<[UInt8], VaultError>, _ id: RecordID
  ) -> Result<Int?, VaultError> {
    Result { () throws(VaultError) in
      let record = try vault.verifyTrashed(bytes.get(), id).record
      try record.check()
      return record.envelope.revision
    }
  }

  /// A live record with the id of one in the trash: the higher revision counts, equal ones are damage.
  private mutating func checkTwin(of id: RecordID, _ revision: Int) throws(VaultError) {
    guard let bytes = try? files.read(id), let live = try? vault.verify(bytes, id) else { return }
    guard live.envelope.revision != revision else {
      let error = VaultError.equalRevisions(id)
      return add(VaultFault(.equalRevisions, error.reason, file: StoreLocation.trash(id).relativePath, record: id))
    }
    let counting = live.envelope.revision > revision ? StoreLocation.record(id) : StoreLocation.trash(id)
    result.notes.append(
      "\(id.text) is among the records and in the trash: \(counting.relativePath) counts, being newer")
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

extension LockedVault {
  /// The vault as it can be read: with a malformed journal, as its files are without it.
  func readableFiles() throws(VaultError) -> (files: LockedVault, journal: JournalState) {
    guard let directory = store as? DirectoryStore else { return (self, .none) }
    return try inStore { () throws(StoreError) in
      let journal = try directory.journalState()
      guard case .malformed = journal else { return (self, journal) }
      return (LockedVault(self, reading: try directory.withoutJournal()), journal)
    }
  }
}
