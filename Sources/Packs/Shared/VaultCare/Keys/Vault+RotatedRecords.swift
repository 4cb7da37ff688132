internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// All live records under a new root key, written beside the present ones.
struct StagedRecords {
  let replacement: any StoreReplacement
  let versions: RecordRewriter.Versions

  /// Deletes the old records, on all cores; only the end waits for it.
  func clear() async {
    await withTaskGroup { [replacement] group in
      for folder in versions.before.folders { group.addTask { replacement.clear(folder: folder) } }
    }
  }
}

extension Vault {
  /// Refuses a removed record with the id of a live one, because a checkpoint lists only one of them.
  func requireNoTwins() throws(VaultError) {
    for id in try inStore({ () throws(StoreError) in try store.trashed() }) where try locked.read(id) != nil {
      throw VaultError(
        .damaged, "is both a live record and in the trash: a reseal must know which of the two counts",
        file: StoreLocation.trash(id).relativePath, record: id, remedies: [.keepOne(id)])
    }
  }

  /// Verifies all records of a part, and lists their versions. Nothing is written.
  ///
  /// - Parameter isWithAttachments: whether all attachments are read, too.
  func verifiedEntries(
    _ part: RecordRewriter.Part, withAttachments isWithAttachments: Bool
  ) async throws(VaultError) -> VersionList {
    try await RecordRewriter(vault: self) { [store] record throws(VaultError) in
      for attachment in isWithAttachments ? record.attachments : [] {
        try AttachmentStream.check(attachment, in: store, readingAll: true)
      }
      return nil
    }.rewrite(part, lock: nil) { _ in }.before
  }

  /// Verifies all live records and writes them, under the current root of `keyring`, beside the present ones; nil if
  /// the store cannot exchange them at once. The caller must end the replacement.
  func stagedRecords(
    _ reason: KeyringEntry.Reason, keyring: Keyring, lock: any StoreLock, progress: (Int) -> Void
  ) async throws(VaultError) -> StagedRecords? {
    let begun = try inStore { () throws(StoreError) in try store.replacement(under: lock) }
    guard let replacement = begun else { return nil }
    do throws(VaultError) {
      let versions = try await rewriter(reason, keyring: keyring, lock: lock).stage(into: replacement, progress)
      return StagedRecords(replacement: replacement, versions: versions)
    } catch {
      replacement.end()
      throw error
    }
  }

  /// Checks that a list has exactly the records that the store holds in a part of it.
  func requireAll(_ part: RecordRewriter.Part, are list: VersionList) throws(VaultError) {
    switch part {
    case .live:
      for folder in UInt8.min...UInt8.max {
        let held = try inStore { () throws(StoreError) in try store.records(inFolder: folder) }
        try Self.require(list.entries(inFolder: folder), are: held, at: StoreLocation.folderPath(folder))
      }
    case .trash:
      let held = try inStore { () throws(StoreError) in try store.trashed() }
      try Self.require(list.all(), are: held, at: StoreLocation.trashPath)
    }
  }

  private static func require(
    _ entries: [RecordVersion], are held: [RecordID], at path: String
  ) throws(VaultError) {
    guard held.elementsEqual(entries.lazy.map(\.id)) else {
      throw .otherRecords(than: entries.count, held.count, at: path)
    }
  }

  func put(_ staged: StagedRecords) throws(VaultError) {
    try requireAll(.live, are: staged.versions.after)
    try storing(
      { () throws(StoreError) in try staged.replacement.commit() },
      note: { () throws(VaultError) in memory?.noteWritten(staged.versions.after) })
  }

  /// Moves the records of a part to the current root, in batches, and lists the versions of all.
  func rewriteRecords(
    _ part: RecordRewriter.Part, reason: KeyringEntry.Reason, lock: any StoreLock, progress: (Int) -> Void
  ) async throws(VaultError) -> VersionList {
    try await rewriter(reason, keyring: keyring, lock: lock).rewrite(part, lock: lock, progress: progress).after
  }

  /// Makes the form of records under the current root of `keyring`. Records that are under it already stay.
  private func rewriter(
    _ reason: KeyringEntry.Reason, keyring: Keyring, lock: any StoreLock
  ) -> RecordRewriter {
    let now = options.now()
    return RecordRewriter(vault: self) { record throws(VaultError) in
      let (id, key) = (record.id, record.envelope.wrappedKey)
      guard !keyring.current.id.bytes.starts(with: key.rootHint) else { return nil }
      switch reason {
      case .reseal: return try self.resealed(record, under: keyring.current, now: now, lock)
      case .rewrap:
        let new = try inSealing(file: record.file, record: id) { () throws(SealingError) in
          try keyring.current.rewrapping(key, from: keyring.root(hint: key.rootHint), record: id)
        }
        return RecordSeal.rewrapped(record.verified, with: new)
      }
    }
  }
}
