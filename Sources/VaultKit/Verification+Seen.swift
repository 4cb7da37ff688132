internal import VaultDocument
internal import VaultStorage

extension Vault {
  /// Compares what a run over the vault has found with what this machine remembers, and remembers what is new.
  ///
  /// - Returns: the verification, with a fault for each record that went back, forked or vanished, and for such a checkpoint.
  func comparedWithSeen(_ verification: Verification, _ scope: VerificationScope) throws(VaultError) -> Verification {
    guard let memory else { return verification }
    var comparison = SeenComparison(verification, trashed: try trashedAlone())
    for number in UInt8.min...UInt8.max where scope.contains(number) {
      try comparison.compare(memory.folder(number), in: number)
    }
    try comparison.compare(readCheckpoint(), with: memory.expectedCheckpoint())
    for (id, change) in comparison.changes { memory.note(change, of: id) }
    memory.flush()
    return comparison.result
  }

  /// Remembers the records as a run over the vault has found them, whatever was seen before; what is gone is forgotten.
  func acceptSeen(_ verification: Verification) {
    guard let memory else { return }
    let trashed = (try? trashedAlone()) ?? []
    for entry in verification.versions {
      let isTrashed = trashed.contains(entry.id)
      memory.note(
        .written(SeenVersion(revision: entry.revision, mac: entry.recordMAC, isTrashed: isTrashed)), of: entry.id)
    }
    for fault in verification.faults where fault.code == .vanished {
      if let id = fault.record { memory.note(.forgotten, of: id) }
    }
  }

  /// The ids that stand in the trash and not among the records.
  private func trashedAlone() throws(VaultError) -> Set<RecordID> {
    let trashed = (try? inStore { () throws(StoreError) in try store.trashed() }) ?? []
    return Set(trashed.filter { id in (try? locked.read(id)) == .some(nil) })
  }

  /// The checkpoint that is authentic; nil when there is none. A damaged one is told already.
  private func readCheckpoint() throws(VaultError) -> Pin.CheckpointMark? {
    guard let checkpoint = try? checkpoint(in: locked.readableFiles().files.store)?.checkpoint else { return nil }
    try memory?.noteCheckpoint(checkpoint)
    return try Pin.CheckpointMark(checkpoint)
  }
}

/// What was found against what was seen; a value that knows no disk.
struct SeenComparison {
  private(set) var result: Verification
  /// What is to be remembered from now on.
  private(set) var changes: [RecordID: SeenChange] = [:]
  private let trashed: Set<RecordID>
  private let found: [UInt8: [Checkpoint.Entry]]
  private let faulty: Set<RecordID>
  /// What the checkpoint has told already.
  private let told: Set<RecordID>

  /// - Parameter trashed: the records that are in the trash alone.
  init(_ verification: Verification, trashed: Set<RecordID>) {
    result = verification
    self.trashed = trashed
    found = Dictionary(grouping: verification.versions, by: \.id.folder)
    faulty = Set(verification.faults.filter { !$0.code.isRollback }.compactMap(\.record))
    told = Set(verification.faults.filter(\.code.isRollback).compactMap(\.record))
  }

  mutating func compare(_ seen: SeenFolder, in number: UInt8) {
    let entries = found[number] ?? []
    for entry in entries { compare(entry, seen) }
    let present = Set(entries.map(\.id)).union(faulty)
    for (id, version) in seen.versions.sorted(by: { $0.key < $1.key }) where !present.contains(id) {
      vanished(id, version)
    }
  }

  private mutating func compare(_ entry: Checkpoint.Entry, _ seen: SeenFolder) {
    let isTrashed = trashed.contains(entry.id)
    let version = SeenVersion(revision: entry.revision, mac: entry.recordMAC, isTrashed: isTrashed)
    let place = isTrashed ? StoreLocation.trash(entry.id) : .record(entry.id)
    switch seen.comparison(of: entry.id, version) {
    case .new: changes[entry.id] = .seen(version)
    case .same: break
    case .older(let revision):
      add(.rolledBack, "went back from revision \(revision), which this machine has seen, to \(entry.revision)", place)
    case .forked:
      add(.forked, "is another version of revision \(entry.revision) than this machine has seen", place)
    }
  }

  /// Emptying the trash is what it is for: of a record that was seen there, only a note remains.
  private mutating func vanished(_ id: RecordID, _ version: SeenVersion) {
    guard version.isTrashed else {
      return add(.vanished, "is gone: this machine has seen revision \(version.revision)", .record(id))
    }
    changes[id] = .forgotten
    result.notes.append("\(id.text) is no longer in the trash, where this machine has seen it")
  }

  mutating func compare(_ found: Pin.CheckpointMark?, with expected: Pin.CheckpointMark?) {
    guard let difference = expected?.difference(from: found),
      !result.faults.contains(where: { $0.file == Checkpoint.fileName })
    else { return }
    let error = difference.error
    result.faults.append(
      VaultFault(error.code == .forked ? .forked : .rolledBack, error.reason, file: Checkpoint.fileName))
  }

  private mutating func add(_ code: VaultFault.Code, _ reason: String, _ place: StoreLocation) {
    guard let id = place.recordID, !told.contains(id) else { return }
    result.faults.append(VaultFault(code, reason, file: place.relativePath, record: id))
  }
}
