internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
internal import VaultStorage

extension Vault {
  /// Looks for damage and for versions that verify, and says what a repair would do. Nothing is changed.
  ///
  /// - Parameter histories: where older versions may be, the most trusted first.
  /// - Throws: ``VaultError`` as ``verify(_:progress:)``.
  public func repairPlan(_ histories: [any FileHistory] = []) async throws(VaultError) -> RepairPlan {
    let found = try await verify()
    return try await reading { () throws(VaultError) in
      var planner = try RepairPlanner(self, histories, found.faults)
      return try planner.plan()
    }
  }
}

/// Makes the plan of a repair. It takes only what verifies, and where two answers are possible it leaves the choice.
struct RepairPlanner {
  /// A version of a file that verifies.
  struct Candidate {
    let bytes: [UInt8]
    let revision: Int
    let origin: String
    var isFromTrash = false
  }

  private let vault: Vault
  private let histories: [any FileHistory]
  private let faults: [VaultFault]
  private let files: LockedVault
  private let journal: JournalState
  /// Good records that lie under the names of others, by the place where they belong.
  private var strayed: [StoreLocation: Candidate] = [:]
  private var steps: [RepairStep] = []

  init(_ vault: Vault, _ histories: [any FileHistory], _ faults: [VaultFault]) throws(VaultError) {
    self.vault = vault
    self.histories = histories
    self.faults = faults
    (files, journal) = try vault.locked.readableFiles()
  }

  mutating func plan() throws(VaultError) -> RepairPlan {
    planJournal()
    try collectStrayed()
    for fault in faults where fault.code != .malformedJournal && fault.code != .vanished {
      switch StoreLocation(relativePath: fault.file) {
      case .record(_)? where fault.code.isRepairable, .trash(_)? where fault.code.isRepairable:
        try planFile(fault)
      default: steps.append(.leaving(fault))
      }
    }
    try planMissing()
    let planned = Set(steps.map(\.file))
    steps += faults.filter { $0.code == .vanished && !planned.contains($0.file) }.map { .leaving($0) }
    return RepairPlan(steps: steps)
  }

  private mutating func planJournal() {
    let file = ".journal.json"
    switch journal {
    case .none: break
    case .pending(let places):
      let count = "\(places.count) change\(places.count == 1 ? "" : "s")"
      steps.append(
        RepairStep(
          .finishJournal, file, reason: "a batch of \(count) is committed and not in place yet", change: .journal))
    case .malformed(let error):
      steps.append(
        RepairStep(
          .dropJournal, file, reason: error.reason,
          detail: "it and what it staged are kept aside; the files stay as they are", change: .journal))
    }
  }

  /// Looks whether files that hold another record than their name says hold a good one.
  private mutating func collectStrayed() throws(VaultError) {
    for fault in faults where fault.code == .misplaced {
      guard let place = StoreLocation(relativePath: fault.file), let bytes = bytes(at: place),
        let document = try? JSONParser.parse(bytes), let envelope = try? RecordEnvelope(of: document)
      else { continue }
      let home: StoreLocation = envelope.deletedAt == nil ? .record(envelope.id) : .trash(envelope.id)
      guard let candidate = try candidate(bytes, for: home, origin: "the file \(fault.file)") else { continue }
      if candidate.revision > strayed[home]?.revision ?? 0 { strayed[home] = candidate }
    }
  }

  private mutating func planFile(_ fault: VaultFault) throws(VaultError) {
    guard let place = StoreLocation(relativePath: fault.file), let id = fault.record else { return }
    let found = bytes(at: place)
    if fault.code == .wrongPlace, let found {
      steps.append(try moving(fault, id, from: place, found))
    } else if let good = try best(for: place, id) {
      if let outdated = try outdated(good, id) { return steps.append(.leaving(fault, outdated)) }
      let isIrregular = found == nil && fault.code.isIrregular
      let change: RepairStep.Change =
        good.isFromTrash
        ? .restoreFromTrash(id, found: found, isIrregular: isIrregular, trashed: good.bytes)
        : .replace(place, found: found, isIrregular: isIrregular, by: good.bytes)
      steps.append(.restoring(fault, good, claimed: claimedRevision(found), change))
    } else if let found, let salvage = try Salvage(found, fault: fault, id, vault.keyring) {
      steps.append(
        RepairStep(
          .salvage, fault.file, record: id, reason: fault.reason,
          detail: "no good version was found; \(salvage.summary)", change: .salvage(salvage)))
    } else {
      steps.append(.leaving(fault, "no good version was found, and nothing of it opens: look for a backup"))
    }
  }

  /// Why the newest good version is not put back unasked: damage must be no way around the memory of this machine.
  private func outdated(_ good: Candidate, _ id: RecordID) throws(VaultError) -> String? {
    let seen = try vault.memory?.folder(id.folder).versions[id]?.revision ?? 0
    guard seen > good.revision else { return nil }
    return "the newest good version, from \(good.origin), is revision \(good.revision), and this machine has seen "
      + "\(seen): look for a newer one in a backup; `vault pin accept --fingerprint HEX --record \(id.text)` forgets what "
      + "was seen, then repair again"
  }

  /// A record that verifies and lies on the wrong side: it goes to the other one if nothing is there.
  private func moving(
    _ fault: VaultFault, _ id: RecordID, from place: StoreLocation, _ bytes: [UInt8]
  ) throws(VaultError) -> RepairStep {
    let target: StoreLocation = place == .record(id) ? .trash(id) : .record(id)
    guard try exists(target) == false, let good = try candidate(bytes, for: target, origin: "") else {
      return .leaving(fault, "there is one at \(target.relativePath), too: look at both and move one away")
    }
    return RepairStep(
      .move, fault.file, record: id, reason: fault.reason, detail: "to \(target.relativePath)", revision: good.revision,
      change: .move(from: place, to: target, bytes: bytes))
  }

  /// Records of which nothing is left in their place: those that lie under other names, and what the newest version in
  /// a history has that is neither live nor in the trash.
  private mutating func planMissing() throws(VaultError) {
    let planned = Set(steps.map(\.file))
    var places = Set(strayed.keys)
    for history in histories {
      places.formUnion(history.newestFiles().compactMap { StoreLocation(relativePath: $0) }.filter(\.isLive))
    }
    for place in places.sorted(by: { $0.relativePath < $1.relativePath }) where !planned.contains(place.relativePath) {
      guard let id = place.recordID, try !exists(.record(id)), try !exists(.trash(id)),
        let good = try best(for: place, id)
      else { continue }
      let fault = VaultFault(.otherDamage, "is missing", file: place.relativePath, record: id)
      if let outdated = try outdated(good, id) {
        steps.append(.leaving(fault, outdated))
        continue
      }
      steps.append(
        .restoring(fault, good, claimed: nil, .replace(place, found: nil, isIrregular: false, by: good.bytes)))
    }
  }
}

extension RepairPlanner {
  /// The version with the highest revision: among strayed ones, the newest good one of each history, and for a live record
  /// the one in the trash. Of equal ones the first counts.
  func best(for place: StoreLocation, _ id: RecordID) throws(VaultError) -> Candidate? {
    var best = strayed[place]
    for history in histories {
      if let newest = try newestGood(in: history, for: place), newest.revision > best?.revision ?? 0 { best = newest }
    }
    if place.isLive, let bytes = bytes(at: .trash(id)),
      var trashed = try candidate(bytes, for: .trash(id), origin: "the trash"), trashed.revision > best?.revision ?? 0
    {
      trashed.isFromTrash = true
      best = trashed
    }
    return best
  }

  private func newestGood(in history: any FileHistory, for place: StoreLocation) throws(VaultError) -> Candidate? {
    var good: Result<Candidate?, VaultError> = .success(nil)
    history.forEachVersion(of: place.relativePath) { version in
      good = Result { () throws(VaultError) in try candidate(version.bytes, for: place, origin: version.origin) }
      if case .success(nil) = good { return true }
      return false
    }
    return try good.get()
  }

  /// The bytes as a version of the file at `place`; nil when they do not verify there.
  private func candidate(
    _ bytes: [UInt8], for place: StoreLocation, origin: String
  ) throws(VaultError) -> Candidate? {
    guard let id = place.recordID else { return nil }
    do throws(VaultError) {
      let record = place.isLive ? try vault.verify(bytes, id) : try vault.verifyTrashed(bytes, id).record
      try record.check()
      return Candidate(bytes: bytes, revision: record.envelope.revision, origin: origin)
    } catch {
      _ = try VaultFault(error, file: "")
      return nil
    }
  }

  private func bytes(at place: StoreLocation) -> [UInt8]? { (try? files.store.read(place)) ?? nil }

  /// Whether anything stands at a place, be it readable or not.
  private func exists(_ place: StoreLocation) throws(VaultError) -> Bool {
    do throws(StoreError) {
      return try files.store.read(place) != nil
    } catch {
      return true
    }
  }

  /// The revision that a damaged file says it has.
  private func claimedRevision(_ bytes: [UInt8]?) -> Int? {
    guard let bytes, let document = try? JSONParser.parse(bytes) else { return nil }
    return (try? RecordEnvelope(of: document))?.revision
  }
}

extension RepairStep {
  fileprivate static func restoring(
    _ fault: VaultFault, _ good: RepairPlanner.Candidate, claimed: Int?, _ change: Change
  ) -> RepairStep {
    var detail = "from \(good.origin), revision \(good.revision)"
    if let claimed, claimed > good.revision { detail += " (the damaged file says \(claimed))" }
    return RepairStep(
      .restore, fault.file, record: fault.record, reason: fault.reason, detail: detail, revision: good.revision,
      change: change)
  }

  fileprivate static func leaving(_ fault: VaultFault, _ detail: String? = nil) -> RepairStep {
    RepairStep(
      .leave, fault.file, record: fault.record, reason: fault.reason, detail: detail ?? fault.code.wayOn)
  }
}

extension VaultFault.Code {
  /// Whether a better version of the file can help.
  fileprivate var isRepairable: Bool {
    self != .unreadable && self != .equalRevisions && self != .strayEntry && self != .newerFormat && !isRollback
  }

  /// Whether what stands there may be no file with bytes.
  fileprivate var isIrregular: Bool { self == .wrongFileType || self == .tooLarge }

  /// What a person can do about a file that is left.
  fileprivate var wayOn: String {
    switch self {
    case .strayEntry, .wrongFileType: "move it out of the vault yourself if nobody needs it there"
    case .equalRevisions: "decide yourself: `vault remove ID` or `vault trash empty ID`"
    case .missingSlot, .damagedSlot: "restore it from version control or a backup; the vault opens with other slots"
    case .unreadable: "look at its owner and mode, and at the disk"
    case .newerFormat: "read it with a newer version of this program"
    case .rolledBack, .forked, .vanished:
      "find out why; take the newest version from version control or a backup, or accept what is there with "
        + "`vault checkpoint --accept-rollback`"
    default: "restore it from version control or a backup"
    }
  }
}

extension StoreLocation {
  fileprivate var isLive: Bool {
    if case .record = self { true } else { false }
  }
}
