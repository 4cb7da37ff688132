internal import VaultDocument
internal import VaultSealing
internal import VaultStorage

extension Vault {
  /// Verifies all records, live and removed, and lists their versions.
  ///
  /// - Parameter isReseal: refuses a removed record with the id of a live one, since a checkpoint lists one of the two.
  /// - Throws: ``VaultError`` of the first that does not verify.
  func verifiedEntries(isReseal: Bool) async throws(VaultError) -> [Checkpoint.Entry] {
    if isReseal { try requireNoTwins() }
    return try await RecordRewriter(vault: self, lock: nil, makeReplacement: { _ in nil }).run { _ in }
  }

  /// Moves all records that are not under the current root to it, and lists the versions of all.
  func rewriteRecords(
    _ reason: KeyringEntry.Reason, _ lock: any StoreLock, _ progress: @escaping (Int) -> Void
  ) async throws(VaultError) -> [Checkpoint.Entry] {
    let (keyring, now) = (keyring, options.now())
    let rewriter = RecordRewriter(vault: self, lock: lock) { record throws(SealingError) in
      let (id, key) = (record.id, record.envelope.wrappedKey)
      guard !keyring.current.id.bytes.starts(with: key.rootHint) else { return nil }
      switch reason {
      case .reseal: return try RecordSeal.resealed(record.verified, under: keyring.current, now: now)
      case .rewrap:
        let older = try keyring.root(hint: key.rootHint)
        let new = try keyring.current.rewrapping(key, from: older, record: id)
        return RecordSeal.rewrapped(record.verified, with: new)
      }
    }
    return try await rewriter.run(progress)
  }

  private func requireNoTwins() throws(VaultError) {
    for id in try inStore({ () throws(StoreError) in try store.trashed() }) where try locked.read(id) != nil {
      throw VaultError(
        .damaged, "is among the records and in the trash: a reseal needs to know which one counts",
        file: StoreLocation.trash(id).relativePath, record: id,
        hints: [
          "`vault trash empty \(id.text)` deletes the one in the trash,", "`vault remove \(id.text)` the live one",
        ])
    }
  }
}

/// Goes through all records on all cores: reads, verifies, makes replacements, and writes them in batches, all at a time.
///
/// What is in memory at once is bounded by the chunks under way and one batch.
struct RecordRewriter {
  /// Files that one task verifies and changes.
  private static let chunkCount = 64
  private static let chunkByteLimit = 1 << 20
  /// Chunks under way at once.
  private static let chunksAtOnce = 8
  /// Changes in one batch of the journal.
  private static let batchCount = 10_000
  private static let batchByteLimit = 64 << 20

  let vault: Vault
  /// Nil when nothing is written.
  let lock: (any StoreLock)?
  /// The new document of a record that verified; nil when it stays.
  let makeReplacement: @Sendable (OpenRecord) throws(SealingError) -> JSONValue?

  private struct File: Sendable {
    let place: StoreLocation
    let id: RecordID
    let bytes: [UInt8]
  }

  private struct Outcome: Sendable {
    var entries: [Checkpoint.Entry] = []
    var changes: [StoreChange] = []
    /// Whether it is the outcome of writing.
    var isWritten = false
  }

  /// The versions of all records afterwards, in any order.
  ///
  /// - Throws: ``VaultError`` of the first fault; batches that were written stay.
  func run(_ progress: @escaping (Int) -> Void) async throws(VaultError) -> [Checkpoint.Entry] {
    let places = try places()
    let result = await withTaskGroup(of: Result<Outcome, VaultError>.self) { group in
      var state = State(rewriter: self, progress: progress)
      do throws(VaultError) {
        for place in places {
          if let chunk = try state.read(place) { try await state.add(chunk, &group) }
        }
        try await state.finish(&group)
        return Result<[Checkpoint.Entry], VaultError>.success(state.entries)
      } catch {
        await group.waitForAll()
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func places() throws(VaultError) -> [(StoreLocation, RecordID)] {
    try inStore { () throws(StoreError) in
      var places: [(StoreLocation, RecordID)] = []
      for folder in UInt8.min...UInt8.max {
        places += try vault.store.records(inFolder: folder).map { (.record($0), $0) }
      }
      return places + (try vault.store.trashed().map { (.trash($0), $0) })
    }
  }

  /// Verifies the files of a chunk and makes their replacements.
  private func process(_ chunk: [File]) -> Result<Outcome, VaultError> {
    Result { () throws(VaultError) in
      var outcome = Outcome()
      for file in chunk {
        let old = try vault.verify(file.bytes, file.id, in: file.place)
        try old.require(isTrashed: file.place == .trash(file.id))
        try vault.memory?.check(old)
        var envelope = old.envelope
        let replacement = try inSealing(file: old.file, record: file.id) { () throws(SealingError) in
          try makeReplacement(old)
        }
        if let replacement {
          let new = try vault.verifiedBytes(of: replacement, file.id, in: file.place)
          outcome.changes.append(StoreChange(file.place, from: file.bytes, to: new.bytes))
          envelope = new.record.envelope
        }
        outcome.entries.append(Checkpoint.Entry(id: file.id, revision: envelope.revision, mac: envelope.mac))
      }
      return outcome
    }
  }
}

extension RecordRewriter {
  /// What is under way; lives in the one task that reads.
  private struct State {
    typealias Group = TaskGroup<Result<Outcome, VaultError>>

    let rewriter: RecordRewriter
    let progress: (Int) -> Void
    private(set) var entries: [Checkpoint.Entry] = []
    private var chunk: [File] = []
    private var chunkByteCount = 0
    private var batch: [StoreChange] = []
    private var batchByteCount = 0
    private var underWay = 0
    private var isWriting = false

    init(rewriter: RecordRewriter, progress: @escaping (Int) -> Void) {
      self.rewriter = rewriter
      self.progress = progress
    }

    /// Reads one more file; the chunk, when it is full.
    mutating func read(_ place: (StoreLocation, RecordID)) throws(VaultError) -> [File]? {
      let store = rewriter.vault.store
      guard let bytes = try inStore(record: place.1, { () throws(StoreError) in try store.read(place.0) }) else {
        return nil
      }
      chunk.append(File(place: place.0, id: place.1, bytes: bytes))
      chunkByteCount += bytes.count
      guard chunk.count >= chunkCount || chunkByteCount >= chunkByteLimit else { return nil }
      return takeChunk()
    }

    private mutating func takeChunk() -> [File] {
      defer { (chunk, chunkByteCount) = ([], 0) }
      return chunk
    }

    mutating func add(_ files: [File], _ group: inout Group) async throws(VaultError) {
      while underWay >= chunksAtOnce { try await takeOutcome(&group) }
      underWay += 1
      group.addTask { [rewriter] in rewriter.process(files) }
      if batch.count >= batchCount || batchByteCount >= batchByteLimit { try await write(&group) }
    }

    /// Writes the batch beside the work on the next one; one at a time.
    private mutating func write(_ group: inout Group) async throws(VaultError) {
      while isWriting { try await takeOutcome(&group) }
      guard let lock = rewriter.lock, !batch.isEmpty else { return }
      isWriting = true
      underWay += 1
      group.addTask { [vault = rewriter.vault, batch] in
        Result { () throws(VaultError) in
          try vault.apply(batch, lock)
          return Outcome(isWritten: true)
        }
      }
      (batch, batchByteCount) = ([], 0)
    }

    private mutating func takeOutcome(_ group: inout Group) async throws(VaultError) {
      guard let result = await group.next() else { return }
      underWay -= 1
      let outcome = try result.get()
      if outcome.isWritten { isWriting = false }
      entries += outcome.entries
      batch += outcome.changes
      batchByteCount += outcome.changes.reduce(0) { $0 + ($1.expected?.count ?? 0) + ($1.replacement?.count ?? 0) }
      progress(outcome.entries.count)
    }

    mutating func finish(_ group: inout Group) async throws(VaultError) {
      try await add(takeChunk(), &group)
      while underWay > 0 { try await takeOutcome(&group) }
      try await write(&group)
      while underWay > 0 { try await takeOutcome(&group) }
    }
  }
}

extension OpenRecord {
  /// A removed record lies in the trash, and no other does.
  fileprivate func require(isTrashed: Bool) throws(VaultError) {
    guard (envelope.deletedAt != nil) == isTrashed else {
      throw isTrashed ? .notRemoved(file: file, id) : .removed(file: file, id)
    }
  }
}
