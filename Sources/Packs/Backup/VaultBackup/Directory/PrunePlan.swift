public import VaultDocument
public import VaultKit

/// What a prune does with each backup of a directory, and why.
public struct PrunePlan: Sendable {
  /// What becomes of one backup.
  public struct Step: Equatable, Sendable {
    /// The backup, as a listing has it.
    public let row: BackupListing.Row
    /// What is done with its file.
    public let action: Action
    /// Such as `daily, weekly`; never empty.
    public let reasons: [String]
  }

  /// What becomes of a file.
  public enum Action: String, Sendable {
    /// The file stays as it is.
    case keep
    /// The file is removed, and what is recorded of it.
    case remove
    /// It is not there any more, and what is recorded of it goes.
    case forget
  }

  /// One for each backup, in the order of their names.
  public let steps: [Step]
  /// Whether there is something that a person should look at: files that changed or are gone, or a vault of which
  /// nothing can be removed because no backup of it has been verified.
  public let hasFindings: Bool

  /// The names of the files that go.
  public var removals: [BackupName] { steps.filter { $0.action == .remove }.map(\.row.name) }
  /// How many bytes they take.
  public var removedByteCount: Int { steps.filter { $0.action == .remove }.compactMap(\.row.byteCount).reduce(0, +) }
}

extension BackupDirectory {
  /// Says what a prune would do.
  ///
  /// Only backups that are recorded, with the recorded size, have part in the rules, those of each vault by themselves;
  /// anything else stays. Of each vault from which something is to go, one backup stays that passed a check and still
  /// has the recorded hash: with a key, if there is one, else the strongest there is.
  ///
  /// - Parameter now: what is later has no part in the rules.
  /// - Precondition: the policy is not empty.
  /// - Throws: `VaultError` as ``catalog()`` and ``contentHash(of:)``.
  public func plan(_ policy: RetentionPolicy, now: Timestamp) throws(VaultError) -> PrunePlan {
    try plan(policy, now: now, try catalog())
  }

  func plan(
    _ policy: RetentionPolicy, now: Timestamp, _ catalog: BackupCatalog
  ) throws(VaultError) -> PrunePlan {
    // Rules of ours would remove everything: whoever calls has asked for at least one.
    precondition(!policy.isEmpty, "a prune needs a rule")
    let listing = try listing(of: catalog)
    var steps: [PrunePlan.Step] = []
    var hasFindings = false
    for group in listing.groups {
      var planner = GroupPlanner(
        directory: self, policy: policy, now: now, rows: listing.rows.filter { $0.group == group })
      steps += try planner.plan()
      hasFindings = hasFindings || planner.hasFindings
    }
    return PrunePlan(steps: steps.sorted { $0.row.name.precedesInBytes($1.row.name) }, hasFindings: hasFindings)
  }
}

/// Plans for the backups of one vault.
private struct GroupPlanner {
  let directory: BackupDirectory
  let policy: RetentionPolicy
  let now: Timestamp
  var rows: [BackupListing.Row]
  private(set) var isUnverified = false
  /// Files that were hashed and are the recorded ones.
  private var sound: Set<BackupName> = []

  init(directory: BackupDirectory, policy: RetentionPolicy, now: Timestamp, rows: [BackupListing.Row]) {
    self.directory = directory
    self.policy = policy
    self.now = now
    self.rows = rows
  }

  var hasFindings: Bool { isUnverified || rows.contains { $0.state == .changed || $0.state == .gone } }

  mutating func plan() throws(VaultError) -> [PrunePlan.Step] {
    while true {
      let steps = rows.compactMap(unruled) + ruled()
      guard steps.contains(where: { $0.action == .remove }) else { return steps }
      let damaged = rows.count { $0.hasOtherContent }
      let kept = try verifiedToKeep(steps)
      // What was found to be damaged on the way has no part in the rules: they begin again without it.
      guard rows.count(where: { $0.hasOtherContent }) == damaged else { continue }
      isUnverified = kept == nil
      return steps.map { keeping(kept, $0) }
    }
  }

  /// What becomes of a backup that no rule looks at; nil for one that the rules decide on.
  private func unruled(_ row: BackupListing.Row) -> PrunePlan.Step? {
    switch row.state {
    case .recorded: nil
    case .changed: PrunePlan.Step(row: row, action: .keep, reasons: ["not as recorded: damaged or replaced"])
    case .unrecorded: PrunePlan.Step(row: row, action: .keep, reasons: ["not recorded in backups.json"])
    case .gone: PrunePlan.Step(row: row, action: .forget, reasons: ["its file is gone, and no prune has removed it"])
    }
  }

  private func ruled() -> [PrunePlan.Step] {
    let candidates = rows.filter { $0.state == .recorded }
    let reasons = policy.reasons(toKeep: candidates.map(\.name.time), now: now)
    return zip(candidates, reasons).map { row, reasons in
      PrunePlan.Step(
        row: row, action: reasons.isEmpty ? .remove : .keep,
        reasons: reasons.isEmpty ? ["no rule keeps it"] : reasons.map(\.description))
    }
  }

  private func keeping(_ name: BackupName?, _ step: PrunePlan.Step) -> PrunePlan.Step {
    guard step.action == .remove else { return step }
    guard let name else {
      return PrunePlan.Step(row: step.row, action: .keep, reasons: ["no backup of this vault has been verified"])
    }
    guard step.row.name == name else { return step }
    return PrunePlan.Step(row: step.row, action: .keep, reasons: ["verified: one such backup always stays"])
  }
}

extension GroupPlanner {
  /// A verified backup that stays whatever the rules say; nil when there is none.
  ///
  /// What was opened with a key goes before what was only looked at, what the rules keep before what they remove, and
  /// newer before older.
  private mutating func verifiedToKeep(_ steps: [PrunePlan.Step]) throws(VaultError) -> BackupName? {
    for isProof in [true, false] {
      for action in [PrunePlan.Action.keep, .remove] {
        for step in steps.reversed() where step.action == action && step.row.state == .recorded {
          guard step.row.entry?.verification?.isProof == isProof else { continue }
          if try isSound(step.row) { return step.row.name }
        }
      }
    }
    return nil
  }

  /// Whether a file still has the recorded hash; noted when it has not.
  private mutating func isSound(_ row: BackupListing.Row) throws(VaultError) -> Bool {
    if sound.contains(row.name) { return true }
    let found = try directory.contentHash(of: row.name)
    if let found, found.sha256 == row.entry?.sha256 {
      sound.insert(row.name)
      return true
    }
    if let index = rows.firstIndex(where: { $0.name == row.name }) {
      rows[index] = BackupListing.Row(
        name: row.name, entry: row.entry, byteCount: found?.byteCount, hasOtherContent: true)
    }
    return false
  }
}
