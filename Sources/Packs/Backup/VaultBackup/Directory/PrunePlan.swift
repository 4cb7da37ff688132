public import VaultDocument
public import VaultKit

/// The plan of a prune for each backup of a directory, with reasons.
public struct PrunePlan: Sendable {
  /// The plan for one backup.
  public struct Step: Equatable, Sendable {
    /// The backup in the listing.
    public let row: BackupListing.Row
    /// The action for the file.
    public let action: Action
    /// The reasons, such as `daily` and `weekly`; never empty.
    public let reasons: [String]
  }

  /// The action for a file.
  public enum Action: String, Sendable {
    /// The file stays.
    case keep
    /// The file and its entry are removed.
    case remove
    /// The file is gone already, and its entry is removed.
    case forget
  }

  /// One step for each backup, in the order of the names.
  public let steps: [Step]
  /// Whether the user should look at something: changed or missing files, or a vault without any verified backup, of
  /// which nothing can be removed.
  public let hasFindings: Bool

  /// The names of the removed files.
  public var removals: [BackupName] { steps.filter { $0.action == .remove }.map(\.row.name) }
  /// The total size of the removed files.
  public var removedByteCount: Int { steps.filter { $0.action == .remove }.compactMap(\.row.byteCount).reduce(0, +) }
}

extension BackupDirectory {
  /// The plan of a prune.
  ///
  /// The rules apply to recorded backups with the recorded size, separately for each vault. All other files stay. If
  /// backups of a vault would be removed, one backup stays that passed a check and still has the recorded hash. A check
  /// with a key is preferred.
  ///
  /// - Parameter now: the rules ignore later backups.
  /// - Precondition: the policy is not empty.
  /// - Throws: `VaultError` as ``catalog()`` and ``contentHash(of:)``.
  public func plan(_ policy: RetentionPolicy, now: Timestamp) throws(VaultError) -> PrunePlan {
    try plan(policy, now: now, try catalog())
  }

  func plan(
    _ policy: RetentionPolicy, now: Timestamp, _ catalog: BackupCatalog
  ) throws(VaultError) -> PrunePlan {
    // An empty policy would remove everything, so the caller must give at least one rule.
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

private struct GroupPlanner {
  let directory: BackupDirectory
  let policy: RetentionPolicy
  let now: Timestamp
  var rows: [BackupListing.Row]
  private(set) var isUnverified = false
  /// Files whose hash was compared and matched.
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
      // If a file turns out to be damaged, the rules start again without it.
      guard rows.count(where: { $0.hasOtherContent }) == damaged else { continue }
      isUnverified = kept == nil
      return steps.map { keeping(kept, $0) }
    }
  }

  /// The step for a backup outside the rules; nil if the rules decide.
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
  /// A verified backup that stays in any case; nil if no backup was verified.
  ///
  /// The order of preference: checks with a key, backups that the rules keep, newer backups.
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

  /// Whether a file still has the recorded hash. A difference is noted.
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
