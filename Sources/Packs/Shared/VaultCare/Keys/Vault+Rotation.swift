internal import VaultDocument
public import VaultKit
internal import VaultSealing
internal import VaultStorage
public import VaultTrust

extension Vault {
  /// Gives the vault a new root key (format 1, section 11, Rotation); all slots are made again.
  ///
  /// A rewrap keeps data keys and tokens. A reseal makes all of them new, with their old sealing times, so that holders
  /// of the old keys can neither read nor forge later writes. Attachments are sealed into new files, and the old ones
  /// are removed when all records are under the new root, so they take twice the space meanwhile.
  ///
  /// Everything is verified, and the new records are written beside the old ones, before anything changes. First the
  /// header is replaced, and the old root can still be used for reading. Then the records follow, in one step if the
  /// store can do that, else in batches. Last the old root is retired, but only when each record that the store then
  /// holds, live and removed, was counted under the new one. The next call finishes an interrupted rotation, and the
  /// slots then stay unchanged.
  ///
  /// - Parameter progress: called with the number of records since the last call.
  /// - Throws: ``VaultError`` `.noKey` or `.wrongPassphrase` for a slot that cannot be made again, `.noSuchSlot`,
  ///   `.slotRefused`, `.rotationUnfinished`, `.damaged` for the first record or slot that does not verify,
  ///   `.changedUnderneath`, `.lockedByOther`, `.diskFull`, `.permissionDenied`, `.ioFailed`; `.cancelled`, which says
  ///   whether the rotation had begun.
  public nonisolated(nonsending) func rotate(
    _ reason: KeyringEntry.Reason, slots renewal: SlotRenewal = .init(), progress: (Int) -> Void = { _ in }
  ) async throws(VaultError) -> Rotation {
    let start = ContinuousClock.now
    let rotation = try await reporting(to: progress) { report throws(VaultError) in
      try await self.rotate(reason, renewal: renewal, progress: report)
    }
    options.tell(
      .rotated, of: header.vaultID, recordCount: rotation.recordCount + rotation.trashedCount,
      took: start.duration(to: .now))
    return rotation
  }

  /// Takes the lock of the only writer, and finishes an earlier rotation first. After a rewrap, a requested reseal
  /// then begins.
  private func rotate(
    _ reason: KeyringEntry.Reason, renewal: SlotRenewal, progress: @escaping (Int) -> Void
  ) async throws(VaultError) -> Rotation {
    let lock = try await lockForWriting()
    defer {
      lock.release()
      memory?.flush()
    }
    let plan = try rotationPlan(renewal)
    try requireExpected(checkpoint())
    if let unfinished = plan.unfinished {
      try await finishRotation(lock, begun: nil, progress: progress)
      // Finishing a rewrap is not a reseal, because people without a slot may have the rewrap's root key.
      guard unfinished == .rewrap, reason == .reseal else { return Rotation(unfinished, plan, isResumed: true) }
      return try await begin(.reseal, plan: rotationPlan(renewal), renewal: renewal, lock: lock, progress: progress)
    }
    return try await begin(reason, plan: plan, renewal: renewal, lock: lock, progress: progress)
  }

  private func begin(
    _ reason: KeyringEntry.Reason, plan: RotationPlan, renewal: SlotRenewal, lock: any StoreLock,
    progress: @escaping (Int) -> Void
  ) async throws(VaultError) -> Rotation {
    do throws(VaultError) {
      try await start(reason, plan: plan, renewal: renewal, lock: lock, progress: progress)
    } catch {
      // Attachments were sealed again in vain, or the next call does it again.
      if reason == .reseal, !error.mayBeStored(in: store) { _ = try? removeUnnamedAttachments(lock) }
      throw error
    }
    return Rotation(reason, plan, isResumed: false)
  }

  /// Verifies everything and then replaces the header. An error before that leaves the vault as it was, and after it
  /// the next call finishes the rotation.
  private func start(
    _ reason: KeyringEntry.Reason, plan: RotationPlan, renewal: SlotRenewal, lock: any StoreLock,
    progress: @escaping (Int) -> Void
  ) async throws(VaultError) {
    let (checkpoint, isReseal) = (try storedCheckpoint(in: store), reason == .reseal)
    if isReseal { try requireNoTwins() }
    let root = try inSealing { () throws(SealingError) in try RootKey.random(vaultID: header.vaultID) }
    let slots = try renewedSlots(plan, renewal, root: root)
    let next = try header(with: root, slots.map(\.slot), reason)
    let staged = try await stagedRecords(
      reason, keyring: Keyring(current: root, entries: next.keyring), lock: lock, progress: progress)
    defer { staged?.replacement.end() }
    let removed = try await verifiedEntries(.trash, withAttachments: isReseal)
    let live =
      if let staged { staged.versions.before } else { try await verifiedEntries(.live, withAttachments: isReseal) }
    try requireAll(.live, are: live)
    try requireAll(.trash, are: removed)
    let entries = try live.merged(with: removed.all())
    try checkpoint?.checkpoint.requireNoRollback(in: entries)
    try checkpoint?.checkpoint.requireAll(in: entries)
    let files = slots.map { StoreChange(.slot($0.slot.id), from: nil, to: $0.file) }
    try replaceHeader(by: next, root: root, slots: files + header.slots.map(\.id).flatMap(removal(of:)), lock)
    if isReseal {
      try writeCheckpoint(of: entries, following: checkpoint, lock)
      // Only now is the old root no longer trusted. After an earlier crash, the rewrap would have been finished.
      let keyring = header.keyring.map { $0.state == .openOnly ? $0.replaced(because: .reseal) : $0 }
      try replaceHeader(by: header.changed(keyring: keyring, root: root), root: root, lock)
    }
    try await finishRotation(lock, begun: staged, progress: progress)
  }

  /// The header at the start of a rotation. The old root first counts as rewrapped: `start` makes that a reseal after
  /// it has written the checkpoint.
  private func header(
    with root: RootKey, _ slots: [Slot], _ reason: KeyringEntry.Reason
  ) throws(VaultError) -> VaultHeader {
    let (old, now) = (header, options.now())
    let time = reason == .reseal ? now.nextSecond : now
    let entry = try KeyringEntry(
      replacing: keyring.current, of: old, by: root, at: time, reason: .rewrap)
    let deposit = try old.deposit.map { keys throws(VaultError) in
      let kept = try keys.rewrapped(from: keyring.current, under: root)
      return reason == .reseal ? try kept.replaced(under: root, like: slots, now: now) : kept
    }
    return try old.changed(
      slots: slots, keyring: old.keyring + [entry], deposit: deposit, root: root, rootCreatedAt: now)
  }

  /// Continues a rotation after the header with the new root; if the task is cancelled, the next call does the rest.
  private func finishRotation(
    _ lock: any StoreLock, begun: StagedRecords?, progress: (Int) -> Void
  ) async throws(VaultError) {
    do throws(VaultError) {
      try await moveRecords(lock, begun: begun, progress: progress)
    } catch {
      guard error.code == .cancelled else { throw error }
      throw VaultError(
        .cancelled,
        "the rekey was cancelled: the new root key is in place, but not every record is under it; all of them open",
        file: VaultHeader.fileName, remedies: [.finishRotation])
    }
  }

  /// Moves the records and the checkpoint, and retires the old root.
  ///
  /// - Parameter begun: the staged records; nil to stage them here, also for an interrupted rotation.
  private func moveRecords(
    _ lock: any StoreLock, begun: StagedRecords?, progress: (Int) -> Void
  ) async throws(VaultError) {
    let root = keyring.current
    let olds = header.keyring.filter { $0.state == .openOnly }
    let isReseal = olds.contains { $0.reason == .reseal }
    let reason: KeyringEntry.Reason = isReseal ? .reseal : .rewrap
    let staged =
      if let begun { begun } else { try await stagedRecords(reason, keyring: keyring, lock: lock, progress: progress) }
    defer { staged?.replacement.end() }
    let live: VersionList
    if let staged {
      try put(staged)
      live = staged.versions.after
    } else {
      live = try await rewriteRecords(.live, reason: reason, lock: lock, progress: progress)
    }
    async let isCleared: Void? = staged?.clear()
    let removed = try await rewriteRecords(.trash, reason: reason, lock: lock, progress: progress)
    let entries = try live.merged(with: removed.all())
    let checkpoint = try storedCheckpoint(in: store)
    try checkpoint?.checkpoint.requireAll(in: entries)
    if isReseal {
      try writeCheckpoint(of: entries, following: checkpoint, lock)
    } else if let checkpoint, checkpoint.checkpoint.rootID != root.id {
      let again = try checkpoint.checkpoint.authenticatedAgain(under: root)
      try replaceCheckpoint(checkpoint.mark, by: again, lock)
    }
    // After any earlier mistake, a record that was not counted would be lost forever with the root key.
    try requireAll(.live, are: live)
    try requireAll(.trash, are: removed)
    // This also removes leftovers of an interrupted attempt.
    if isReseal { try removeUnnamedAttachments(lock) }
    let keyring = header.keyring.map { $0.state == .openOnly ? $0.retired : $0 }
    try replaceHeader(by: header.changed(keyring: keyring, root: root), root: root, slots: strayFiles(), lock)
    await isCleared
  }

  /// A rotation writes the checkpoint again, so a checkpoint that is gone or older than this machine knows must be
  /// reported first.
  private func requireExpected(_ found: Checkpoint?) throws(VaultError) {
    let mark = try found.map { found throws(VaultError) in try Pin.CheckpointMark(found) }
    guard let difference = try memory?.checkpointDifference(from: mark) else { return }
    throw try difference.error(of: header)
  }

  /// The deletion of unreferenced slot files, because an interruption may have left those of the old root.
  private func strayFiles() throws(VaultError) -> [StoreChange] {
    let known = Set(header.slots.map(\.id))
    return try inStore { () throws(StoreError) in try store.slots() }
      .filter { !known.contains($0) }.flatMap(removal(of:))
  }

  private func writeCheckpoint(
    of entries: VersionList, following old: StoredCheckpoint?, _ lock: any StoreLock
  ) throws(VaultError) {
    let new = try Checkpoint.make(
      following: old?.checkpoint, of: entries, headerHash: header.hash(), createdAt: options.now(),
      under: keyring.current)
    try replaceCheckpoint(old?.mark, by: new, lock)
  }
}

extension Rotation {
  fileprivate init(_ reason: KeyringEntry.Reason, _ plan: RotationPlan, isResumed: Bool) {
    self.init(
      reason: reason, isResumed: isResumed, recordCount: plan.recordCount, trashedCount: plan.trashedCount,
      dropped: plan.dropped)
  }
}

extension Checkpoint {
  /// Checks that the rotation does not make a rolled-back record the newest one.
  fileprivate func requireNoRollback(in list: VersionList) throws(VaultError) {
    for folder in entries.folders {
      let listed = try entries.entries(inFolder: folder)
      for entry in try list.entries(inFolder: folder) {
        let (code, reason): (VaultError.Code, String)
        switch listed.entry(of: entry.id).map({ entry.succession(after: $0) }) {
        case nil, .newer, .same: continue
        case .older: (code, reason) = (.rolledBack, "is older than the revision that the checkpoint lists")
        case .forked: (code, reason) = (.forked, "is not the version that the checkpoint lists")
        }
        throw VaultError(code, reason, record: entry.id, remedies: [.compareWithCheckpoint])
      }
    }
  }

  /// Checks that the new list of a rotation is not missing earlier records.
  fileprivate func requireAll(in list: VersionList) throws(VaultError) {
    for folder in entries.folders {
      let present = try list.entries(inFolder: folder)
      for entry in try entries.entries(inFolder: folder) where present.entry(of: entry.id) == nil {
        throw VaultError(
          .rolledBack, "is gone, but the checkpoint lists its revision \(entry.revision)", record: entry.id,
          remedies: [.findMissing])
      }
    }
  }
}

extension Timestamp {
  /// The first whole second after this moment.
  fileprivate var nextSecond: Timestamp {
    // The last second of the year 9999 has no next one.
    (try? Timestamp(secondsSinceEpoch: secondsSinceEpoch + 1)) ?? self
  }
}
