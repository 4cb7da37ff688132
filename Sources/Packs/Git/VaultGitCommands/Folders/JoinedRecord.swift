import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// All versions of one record, here and elsewhere, and how they become one.
struct JoinedRecord {
  let id: RecordID
  /// The versions in the vault: at most one live, and one in the trash.
  let here: [StoredVersion]
  /// The versions that join, each once, first those of the vault.
  private var versions: [StoredVersion]
  /// The MACs of versions that were sealed again under the present keys, by their new MACs.
  private var resealed: [[UInt8]: [UInt8]] = [:]
  /// The vault's folder.
  private let folder: String

  init(_ id: RecordID, in vault: Vault, at folder: String, others: [StoredVersion]) {
    (self.id, self.folder) = (id, folder)
    let here = StoreLocation.places(of: id).compactMap { vault.store.version(at: $0) }
    self.here = here
    var known = here
    for version in others where !known.contains(version) {
      // A rekey that only wraps the data key again keeps the MAC.
      let isRewrapped = here.contains { $0.envelope?.mac == version.envelope?.mac }
      if !isRewrapped || !vault.header.hasReplacedRoot(of: version) { known.append(version) }
    }
    versions = known
  }

  /// A version under a root key that the vault has replaced, beside one under the present keys; nil without such a
  /// version.
  func ofReplacedRoot(in header: VaultHeader) -> UnmergedRecord? {
    guard let old = versions.first(where: header.hasReplacedRoot) else { return nil }
    return named(versions.first { !header.hasReplacedRoot(of: $0) }, old)
  }

  /// Takes the version that was sealed again under the present keys in place of the old one.
  mutating func adopt(_ adopted: UnmergedRecord, insteadOf old: UnmergedRecord) {
    guard let index = versions.firstIndex(where: { $0 == old.theirs }), let new = adopted.theirs else { return }
    versions[index] = new
    if let macs = adopted.resealedMAC { resealed[macs.to] = macs.from }
  }

  /// Whether there is nothing to join.
  var isJoined: Bool { versions.count == here.count && here.count < 2 }

  /// The record as reports name it.
  private func named(_ ours: StoredVersion?, _ theirs: StoredVersion?) -> UnmergedRecord {
    UnmergedRecord(
      id: id, files: [StoreLocation.record(id).relativePath], ours: ours, theirs: theirs, isSeenCompared: true)
  }

  /// Joins all versions, two at a time. A version that cannot be joined leaves the record as it is.
  func joined(_ vault: Vault, by rule: FolderRule) throws -> MergeReport.Record {
    let versions = rule.isSymmetric ? versions.sorted(by: Self.isBefore) : versions
    let first = named(versions.first, versions.dropFirst().first)
    let name = first.name(vault)
    if let conflict = try conflict(versions, vault) {
      return MergeReport.Record(record: first, name: name, conflicts: [conflict])
    }
    var result = versions[0]
    var decided: [MergeConflict] = []
    for version in versions.dropFirst() {
      var pair = named(result, version)
      pair.base = base(below: pair, vault)
      switch try rule.outcome(of: pair, vault) {
      case .left(let conflicts): return MergeReport.Record(record: pair, name: name, conflicts: conflicts)
      case .merged(let bytes, let conflicts):
        result = StoredVersion(bytes)
        decided += conflicts
      }
    }
    return MergeReport.Record(record: first, name: name, bytes: result.bytes, decided: decided)
  }

  /// Why none of the versions can be joined; nil if they can.
  private func conflict(_ versions: [StoredVersion], _ vault: Vault) throws -> MergeConflict? {
    for version in versions {
      guard let file = version.record else { return MergeConflict(.unreadable) }
      guard file.envelope.id == id else { return MergeConflict(.otherRecord) }
      if vault.header.hasReplacedRoot(of: version) { return MergeConflict(.oldRoot) }
      guard vault.verifies(version.bytes, of: id) else { return MergeConflict(.unverified) }
    }
    let envelopes = versions.compactMap(\.envelope)
    guard let seen = try vault.seenVersion(of: id), let latest = envelopes.map(\.revision).max() else { return nil }
    let isThere = envelopes.contains { envelope in
      envelope.revision == seen.revision && [envelope.mac, resealed[envelope.mac]].contains(seen.mac)
    }
    return seen.revision < latest || seen.revision == latest && isThere ? nil : MergeConflict(.seen)
  }

  /// The version that git has, if both sides are later than it.
  private func base(below pair: UnmergedRecord, _ vault: Vault) -> StoredVersion? {
    guard let keeper = Packs.history, keeper.isInWorkTree(folder),
      let oldest = [pair.ours, pair.theirs].compactMap({ $0?.envelope?.revision }).min()
    else { return nil }
    for place in StoreLocation.places(of: id) {
      guard let bytes = keeper.newest(place, ofVaultAt: folder), let revision = StoredVersion(bytes).envelope?.revision,
        revision < oldest, vault.verifies(bytes, of: id)
      else { continue }
      return StoredVersion(bytes)
    }
    return nil
  }

  /// An order on which all machines agree.
  private static func isBefore(_ one: StoredVersion, _ other: StoredVersion) -> Bool {
    guard let first = one.record, let second = other.record else { return one.record != nil }
    return second.isLater(than: first)
  }
}

/// The rule for members of a record that two versions without git between them have changed.
enum FolderRule {
  /// One side.
  case side(MergeSide)
  /// The later seal and the later version.
  case newest
  /// The user, except about sealed values, of which the later one is taken.
  case asking(MergeQuestions)

  enum Outcome {
    /// The bytes, and the conflicts that the rule has decided.
    case merged([UInt8], decided: [MergeConflict])
    case left([MergeConflict])
  }

  /// Whether the result does not depend on which side is ours.
  var isSymmetric: Bool { if case .newest = self { true } else { false } }

  func outcome(of record: UnmergedRecord, _ vault: Vault) throws -> Outcome {
    guard let ours = record.ours?.record, let theirs = record.theirs?.record else {
      return .left([MergeConflict(.unreadable)])
    }
    let undecided = try record.outcome(vault, preferring: MergePreference())
    guard case .left(let conflicts) = undecided, conflicts.allSatisfy({ $0.isOfValues || $0.reason == .removed }) else {
      return Outcome(undecided, decided: [])
    }
    if case .side(let side) = self {
      return Outcome(try record.outcome(vault, preferring: MergePreference(side)), decided: conflicts)
    }
    let seals = ours.laterSeals(beside: theirs)
    let open = conflicts.filter { $0.path.map { seals[$0] == nil } ?? true }
    var preference = MergePreference(ours.laterSide(beside: theirs), members: seals)
    if case .asking(let questions) = self, !open.isEmpty {
      guard let answer = try questions.preference(in: open, of: record) else { return .left(open) }
      preference = MergePreference(answer.side, members: seals.merging(answer.members) { $1 })
    }
    return Outcome(try record.outcome(vault, preferring: preference, takingWhole: false), decided: conflicts)
  }
}

extension FolderRule.Outcome {
  fileprivate init(_ outcome: UnmergedRecord.Outcome, decided: [MergeConflict]) {
    switch outcome {
    case .merged(let bytes?): self = .merged(bytes, decided: decided)
    case .merged(nil): self = .left([MergeConflict(.removed)])
    case .left(let conflicts): self = .left(conflicts)
    }
  }
}
