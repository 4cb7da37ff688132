public import VaultDocument
internal import VaultSealing
internal import VaultStorage

/// What happened to records since a checkpoint, as far as it needs no explanation; what does is among the faults.
public struct CheckpointChanges: Sendable {
  /// The sequence number of the checkpoint.
  public let sequence: Int
  /// When the checkpoint was made.
  public let createdAt: Timestamp
  /// Records that it does not list, in the order of ids.
  public internal(set) var added: [RecordID] = []
  /// Live records of a higher revision than it lists.
  public internal(set) var changed: [RecordID] = []
  /// Records of a higher revision than it lists that are in the trash.
  public internal(set) var removed: [RecordID] = []

  /// Whether every record is as it was.
  public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}

/// The versions that a run over the vault has found, one for each id.
struct FoundVersions {
  private var places: [RecordID: (version: Checkpoint.Entry, place: StoreLocation)] = [:]
  private var faulty: Set<RecordID> = []

  /// Of a live and a removed record with the same id the higher revision counts (format 1, section 6).
  mutating func take(_ version: Checkpoint.Entry, at place: StoreLocation) {
    if let known = places[version.id], known.version.revision >= version.revision { return }
    places[version.id] = (version, place)
  }

  /// A file is there and does not verify: it is damage, not gone.
  mutating func takeFaulty(_ id: RecordID) { faulty.insert(id) }

  var versions: [Checkpoint.Entry] { places.values.map(\.version).sorted { $0.id < $1.id } }

  func place(of id: RecordID) -> StoreLocation? { places[id]?.place }

  /// The revision of a live record, as long as no removed one with its id was taken that counts.
  func liveRevision(of id: RecordID) -> Int? {
    guard let found = places[id], found.place == .record(id) else { return nil }
    return found.version.revision
  }

  func isFaulty(_ id: RecordID) -> Bool { faulty.contains(id) }
}

/// Compares what is there with a checkpoint (format 1, section 7).
struct CheckpointComparison {
  private(set) var changes: CheckpointChanges
  private(set) var faults: [VaultFault] = []
  private let checkpoint: Checkpoint

  init(_ checkpoint: Checkpoint, _ found: FoundVersions, _ scope: VerificationScope) {
    self.checkpoint = checkpoint
    changes = CheckpointChanges(sequence: checkpoint.sequence, createdAt: checkpoint.createdAt)
    let versions = found.versions
    for version in versions { compare(version, at: found.place(of: version.id) ?? .record(version.id)) }
    let present = Set(versions.map(\.id))
    for entry in checkpoint.entries
    where scope.contains(entry.id.folder) && !present.contains(entry.id) && !found.isFaulty(entry.id) {
      add(.vanished, "is gone: the \(name) lists revision \(entry.revision) of it", at: .record(entry.id), entry.id)
    }
  }

  private var name: String { "checkpoint of \(checkpoint.createdAt.text)" }

  private mutating func compare(_ version: Checkpoint.Entry, at place: StoreLocation) {
    guard let listed = checkpoint[version.id] else { return changes.added.append(version.id) }
    if version.revision > listed.revision {
      if place == .trash(version.id) { changes.removed.append(version.id) } else { changes.changed.append(version.id) }
    } else if version.revision < listed.revision {
      let reason = "went back to revision \(version.revision): the \(name) lists revision \(listed.revision)"
      add(.rolledBack, reason, at: place, version.id)
    } else if version.recordMAC != listed.recordMAC {
      add(.forked, "is another revision \(version.revision) than the \(name) lists", at: place, version.id)
    }
  }

  private mutating func add(_ code: VaultFault.Code, _ reason: String, at place: StoreLocation, _ id: RecordID) {
    faults.append(VaultFault(code, reason, file: place.relativePath, record: id))
  }
}

extension Checkpoint.Entry {
  /// The version of a record that verified.
  init(_ record: SealedRecord) {
    self.init(id: record.id, revision: record.revision, mac: record.mac)
  }

  init(_ record: OpenRecord) {
    self.init(id: record.id, revision: record.envelope.revision, mac: record.envelope.mac)
  }
}

extension VaultError {
  static var noCheckpoint: VaultError {
    VaultError(
      .noCheckpoint, "is not there: no checkpoint was made yet", file: Checkpoint.fileName,
      hints: ["`vault checkpoint` makes one"])
  }
}
