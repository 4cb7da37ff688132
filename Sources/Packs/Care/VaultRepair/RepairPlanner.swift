internal import VaultDocument
internal import VaultFileStore
package import VaultKit
internal import VaultSealing
internal import VaultStorage
package import VaultTrust
package import VaultCare

extension Vault {
  /// Searches for damage and for versions that verify, and plans a repair. Nothing changes.
  ///
  /// - Parameter histories: sources of older versions, the most trusted first.
  package func repairPlan(_ histories: [any FileHistory] = []) async throws(VaultError) -> RepairPlan {
    let found = try await verify()
    return try await atOneMoment { vault throws(VaultError) in
      var planner = try RepairPlanner(vault, histories: histories, faults: found.faults)
      return try planner.plan()
    }
  }
}

/// Plans a repair. It uses only versions that verify, and if there are two possible answers it leaves the choice.
struct RepairPlanner {
  /// A version of a file that verifies.
  struct Candidate {
    let bytes: [UInt8]
    let revision: Int
    let origin: String
    /// Its proper place.
    let home: StoreLocation
    /// Whether it is in the trash now, and not only in a history of it.
    var isInTrash = false
  }

  private let vault: Vault
  let histories: [any FileHistory]
  let faults: [VaultFault]
  private let files: LockedVault
  private let journal: JournalState
  /// Good records under the names of others, by their proper place.
  private var strayed: [StoreLocation: Candidate] = [:]
  private var steps: [RepairStep] = []

  init(_ vault: Vault, histories: [any FileHistory], faults: [VaultFault]) throws(VaultError) {
    self.vault = vault
    self.histories = histories
    self.faults = faults
    (files, journal) = try vault.locked.readableFiles()
  }

  mutating func plan() throws(VaultError) -> RepairPlan {
    let fingerprint = try vault.header.fingerprint()
    planJournal()
    try collectStrayed()
    let others: Set<VaultError.Code> = [.malformedJournal, .vanished, .unmergedCopy]
    for fault in faults where !others.contains(fault.code) {
      switch StoreLocation(relativePath: fault.file) {
      case .record(_)? where fault.code.isRepairable, .trash(_)? where fault.code.isRepairable:
        try planFile(fault)
      case .attachment(let id)?: steps.append(try planAttachment(id, fault: fault, fingerprint: fingerprint))
      default: steps.append(.leaving(fault, "", fault.remedies(fingerprint)))
      }
    }
    try planMissing()
    let planned = Set(steps.map(\.file))
    steps += faults.filter { $0.code == .vanished && !planned.contains($0.file) }.map {
      .leaving($0, "", $0.remedies(fingerprint))
    }
    try planUnnamed()
    return RepairPlan(steps: steps, hasUnmergedCopies: faults.contains { $0.code == .unmergedCopy })
  }

  /// Plans the removal of files that no record names. It requires that every record exists, verifies and is not older
  /// than before: an older record may name fewer files, and an unfinished rotation has files that are named later.
  private mutating func planUnnamed() throws(VaultError) {
    let harmless: Set<VaultError.Code> = [.missingAttachment, .damagedAttachment]
    let areOthers = steps.contains { !$0.file.hasPrefix(StoreLocation.attachmentsPath + "/") }
    guard case .none = journal, faults.allSatisfy({ harmless.contains($0.code) }), !areOthers,
      vault.header.unfinishedRotation == nil
    else { return }
    let check = try AttachmentCheck(of: files.store, GatheredAttachments(in: files.store), readingAll: false)
    guard let note = check.notes.first, let unnamed = check.unnamed else { return }
    steps.append(
      RepairStep(
        .remove, StoreLocation.attachmentsPath, reason: note, detail: "all live and removed records verify",
        change: .removeAttachments(Set(unnamed))))
  }

  private mutating func planJournal() {
    let file = ".journal.json"
    switch journal {
    case .none: break
    case .pending(let places):
      let count = "\(places.count) change\(places.count == 1 ? "" : "s")"
      steps.append(
        RepairStep(
          .finishJournal, file, reason: "a batch of \(count) is committed but not in place yet", change: .journal))
    case .malformed(let error):
      steps.append(
        RepairStep(
          .dropJournal, file, reason: error.reason,
          detail: "the journal and its staged files are kept aside; other files do not change", change: .journal))
    }
  }

  /// Collects good records from files with the name of another record.
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
    let sides = fault.code == .conflicted ? try goodSides(of: id) : []
    if fault.code == .wrongPlace, let found {
      steps.append(try moving(fault, id: id, from: place, bytes: found))
    } else if sides.count > 1 {
      steps.append(.leaving(fault, "", [Self.choice(sides)]))
    } else if let good = sides.isEmpty ? try best(for: place, id) : sides[0] {
      steps.append(try restoring(fault, good: good, id: id, place: place, found: found))
    } else if fault.isEdited {
      steps.append(.leaving(fault, "no good version was found", [.acceptEdits([id])]))
    } else if let found, let salvage = try Salvage(found, fault: fault, id: id, keyring: vault.keyring) {
      steps.append(
        RepairStep(
          .salvage, fault.file, record: id, reason: fault.reason,
          detail: "no good version was found; \(salvage.summary)", change: .salvage(salvage)))
    } else {
      steps.append(.leaving(fault, "no good version was found, and nothing in it opens: look for a backup"))
    }
  }

  private func restoring(
    _ fault: VaultFault, good: Candidate, id: RecordID, place: StoreLocation, found: [UInt8]?
  ) throws(VaultError) -> RepairStep {
    if let seen = try vault.memory?.folder(id.folder).versions[id]?.revision, seen > good.revision {
      return try outdated(fault, good: good, id: id, seen: seen)
    }
    let isIrregular = found == nil && fault.code.isIrregular
    if good.isInTrash {
      return .restoring(
        fault, good: good, claimed: claimedRevision(found),
        change: .restoreFromTrash(id, found: found, isIrregular: isIrregular, trashed: good.bytes))
    }
    if good.home != place, try exists(good.home) {
      return .leaving(
        fault, "there is another one at \(good.home.relativePath): look at both, and move this one away yourself")
    }
    return .restoring(
      fault, good: good, claimed: claimedRevision(found),
      change: .replace(place, found: found, isIrregular: isIrregular, by: good.bytes, home: good.home))
  }

  /// Both sides of a merge are good, so a person must choose.
  private static func choice(_ sides: [Candidate]) -> Remedy {
    .chooseVersion(
      commands: sides.map { side in
        "\(side.origin) takes revision \(side.revision)\(side.home.isLive ? "" : ", which was removed")"
      })
  }

  /// Why the newest good version is not restored automatically: damage must not be a way around the memory of this
  /// machine.
  private func outdated(
    _ fault: VaultFault, good: Candidate, id: RecordID, seen: Int
  ) throws(VaultError) -> RepairStep {
    let found = "the newest good version, from \(good.origin), is revision \(good.revision)"
    return .leaving(
      fault, "\(found), but this machine has seen \(seen)",
      [
        "look for a newer version in a backup", .acceptRecords([id], fingerprint: try vault.header.fingerprint()),
        "then run the repair again",
      ])
  }

  /// Moves a record that verifies but lies on the wrong side, if the other place is free.
  private func moving(
    _ fault: VaultFault, id: RecordID, from place: StoreLocation, bytes: [UInt8]
  ) throws(VaultError) -> RepairStep {
    let target: StoreLocation = place == .record(id) ? .trash(id) : .record(id)
    guard try exists(target) == false, let good = try candidate(bytes, for: target, origin: "") else {
      return .leaving(fault, "there is another one at \(target.relativePath): look at both, and move one away")
    }
    return RepairStep(
      .move, fault.file, record: id, reason: fault.reason, detail: "to \(target.relativePath)", revision: good.revision,
      change: .move(from: place, to: target, bytes: bytes))
  }

  /// Plans for records that are missing in their place: those under other names, and those that the newest version in a
  /// history has and that are neither live nor in the trash.
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
      steps.append(try restoring(fault, good: good, id: id, place: place, found: nil))
    }
  }
}

extension RepairPlanner {
  /// The version with the highest revision. It can come from strayed records, for a live record from the trash, and
  /// from each history of the record's places. Of equal versions the first counts.
  func best(for place: StoreLocation, _ id: RecordID) throws(VaultError) -> Candidate? {
    var candidates = [strayed[place]]
    // A version on the other side already exists there; only from the trash is it restored.
    let other: StoreLocation = place.isLive ? .trash(id) : .record(id)
    if place.isLive, let bytes = bytes(at: other), var trashed = try candidate(bytes, for: other, origin: "the trash") {
      trashed.isInTrash = true
      candidates.append(trashed)
    }
    for home in [place, other] {
      for history in histories { candidates.append(try newestGood(in: history, for: home)) }
    }
    return candidates.compactMap(\.self).reduce(nil) { best, next in
      next.revision > best?.revision ?? 0 ? next : best
    }
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

  /// The versions that verify between which a merge left the choice, each once.
  private func goodSides(of id: RecordID) throws(VaultError) -> [Candidate] {
    var sides: [Candidate] = []
    let places = StoreLocation.places(of: id)
    for version in histories.flatMap({ $0.sides(of: places.map(\.relativePath)) }) {
      // git may have one version under the name of the other.
      for home in places where !sides.contains(where: { $0.bytes == version.bytes }) {
        if let side = try candidate(version.bytes, for: home, origin: version.origin) { sides.append(side) }
      }
    }
    return sides
  }

  /// The bytes as a version of the file at `place`; nil if they do not verify there.
  private func candidate(
    _ bytes: [UInt8], for place: StoreLocation, origin: String
  ) throws(VaultError) -> Candidate? {
    guard place.recordID != nil else { return nil }
    do throws(VaultError) {
      let revision = try vault.checkedVersion(bytes, at: place).revision
      return Candidate(bytes: bytes, revision: revision, origin: origin, home: place)
    } catch {
      _ = try VaultFault(error, file: "")
      return nil
    }
  }

  func bytes(at place: StoreLocation) -> [UInt8]? { (try? files.store.read(place)) ?? nil }

  private func exists(_ place: StoreLocation) throws(VaultError) -> Bool {
    do throws(StoreError) {
      return try files.store.read(place) != nil
    } catch {
      return true
    }
  }

  /// The unverified revision in a damaged file.
  private func claimedRevision(_ bytes: [UInt8]?) -> Int? {
    guard let bytes, let document = try? JSONParser.parse(bytes) else { return nil }
    return (try? RecordEnvelope(of: document))?.revision
  }
}

extension RepairStep {
  fileprivate static func restoring(
    _ fault: VaultFault, good: RepairPlanner.Candidate, claimed: Int?, change: Change
  ) -> RepairStep {
    var detail = "from \(good.origin), revision \(good.revision)"
    if let claimed, claimed > good.revision { detail += " (the damaged file says \(claimed))" }
    let edited = fault.isEdited ? fault.record : nil
    return RepairStep(
      .restore, fault.file, record: fault.record, reason: fault.reason, detail: detail,
      remedies: edited.map { [.acceptEdits([$0])] } ?? [], revision: good.revision, change: change)
  }

  fileprivate static func leaving(_ fault: VaultFault, _ detail: String, _ remedies: [Remedy] = []) -> RepairStep {
    RepairStep(.leave, fault.file, record: fault.record, reason: fault.reason, detail: detail, remedies: remedies)
  }
}

extension VaultError.Code {
  /// Whether a better version of the file can help.
  fileprivate var isRepairable: Bool {
    self != .unreadable && self != .equalRevisions && self != .strayEntry && self != .newerFormat && !isRollback
  }

  /// Whether the present entry may not be a file with bytes.
  fileprivate var isIrregular: Bool { self == .wrongFileType || self == .tooLarge }
}

extension VaultFault {
  /// Remedies for a file that is left.
  func remedies(_ fingerprint: String) -> [Remedy] {
    switch code {
    case .strayEntry, .wrongFileType: ["move it out of the vault yourself if nobody needs it there"]
    case .equalRevisions: record.map { [.keepOne($0)] } ?? []
    case .missingSlot, .damagedSlot: ["restore it from version control or a backup; the vault opens with other slots"]
    case .unreadable: ["check its owner, its mode and the disk"]
    case .newerFormat: [.useNewerVersion]
    case .rolledBack, .forked, .vanished, .conflicted: [self].remedies(fingerprint: fingerprint)
    default: ["restore it from version control or a backup"]
    }
  }
}

extension StoreLocation {
  fileprivate var isLive: Bool {
    if case .record = self { true } else { false }
  }
}
