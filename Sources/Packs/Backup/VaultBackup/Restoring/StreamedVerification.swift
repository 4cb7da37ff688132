internal import VaultDocument
internal import VaultKit
internal import VaultStorage
internal import VaultCare

/// Collects the outcomes for records that come one after the other from a source other than a store, and compares them
/// with the vault's checkpoint and with the memory of this machine.
struct StreamedVerification {
  private var result = Verification()
  private var live = VersionList.Builder()
  private var others = OtherVersions()

  /// Takes the result of ``Vault/checkedVersion(_:at:)`` for a file. Live records come before removed ones, both in the
  /// order of their ids.
  mutating func take(
    _ outcome: Result<RecordVersion, VaultError>, at place: StoreLocation
  ) throws(VaultError) {
    guard let id = place.recordID else { preconditionFailure("only records have versions") }
    let isTrash = place == .trash(id)
    if isTrash { result.trashedCount += 1 } else { result.recordCount += 1 }
    do throws(VaultError) {
      let version = try outcome.get()
      if isTrash { others.removed[id.folder, default: []].append(version) } else { live.append(version) }
    } catch {
      others.faulty[id.folder, default: []].append(place)
      result.faults.append(
        try VaultFault(error, code: error.codeOfAuthentic, file: place.relativePath, record: id))
    }
  }

  /// The outcomes, compared with the checkpoint beside the vault's header.
  consuming func finish(
    _ vault: Vault, _ scope: VerificationScope
  ) throws(VaultError) -> (verification: Verification, found: FoundRecords) {
    let found = FoundRecords(live: live.finish(), others)
    result.slotCount = vault.header.slots.count
    result.faults = try SlotFile.faults(of: vault.header, in: vault.store) + result.faults + found.twins()
    do throws(VaultError) {
      if let checkpoint = try vault.checkpoint() {
        var comparison = CheckpointComparison(checkpoint)
        for folder in UInt8.min...UInt8.max where scope.contains(folder) {
          try comparison.compare(found.versions(inFolder: folder), inFolder: folder)
        }
        result.changes = comparison.changes
        result.faults += comparison.faults
      }
    } catch {
      guard error.code != .ioFailed else { throw error }
      result.faults.append(try VaultFault(error, file: Checkpoint.fileName))
    }
    return (result, found)
  }
}

struct FoundRecords: Sendable {
  private let live: VersionList
  private let others: OtherVersions

  fileprivate init(live: VersionList, _ others: OtherVersions) { (self.live, self.others) = (live, others) }

  /// The versions in one folder of records, and in the trash for ids of that folder.
  func versions(inFolder folder: UInt8) throws(VaultError) -> FoundVersions {
    var found = FoundVersions()
    for version in try live.entries(inFolder: folder) { found.take(version, at: .record(version.id)) }
    for version in others.removed[folder] ?? [] { found.take(version, at: .trash(version.id)) }
    for place in others.faulty[folder] ?? [] {
      if let id = place.recordID { found.takeFaulty(id, at: place) }
    }
    return found
  }

  /// The version of a record that counts; nil if none was found.
  func entry(of id: RecordID) throws(VaultError) -> RecordVersion? {
    let removed = others.removed[id.folder]?.first { $0.id == id }
    guard let live = try live.entry(of: id) else { return removed }
    return removed.map { $0.revision > live.revision ? $0 : live } ?? live
  }

  /// A fault for each record that is live and in the trash in the same revision.
  fileprivate func twins() throws(VaultError) -> [VaultFault] {
    var faults: [VaultFault] = []
    for removed in others.removed.values.joined().sorted(by: { $0.id < $1.id }) {
      let entry = try live.entry(of: removed.id)
      guard let entry else { continue }
      if case .fault(let fault) = LiveAndTrashed(removed.id, live: entry.revision, removed: removed.revision) {
        faults.append(fault)
      }
    }
    return faults
  }
}

/// Other versions of verified live records, by the folders of the ids.
private struct OtherVersions: Sendable {
  var removed: [UInt8: [RecordVersion]] = [:]
  var faulty: [UInt8: [StoreLocation]] = [:]
}
