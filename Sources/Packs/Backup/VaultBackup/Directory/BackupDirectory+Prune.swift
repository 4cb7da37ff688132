public import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
internal import VaultSystem

extension BackupDirectory {
  /// Removes the backups that no rule keeps, and their entries, while no other process can change the directory.
  ///
  /// The removals are recorded first, then the files are deleted, then the entries. So an interruption leaves each file
  /// whole or gone, and a missing file is explained. The next prune cleans up.
  ///
  /// - Parameters:
  ///   - now: the rules ignore later backups.
  ///   - approved: the confirmed plan. If the plan has changed, nothing is done.
  ///   - timeout: the timeout for another process.
  ///   - onWait: called once, after a second of waiting.
  /// - Returns: the finished plan.
  /// - Precondition: the policy is not empty.
  /// - Throws: `VaultError` `.changedUnderneath` if the approved plan has changed, `.lockedByOther`, `.damaged`,
  ///   `.newerFormat`, `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func prune(
    _ policy: RetentionPolicy, now: Timestamp, approved: PrunePlan? = nil, timeout: Duration = .seconds(10),
    onWait: (Int32?) -> Void = { _ in }
  ) throws(VaultError) -> PrunePlan {
    let lock = try lock(timeout: timeout, onWait: onWait)
    let old = try catalog()
    let plan = try plan(policy, now: now, old)
    if let approved, approved.removals != plan.removals {
      throw VaultError(
        .changedUnderneath, "has changed since the question was asked; nothing was removed", file: path,
        remedies: ["run the prune again to see what would be removed now"])
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
      failure.remedies = ["some files were already removed: repair the cause, then run the prune again"]
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
  /// Removes all other entries.
  fileprivate mutating func keepOnly(_ names: Set<BackupName>) {
    for entry in entries where !names.contains(entry.name) { forget(entry.name) }
  }
}
