internal import VaultDocument
package import VaultKit
internal import VaultSealing
internal import VaultStorage
internal import VaultCare

/// How a state of a vault that is about to be restored is older than the known state: each record, and the header and
/// the checkpoint, that would go back, fork or vanish.
package struct RollbackReport: Sendable {
  /// In the order in which they were found.
  package private(set) var faults: [VaultFault] = []

  /// Whether nothing would go back, fork or vanish.
  package var isEmpty: Bool { faults.isEmpty }

  mutating func add(_ difference: PinDifference) {
    let error = difference.error
    let reason = [error.reason, error.remedies.first?.sentence].compactMap(\.self).joined(separator: ": ")
    faults.append(VaultFault(error.code, reason, file: error.file ?? VaultHeader.fileName))
  }

  /// Adds new findings of another report.
  mutating func add(_ other: RollbackReport) { add(other.faults) }

  init() {}

  init(_ verification: Verification) { faults = verification.faults.filter(\.code.isRollback) }

  mutating func add(_ new: [VaultFault]) {
    // The memory of this machine and the state on its disk are mostly the same.
    let known = Set(faults.map(\.file))
    faults += new.filter { !known.contains($0.file) }
  }
}

extension FoundVersions {
  /// Takes a version that was found, live or in the trash.
  mutating func take(_ seen: SeenVersion) {
    take(seen.version, at: seen.isTrashed ? .trash(seen.id) : .record(seen.id))
  }
}

extension Vault {
  /// Whether this machine remembers versions of records of this vault.
  var remembersRecords: Bool { memory != nil }

  /// Refuses records that are older than this machine has seen, or gone, if that is so at present, too.
  func requireNoRollback(_ found: (UInt8) -> FoundVersions) throws(VaultError) {
    guard let memory else { return }
    var comparison = SeenComparison()
    for number in UInt8.min...UInt8.max {
      _ = comparison.compare(found(number), with: try memory.folder(number), told: [])
    }
    // Writes that others have noted since that moment are not rollbacks.
    for fault in comparison.faults {
      if let id = fault.record, try isAsSeen(id) { continue }
      let code = fault.code == .forked ? VaultError.Code.forked : .rolledBack
      let error = VaultError(code, fault.reason, file: fault.file, record: fault.record)
      throw (present ?? self).locked.setback(error)
    }
  }

  /// Compares this state of a vault with the memory of this machine about the vault and its future paths.
  ///
  /// - Parameter acceptingIdentity: accepts it as the intended vault even if another vault or root key is known.
  func rollbacks(
    _ verification: Verification, _ found: FoundRecords, for paths: [String], in state: KnownVaults,
    acceptingIdentity: Bool
  ) throws(VaultError) -> RollbackReport {
    var rollbacks = RollbackReport()
    let known = try state.known(header, at: paths, allowsCopy: false)
    if case .differs(let difference) = known.state {
      guard !difference.isIdentity || acceptingIdentity else { throw difference.error }
      if !difference.isIdentity { rollbacks.add(difference) }
    }
    let checkpoint = try checkpoint().map { checkpoint throws(VaultError) in try Pin.CheckpointMark(checkpoint) }
    if let expected = known.pin?.checkpoint,
      let difference = expected.difference(from: checkpoint)
    {
      rollbacks.add(difference)
    }
    var comparison = SeenComparison()
    let told = Set(verification.faults.filter(\.code.isRollback).compactMap(\.record))
    for number in UInt8.min...UInt8.max {
      let seen = try state.memory(of: known.copy).seen(in: number, of: header.vaultID)
      _ = comparison.compare(try found.versions(inFolder: number), with: seen, told: told)
    }
    rollbacks.add(comparison.faults)
    return rollbacks
  }
}

extension LockedVault {
  /// The rollbacks if another state of this vault took its place. Nothing here is verified: a false vault can only make
  /// a confirmation necessary. Unreadable parts here are not a loss.
  func rollbacks(
    goingBackTo header: VaultHeader, _ found: FoundRecords, acceptingIdentity: Bool
  ) throws(VaultError) -> RollbackReport {
    var rollbacks = RollbackReport()
    guard self.header.vaultID == header.vaultID else {
      guard acceptingIdentity else {
        throw PinDifference.otherVault(expected: self.header.vaultID, found: header.vaultID).error
      }
      return rollbacks
    }
    // Also under another root key.
    let here = try Pin(self.header).header
    if let difference = try here?.difference(from: header) { rollbacks.add(difference) }
    var faults: [VaultFault] = []
    var failure: VaultError?
    func take(_ bytes: Result<[UInt8], VaultError>, _ place: StoreLocation) {
      guard let bytes = try? bytes.get(), let id = place.recordID, let here = SeenVersion(parsing: bytes, of: id) else {
        return
      }
      do throws(VaultError) {
        if let fault = here.setback(to: try found.entry(of: id), at: place) { faults.append(fault) }
      } catch {
        failure = error
      }
    }
    try? forEachFile { id, bytes in
      take(bytes, .record(id))
      return failure == nil
    }
    try? forEachTrashedFile { id, bytes in take(bytes, .trash(id)) }
    if let failure { throw failure }
    rollbacks.add(faults)
    return rollbacks
  }
}

extension SeenVersion {
  /// The fault if `other`, or nothing, took the place of this version.
  fileprivate func setback(to other: RecordVersion?, at place: StoreLocation) -> VaultFault? {
    func fault(_ code: VaultError.Code, _ reason: String) -> VaultFault {
      VaultFault(code, reason, file: place.relativePath, record: id)
    }
    guard let other else {
      // A missing record in the trash is normal, because the trash is emptied.
      return isTrashed ? nil : fault(.vanished, "the record would be lost: the backup does not have it")
    }
    return switch other.succession(after: version) {
    case .newer, .same: nil
    case .older: fault(.rolledBack, "the record would go back from revision \(revision) to \(other.revision)")
    case .forked: fault(.forked, "is not the version of revision \(revision) that the backup has")
    }
  }
}
