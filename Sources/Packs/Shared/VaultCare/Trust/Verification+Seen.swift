package import VaultDocument
package import VaultKit
internal import VaultStorage
package import VaultTrust

/// Compares found versions with remembered ones, folder by folder; a value without access to the disk.
package struct SeenComparison {
  /// A fault for each record that went back, forked or vanished, and for such a checkpoint.
  package private(set) var faults: [VaultFault] = []
  package private(set) var notes: [String] = []
  /// The records with a fault by the checkpoint that the memory of this machine confirms.
  private(set) var confirmed: Set<RecordID> = []

  package init() {}

  /// Compares one folder.
  ///
  /// - Parameters:
  ///   - told: records for which the checkpoint already showed the same fault.
  ///   - isElsewhere: whether a missing state is kept beside the folder, which is then not a fault.
  /// - Returns: the changes to remember.
  package mutating func compare(
    _ found: FoundVersions, with seen: SeenFolder, told: Set<RecordID>,
    isElsewhere: (MissedState) -> Bool = { _ in false }
  ) -> [(RecordID, SeenChange)] {
    var changes: [(RecordID, SeenChange)] = []
    for entry in found.versions {
      let isTrashed = found.isOnlyInTrash(entry.id)
      switch seen.succession(of: entry) {
      case .newer: changes.append((entry.id, .seen(SeenVersion(entry, isTrashed: isTrashed))))
      case .same: break
      case let older where !told.contains(entry.id):
        guard let fault = older.fault(of: entry, seen.provenance(of: entry)) else { break }
        if let newest = seen.versions[entry.id], isElsewhere(MissedState(newest, found: entry)) { break }
        add(fault.code, reason: fault.reason, place: isTrashed ? .trash(entry.id) : .record(entry.id), id: entry.id)
      case .older, .forked: confirmed.insert(entry.id)
      }
    }
    for (id, version) in seen.versions.sorted(by: { $0.key < $1.key }) where !found.contains(id) {
      if version.isTrashed {
        // A missing record in the trash is normal, because the trash is emptied; only a note remains.
        changes.append((id, .forgotten))
        notes.append("\(id.text) is no longer in the trash, where this machine saw it")
      } else if told.contains(id) {
        confirmed.insert(id)
      } else if !isElsewhere(MissedState(version, found: nil)) {
        add(
          .vanished, reason: "is gone: this machine has seen revision \(version.revision)", place: .record(id), id: id)
      }
    }
    return changes
  }

  /// Takes the difference between the present checkpoint and the remembered one.
  package mutating func take(_ difference: PinDifference?) {
    guard let error = difference?.error else { return }
    add(error.code, error.reason, file: Checkpoint.fileName)
  }

  private mutating func add(_ code: VaultError.Code, reason: String, place: StoreLocation, id: RecordID) {
    add(code, reason, file: place.relativePath, id)
  }

  private mutating func add(_ code: VaultError.Code, _ reason: String, file: String, _ id: RecordID? = nil) {
    var fault = VaultFault(code, reason, file: file, record: id)
    fault.witnesses = .machine
    faults.append(fault)
  }
}
