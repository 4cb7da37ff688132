import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage

/// A record that git has left unmerged: its versions by their side, wherever git has put them.
struct UnmergedRecord {
  let id: RecordID
  /// Below the vault's folder, sorted.
  let files: [String]
  var base: StoredVersion?
  /// Nil if that side has deleted the record for good.
  var ours: StoredVersion?
  var theirs: StoredVersion?
  /// The side whose version the other side has already replaced by a later one.
  var superseded: MergeSide?
  /// The MACs of a side that was sealed again under other keys.
  var resealedMAC: (from: [UInt8], to: [UInt8])?
  /// The branch whose changes git replays.
  var replayed: ReplayedBranch?
  /// Whether git has settled the record, but under a root key that was replaced.
  var isMergedUnderOldRoot = false
  /// Whether the caller has compared all versions with this machine's memory. Then a merge of two of them does not
  /// compare again.
  var isSeenCompared = false

  /// The possible places of the record, below the vault's folder.
  var places: [String] { StoreLocation.places(of: id).map(\.relativePath) }

  /// The version of one side.
  subscript(side: MergeSide) -> StoredVersion? {
    get { side == .ours ? ours : theirs }
    set { if side == .ours { ours = newValue } else { theirs = newValue } }
  }

  /// Notes the side whose version the other side has already replaced.
  mutating func note(_ versions: SupersededVersions) {
    guard let ours, let theirs else { return }
    superseded = versions.superseded(ours, theirs, at: places)
  }

  enum Outcome {
    /// Nil bytes delete it for good.
    case merged([UInt8]?)
    case left([MergeConflict])

    fileprivate init(_ outcome: MergeOutcome) {
      switch outcome {
      case .merged(let bytes): self = .merged(bytes)
      case .conflict(let conflicts, _): self = .left(conflicts)
      }
    }
  }

  /// Merges by field. If that is impossible, the preference decides about the whole record.
  ///
  /// - Parameter takingWhole: whether the preferred side may replace the other one as a whole.
  func outcome(
    _ vault: Vault, preferring preference: MergePreference, takingWhole: Bool = true
  ) throws -> Outcome {
    let outcome = try merged(vault, preferring: preference, takingWhole: takingWhole)
    guard case .left(let conflicts) = outcome, conflicts.map(\.reason) == [.unverified],
      replacedSide(in: vault.header) != nil
    else { return outcome }
    return .left([MergeConflict(.oldRoot)])
  }

  /// A side that is under a replaced root key.
  func replacedSide(in header: VaultHeader) -> MergeSide? {
    [MergeSide.ours, .theirs].first { header.hasReplacedRoot(of: self[$0]) }
  }

  private func merged(
    _ vault: Vault, preferring preference: MergePreference, takingWhole: Bool
  ) throws -> Outcome {
    // Somebody may have put an old file back. Its old keys must not make its content current again.
    if isMergedUnderOldRoot, let seen = try vault.seenVersion(of: id), let resealedMAC, seen.mac != resealedMAC.from {
      return .left([MergeConflict(.seen)])
    }
    // git may have paired the record with another one, although only one side has changed it.
    if theirs == base || ours == theirs { return taken(ours, vault) }
    if ours == base { return taken(theirs, vault) }
    // If the sides differ, the side that is later or preferred decides whether the record lives.
    guard let merge = merge(deciding: superseded?.other ?? preference.side) else {
      return try oneSided(vault, preferring: preference)
    }
    switch try merge.keyed(vault, preferring: preference) {
    case .merged(let bytes): return .merged(bytes)
    case .conflict(let conflicts, _):
      guard takingWhole, let side = preference.side, !conflicts.contains(where: { $0.reason == .seen }),
        let preferred = self[side]
      else { return .left(conflicts) }
      return Outcome(try merge.taking(preferred, after: self[side.other], vault))
    }
  }

  /// The merge of both sides; nil if one has deleted the record for good.
  private func merge(deciding side: MergeSide? = nil) -> FileMerge? {
    guard let ours, let theirs else { return nil }
    let isRemoved = (side.map { [$0] } ?? [.ours, .theirs]).contains { self[$0]?.record?.isRemoved == true }
    return FileMerge(
      place: isRemoved ? .trash(id) : .record(id), base: base, ours: ours, theirs: theirs, superseded: superseded,
      resealedMAC: resealedMAC, replayed: replayed, isSeenCompared: isSeenCompared)
  }

  private func taken(_ side: StoredVersion?, _ vault: Vault) -> Outcome {
    side.map { vault.verifies($0.bytes, of: id) } ?? true
      ? .merged(side?.bytes) : .left([MergeConflict(.unverified)])
  }

  private func oneSided(_ vault: Vault, preferring preference: MergePreference) throws -> Outcome {
    guard let preferred = preference.side else { return .left([MergeConflict(.removed)]) }
    guard let side = self[preferred] else { return .merged(nil) }
    let merge = FileMerge(place: .record(id), base: nil, ours: side, theirs: side, replayed: replayed)
    return Outcome(try merge.taking(side, after: nil, vault))
  }

  /// The conflicts that are certain without a key. Conflicts that a key could resolve are left out.
  func conflictsWithoutKey() -> [MergeConflict] {
    // A record that one side alone has changed is here because of its root key.
    if ours == base || theirs == base { return [MergeConflict(.oldRoot)] }
    guard let merge = merge() else { return [MergeConflict(.removed)] }
    guard superseded == nil, case .conflict(let conflicts, _) = merge.keyless(currentRoot: nil) else { return [] }
    return conflicts.filter { $0.reason != .needsKey }
  }

  func name(_ vault: Vault) -> String { name(vault.kinds) }

  /// The name by these kinds.
  func name(_ kinds: KindCatalog) -> String {
    for case let file? in [ours?.record, theirs?.record] {
      if let kind = kinds[file.envelope.kind] { return kind.title(of: file.fields) }
    }
    return id.text
  }
}

extension VaultHeader {
  /// Whether a version is under a root key that this vault has replaced.
  func hasReplacedRoot(of version: StoredVersion?) -> Bool {
    guard let hint = version?.envelope?.wrappedKey.rootHint else { return false }
    return replacedRoot(hint: hint) != nil
  }
}
