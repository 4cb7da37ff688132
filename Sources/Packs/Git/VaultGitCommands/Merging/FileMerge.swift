import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage

/// Merges versions of one file of a vault, with the vault's key if it is available.
struct FileMerge {
  let place: StoreLocation
  let base: StoredVersion?
  let ours: StoredVersion
  let theirs: StoredVersion
  var labels = ConflictLabels()
  /// Whether the versions are only common ancestors. Then it does not matter if later versions were seen.
  var areAncestors = false
  /// The side whose version the other side has already replaced.
  var superseded: MergeSide?
  /// The MACs of a resealed version. A machine that has seen the first version has in effect seen the second.
  var resealedMAC: (from: [UInt8], to: [UInt8])?
  /// The branch that git replays, as in a rebase; nil for a merge.
  var replayed: ReplayedBranch?
  /// Whether the caller has compared all versions of the record with this machine's memory.
  var isSeenCompared = false

  /// The name of the record, if its kind is known without the vault.
  var name: String? {
    guard let file = ours.record ?? theirs.record else { return nil }
    return KindCatalog.builtIn[file.envelope.kind]?.title(of: file.fields)
  }

  func keyless(currentRoot: RootID?) -> MergeOutcome { outcome(currentRoot: currentRoot, key: nil) }

  func keyed(_ vault: Vault, preferring preference: MergePreference = MergePreference()) throws -> MergeOutcome {
    if place == .header { return try keyedHeader(vault) }
    guard let id = place.recordID else { return keyless(currentRoot: vault.header.root.id) }
    let key = try key(vault, id)
    if let superseded {
      let later = superseded == .ours ? theirs : ours
      if let file = later.record, key.verdict(on: file) == .authentic {
        // This version is both sides.
        return FileMerge(place: place, base: nil, ours: later, theirs: later).outcome(currentRoot: nil, key: key)
      }
    }
    return outcome(currentRoot: vault.header.root.id, key: key, preferring: preference)
  }

  /// One side of a record as a whole, as the next version after both.
  func taking(_ side: StoredVersion, after other: StoredVersion?, _ vault: Vault) throws -> MergeOutcome {
    guard let id = place.recordID else { preconditionFailure("only records are taken so") }
    return RecordMerge.taking(side, after: other, of: id, key: try key(vault, id))
  }

  private func key(_ vault: Vault, _ id: RecordID) throws -> RecordMergeKey {
    var seen = areAncestors || isSeenCompared ? nil : try vault.seenVersion(of: id)
    if let resealedMAC, let version = seen, version.mac == resealedMAC.from {
      seen = (version.revision, resealedMAC.to)
    }
    return RecordMergeKey(
      root: { hint throws(SealingError) in try vault.recordRoot(hint: hint) }, seen: seen,
      isReplayed: seen.map { isOnBranch($0, of: id, vault) } ?? false, formerCount: vault.header.formerCount,
      write: { record in try? vault.verifiedBytes(of: record, in: place) })
  }

  /// Whether a seen version is on the replayed branch, or on a third branch and later than both sides. Then the result
  /// is a version after it.
  private func isOnBranch(_ seen: (revision: Int, mac: [UInt8]), of id: RecordID, _ vault: Vault) -> Bool {
    if replayed?.has(seen.mac, of: id) == true { return true }
    let sides = [ours, theirs].compactMap(\.envelope)
    guard let latest = sides.map(\.revision).max(), seen.revision >= latest else { return false }
    return !sides.contains { $0.mac == seen.mac } && vault.hasSeenElsewhere(id)
  }

  private func keyedHeader(_ vault: Vault) throws -> MergeOutcome {
    let keyless = keyless(currentRoot: nil)
    guard case .conflict(let conflicts, let text) = keyless, conflicts.map(\.reason) == [.bothChanged] else {
      return keyless
    }
    switch try vault.mergedHeader(base: base?.bytes ?? [], ours: ours.bytes, theirs: theirs.bytes) {
    case .merged(let bytes): return .merged(bytes)
    case .refused(let conflict): return .conflict([conflict], text: text)
    }
  }

  /// Whether a key could give a better outcome. A key is needed to make new versions. This includes two versions with
  /// equal revisions, because a machine that has seen one would refuse the other.
  func isForKey(_ outcome: MergeOutcome) -> Bool {
    guard place.recordID != nil || place == .header else { return false }
    guard case .conflict(let conflicts, _) = outcome else {
      return ours.envelope?.revision == theirs.envelope?.revision && ours.envelope?.mac != theirs.envelope?.mac
    }
    let helped: Set<MergeConflict.Reason> = [.needsKey, .sealed, .value, .removedMember, .bothChanged]
    return conflicts.contains { helped.contains($0.reason) }
  }

  private func outcome(
    currentRoot: RootID?, key: RecordMergeKey?, preferring preference: MergePreference = MergePreference()
  ) -> MergeOutcome {
    switch place {
    case .record, .trash:
      RecordMerge.merge(
        base: base, ours: ours, theirs: theirs, at: place, currentRoot: currentRoot, key: key, preferring: preference,
        labels: labels)
    case .header, .slot, .attachment, .inbox:
      documents(risingBy: "revision") { try? JSONParser.parse($0).object }
    case .checkpoint:
      documents(risingBy: "sequence") { try? Checkpoint(parsing: $0).document }
    }
  }

  private func documents(risingBy number: String, reading said: ([UInt8]) -> JSONObject?) -> MergeOutcome {
    DocumentMerge.merge(
      base: base?.bytes ?? [], ours: ours.bytes, theirs: theirs.bytes, risingBy: number, labels: labels, reading: said)
  }
}

extension MergeConflict {
  /// `password: both have sealed a new value, ours 2026-…, theirs 2026-…`
  var line: String { (path.map { "\($0): " } ?? "") + reason.words + times }

  private var times: String {
    guard case .sealed(let one)? = ours, case .sealed(let other)? = theirs else { return "" }
    return ", ours at \(one.text), theirs at \(other.text)"
  }
}

extension MergeConflict.Reason {
  var words: String {
    switch self {
    case .unreadable: "one side is not a document of this format"
    case .otherRecord: "git has paired versions of different records, or of another file"
    case .older: "one side is older than the common ancestor"
    case .unauthenticated: "one side was changed without a key"
    case .unverified: "one side does not verify"
    case .removed: "one side has removed the record, and the other has changed it"
    case .misplaced: "git has put the file where a record of this state does not belong"
    case .schema: "the two sides have different schemas of their kind"
    case .envelope: "the two sides differ in members that never change"
    case .key: "the two sides are under different root keys"
    case .resealed: "one side was sealed under new keys, which do not open the values of the other side"
    case .value: "both sides have changed it"
    case .sealed: "both sides have sealed a new value"
    case .removedMember: "one side has removed it, and the other has changed it"
    case .moved: "a sealed value would be in two places"
    case .needsKey: "the fields can be joined, but the new version needs the key"
    case .seen: "this machine has seen a later version than both sides, or a different one"
    case .limits: "the result would not be a document of the format"
    case .bothRemoved: "both sides have removed the same way to unlock, and one side has added another"
    case .noSlot: "no way to unlock would be left"
    case .oldRoot: "it was written under a replaced root key"
    case .missingFile: "it names an attachment whose file is not here"
    case .bothChanged: "both sides have changed it, and it is authenticated as a whole"
    }
  }

  /// The next step for the user in a merge without git.
  var adviceInFolder: String? {
    switch self {
    case .value, .sealed, .removedMember, .removed:
      "`vault merge` asks at a terminal; --ours, --theirs or --newest picks a side"
    case .seen: "if a service syncs this folder, wait until it is done, then run `vault merge` again"
    case .missingFile: "wait until the service has brought the file, then run `vault merge` again"
    case .schema: "run `vault migrate`, then merge again"
    case .oldRoot, .key, .resealed:
      "`vault merge FOLDER FILE… --adopt-old-root` adopts it, if FOLDER is a copy of the vault from before the rekey"
    case .unauthenticated, .unverified, .unreadable:
      "if nobody needs the copy, move it out of the vault yourself"
    default: "--ours or --theirs takes one side as a whole"
    }
  }

  /// The next step for the user; nil if one side must be taken.
  var advice: String? {
    switch self {
    case .needsKey: "`vault merge --continue` makes the new version, with a key"
    case .value, .sealed, .removedMember, .removed:
      "`vault merge --continue` asks at a terminal; --ours, --theirs or --newest picks a side, also by record"
    case .older: "`vault merge --continue --theirs` makes a newer version with the content of the older one"
    case .unauthenticated: "run `vault accept` on that side first"
    case .seen: "after this machine accepts the record as it is here, `vault merge --continue` joins both sides"
    case .schema: "run `vault migrate` on the other side first, then merge again"
    case .oldRoot, .resealed:
      "`vault merge --continue --adopt-old-root` shows what was written under replaced keys, asks, and adopts it"
    case .key: "take the side with the new keys, and repeat the other change there"
    case .bothChanged, .bothRemoved, .noSlot:
      "take one side with `git checkout --ours` or `--theirs`, and repeat the change of the other side"
    default: nil
    }
  }
}
