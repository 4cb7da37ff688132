public import VaultDocument
internal import VaultSealing
package import VaultStorage
package import VaultTrust

/// The normal changes of records since a checkpoint; suspicious ones are reported as faults.
public struct CheckpointChanges: Sendable {
  /// The sequence number of the checkpoint.
  public let sequence: Int
  /// When the checkpoint was made.
  public let createdAt: Timestamp
  /// Records that the checkpoint does not list, in the order of ids.
  public internal(set) var added: [RecordID] = []
  /// Live records with a higher revision than listed.
  public internal(set) var changed: [RecordID] = []
  /// Records in the trash with a higher revision than listed.
  public internal(set) var removed: [RecordID] = []

  /// Whether nothing has changed.
  public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}

/// The versions that a check found in one folder of records, and in the trash for the ids of that folder.
package struct FoundVersions {
  private var places: [RecordID: (version: RecordVersion, place: StoreLocation)] = [:]
  private var faulty: Set<RecordID> = []
  /// The ids among the live records, good and faulty.
  private var live: Set<RecordID> = []

  package init() {}

  /// Of a live and a removed record with the same id, the higher revision counts (format 1, section 6, Records).
  package mutating func take(_ version: RecordVersion, at place: StoreLocation) {
    if place == .record(version.id) { live.insert(version.id) }
    if let known = places[version.id], known.version.revision >= version.revision { return }
    places[version.id] = (version, place)
  }

  /// Notes a file that exists but does not verify: it is damaged, not gone.
  package mutating func takeFaulty(_ id: RecordID, at place: StoreLocation) {
    if place == .record(id) { live.insert(id) }
    faulty.insert(id)
  }

  package var versions: [RecordVersion] { places.values.map(\.version).sorted { $0.id < $1.id } }

  /// The version of a record that counts; nil if none was found.
  package func version(of id: RecordID) -> RecordVersion? { places[id]?.version }

  func place(of id: RecordID) -> StoreLocation { places[id]?.place ?? .record(id) }

  /// Whether a file exists, good or faulty.
  package func contains(_ id: RecordID) -> Bool { places[id] != nil || faulty.contains(id) }

  package func isOnlyInTrash(_ id: RecordID) -> Bool { !live.contains(id) }
}

/// Compares the found versions with a checkpoint (format 1, section 8, Checkpoint), folder by folder.
package struct CheckpointComparison {
  package private(set) var changes: CheckpointChanges
  package private(set) var faults: [VaultFault] = []
  private let checkpoint: Checkpoint

  package init(_ checkpoint: Checkpoint) {
    self.checkpoint = checkpoint
    changes = CheckpointChanges(sequence: checkpoint.sequence, createdAt: checkpoint.createdAt)
  }

  /// Compares one folder; folders come in order.
  package mutating func compare(_ found: FoundVersions, inFolder folder: UInt8) throws(VaultError) {
    let listed = try checkpoint.entries.entries(inFolder: folder)
    for version in found.versions { compare(version, listed.entry(of: version.id), at: found.place(of: version.id)) }
    for entry in listed where !found.contains(entry.id) {
      add(
        .vanished, reason: "is gone, but the \(name) lists its revision \(entry.revision)", at: .record(entry.id),
        id: entry.id)
    }
  }

  private var name: String { "checkpoint of \(checkpoint.createdAt.text)" }

  private mutating func compare(_ version: RecordVersion, _ listed: RecordVersion?, at place: StoreLocation) {
    guard let listed else { return changes.added.append(version.id) }
    switch version.succession(after: listed) {
    case .same: break
    case .newer where place == .trash(version.id): changes.removed.append(version.id)
    case .newer: changes.changed.append(version.id)
    case .older:
      let reason = "has gone back to revision \(version.revision): the \(name) lists revision \(listed.revision)"
      add(.rolledBack, reason: reason, at: place, id: version.id)
    case .forked:
      add(.forked, reason: "is not the revision \(version.revision) that the \(name) lists", at: place, id: version.id)
    }
  }

  private mutating func add(_ code: VaultError.Code, reason: String, at place: StoreLocation, id: RecordID) {
    var fault = VaultFault(code, reason, file: place.relativePath, record: id)
    fault.witnesses = .checkpoint
    faults.append(fault)
  }
}

extension VaultError {
  package static var noCheckpoint: VaultError {
    VaultError(.noCheckpoint, "does not exist: no checkpoint was made yet", file: Checkpoint.fileName)
  }
}
