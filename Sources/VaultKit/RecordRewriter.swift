internal import VaultDocument
internal import VaultSealing
internal import VaultStorage

/// Goes through records on all cores: reads, verifies, and makes what is to stand in their place.
///
/// What is in memory at once is bounded by the chunks under way and one batch, but for the versions.
struct RecordRewriter {
  /// So much new content is handed to the store at a time.
  private static let pieceByteLimit = 1 << 20
  /// Changes in one batch of the journal.
  private static let batchCount = 10_000
  private static let batchByteLimit = 64 << 20

  let vault: Vault
  /// What a record that verified becomes; nil when it stays.
  let makeReplacement: @Sendable (OpenRecord) throws(SealingError) -> SealedRecord?

  /// The versions of records, in the order of their places.
  struct Versions: Sendable {
    var before: [Checkpoint.Entry] = []
    var after: [Checkpoint.Entry] = []

    fileprivate mutating func append(_ other: Versions) {
      before += other.before
      after += other.after
    }
  }

  /// A record that was looked at.
  private struct Outcome {
    let before: Checkpoint.Entry
    let after: Checkpoint.Entry
    /// The new bytes; nil when it stays as it is.
    let replacement: [UInt8]?
  }

  /// Verifies a record and makes its replacement.
  private func process(_ bytes: [UInt8], _ id: RecordID, _ place: StoreLocation) throws(VaultError) -> Outcome {
    let old = try vault.verify(bytes, id, in: place)
    try old.require(isTrashed: place == .trash(id))
    try vault.memory?.check(old)
    let before = Checkpoint.Entry(old)
    let new = try inSealing(file: old.file, record: id) { () throws(SealingError) in try makeReplacement(old) }
    guard let new else { return Outcome(before: before, after: before, replacement: nil) }
    return Outcome(
      before: before, after: Checkpoint.Entry(new), replacement: try vault.verifiedBytes(of: new, in: place))
  }
}

extension RecordRewriter {
  /// Stages all live records: what was made of them, or the same again.
  ///
  /// - Throws: ``VaultError`` of the first fault.
  func stage(
    into replacement: any StoreReplacement, _ progress: (Int) -> Void
  ) async throws(VaultError) -> Versions {
    var versions = Versions()
    try await ParallelMap(chunkSize: 1)(
      try vault.locked.chunks(), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in try self.staged(chunk, into: replacement) },
      consume: { chunk throws(VaultError) in
        versions.append(chunk)
        progress(chunk.after.count)
      })
    return versions
  }

  /// Stages all live records as they are, unseen.
  ///
  /// - Throws: ``VaultError`` of the first that cannot be read.
  func copy(into replacement: any StoreReplacement) async throws(VaultError) {
    try await ParallelMap(chunkSize: 1)(
      try vault.locked.chunks(), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in
        try self.stage(chunk, into: replacement) { _, bytes throws(VaultError) in bytes }
      },
      consume: { _ throws(VaultError) in })
  }

  private func staged(_ chunk: RecordChunk, into replacement: any StoreReplacement) throws(VaultError) -> Versions {
    var versions = Versions()
    try stage(chunk, into: replacement) { id, bytes throws(VaultError) in
      let outcome = try process(bytes, id, .record(id))
      versions.before.append(outcome.before)
      versions.after.append(outcome.after)
      return outcome.replacement ?? bytes
    }
    return versions
  }

  /// Stages what is made of some records.
  private func stage(
    _ chunk: RecordChunk, into replacement: any StoreReplacement,
    _ make: (RecordID, [UInt8]) throws(VaultError) -> [UInt8]
  ) throws(VaultError) {
    var piece = StagedPiece(replacement)
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try replacement.read(chunk.ids, inFolder: chunk.folder) { id, bytes in
        do throws(VaultError) {
          let bytes = try inStore(record: id) { () throws(StoreError) in try bytes.get() }
          try piece.append(id, make(id, bytes), limit: Self.pieceByteLimit)
        } catch {
          failure = error
        }
        return failure == nil
      }
    }
    if let failure { throw failure }
    try piece.flush()
  }
}

/// Records on their way to a store, some at a time.
private struct StagedPiece {
  private let replacement: any StoreReplacement
  private var records: [(id: RecordID, bytes: [UInt8])] = []
  private var byteCount = 0

  init(_ replacement: any StoreReplacement) { self.replacement = replacement }

  mutating func append(_ id: RecordID, _ bytes: [UInt8], limit: Int) throws(VaultError) {
    records.append((id, bytes))
    byteCount += bytes.count
    if byteCount >= limit { try flush() }
  }

  mutating func flush() throws(VaultError) {
    let records = records
    (self.records, byteCount) = ([], 0)
    try inStore { () throws(StoreError) in try replacement.stage(records) }
  }
}

extension RecordRewriter {
  /// Where records lie.
  enum Part {
    case live, trash
  }

  /// Verifies records and writes what is made of them, in batches; without a lock nothing is written.
  ///
  /// - Throws: ``VaultError`` of the first fault; batches that were written stay.
  func rewrite(
    _ part: Part, _ lock: (any StoreLock)?, _ progress: (Int) -> Void
  ) async throws(VaultError) -> Versions {
    var versions = Versions()
    var batch: [StoreChange] = []
    var byteCount = 0
    func write() throws(VaultError) {
      if let lock, !batch.isEmpty { try vault.apply(batch, lock) }
      (batch, byteCount) = ([], 0)
    }
    try await ParallelMap(chunkSize: 1)(
      Chunks(try places(part)), cancellation: VaultError.cancelled,
      { places throws(VaultError) in try self.changes(at: places) },
      consume: { chunk throws(VaultError) in
        versions.append(chunk.versions)
        batch += chunk.changes
        byteCount += chunk.changes.reduce(0) { $0 + ($1.expected?.count ?? 0) + ($1.replacement?.count ?? 0) }
        if batch.count >= Self.batchCount || byteCount >= Self.batchByteLimit { try write() }
        progress(chunk.versions.after.count)
      })
    try write()
    return versions
  }

  private func places(_ part: Part) throws(VaultError) -> [(StoreLocation, RecordID)] {
    switch part {
    case .live: try vault.locked.chunks().flatMap { chunk in chunk.ids.map { (.record($0), $0) } }
    case .trash:
      try inStore { () throws(StoreError) in try vault.store.trashed() }.map { (.trash($0), $0) }
    }
  }

  private func changes(
    at places: [(StoreLocation, RecordID)]
  ) throws(VaultError) -> (versions: Versions, changes: [StoreChange]) {
    var versions = Versions()
    var changes: [StoreChange] = []
    for (place, id) in places {
      guard let bytes = try inStore(record: id, { () throws(StoreError) in try vault.store.read(place) }) else {
        continue
      }
      let outcome = try process(bytes, id, place)
      versions.before.append(outcome.before)
      versions.after.append(outcome.after)
      if let new = outcome.replacement { changes.append(StoreChange(place, from: bytes, to: new)) }
    }
    return (versions, changes)
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
