public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
internal import VaultSystem

extension BackupDirectory {
  /// Removes what no rule keeps, as the only process that changes the directory, and does not record it any more.
  ///
  /// It is first recorded which files are about to go, then they go, then their entries do: wherever it is cut off,
  /// each file is whole or gone, and nothing that is gone looks as if somebody else had taken it. The next prune clears
  /// up.
  ///
  /// - Parameters:
  ///   - now: what is later has no part in the rules.
  ///   - approved: what somebody has said yes to; anything else is then not done.
  ///   - timeout: how long to wait for another process.
  ///   - onWait: called once, after a second of waiting.
  /// - Returns: what was done.
  /// - Precondition: the policy is not empty.
  /// - Throws: `VaultError` `.changedUnderneath` when other files would go than the approved ones, `.lockedByOther`,
  ///   `.damaged`, `.newerFormat`, `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func prune(
    _ policy: RetentionPolicy, now: Timestamp, approved: PrunePlan? = nil, timeout: Duration = .seconds(10),
    onWait: (Int32?) -> Void = { _ in }
  ) throws(VaultError) -> PrunePlan {
    let lock = try lock(timeout: timeout, onWait: onWait)
    let old = try catalog()
    let plan = try plan(policy, now: now, old)
    if let approved, approved.removals != plan.removals {
      throw VaultError(
        .changedUnderneath, "changed since the question was asked; nothing was removed", file: path,
        remedies: ["repeat it to see what would be removed now"])
    }
    var new = old
    new.keepOnly(Set(plan.steps.filter { $0.action != .forget }.map(\.row.name)))
    new.markRemovals(of: Set(plan.removals))
    if new != old { try save(new, under: lock) }
    guard !plan.removals.isEmpty else { return plan }
    do throws(VaultError) {
      try remove(plan.removals, under: lock)
      for name in plan.removals { new.forget(name) }
      try save(new, under: lock)
    } catch {
      var failure = error
      failure.remedies = ["some files are removed already: repeat the prune when that is repaired"]
      throw failure
    }
    return plan
  }

  private func remove(_ names: [BackupName], under lock: borrowing LockedFile) throws(VaultError) {
    try inBackups { () throws(StoreError) in
      for name in names { try folder.remove(name.fileName, under: lock) }
      try folder.sync()
    }
  }
}

extension BackupCatalog {
  /// Takes out what is recorded of all others.
  fileprivate mutating func keepOnly(_ names: Set<BackupName>) {
    for entry in entries where !names.contains(entry.name) { forget(entry.name) }
  }
}
