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
  /// The keys that what is made has to verify under.
  let keyring: Keyring
  /// The new document of a record that verified; nil when it stays.
  let makeReplacement: @Sendable (OpenRecord) throws(SealingError) -> JSONValue?

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
    let document = try inSealing(file: old.file, record: id) { () throws(SealingError) in try makeReplacement(old) }
    guard let document else { return Outcome(before: before, after: before, replacement: nil) }
    let new = try vault.verifiedBytes(of: document, id, in: place, under: keyring)
    return Outcome(before: before, after: Checkpoint.Entry(new.record), replacement: new.bytes)
  }
}

extension RecordRewriter {
  /// Some records of one folder.
  private typealias LiveChunk = (folder: UInt8, ids: [RecordID])

  private func liveChunks() throws(VaultError) -> [LiveChunk] {
    var chunks: [LiveChunk] = []
    for folder in try inStore({ () throws(StoreError) in try vault.store.recordFolders() }) {
      let ids = try inStore { () throws(StoreError) in try vault.store.records(inFolder: folder) }
      chunks += ids.chunks.map { (folder: folder, ids: $0) }
    }
    return chunks
  }

  /// Stages all live records: what was made of them, or the same again.
  ///
  /// - Throws: ``VaultError`` of the first fault.
  func stage(
    into replacement: any StoreReplacement, _ progress: (Int) -> Void
  ) async throws(VaultError) -> Versions {
    var versions = Versions()
    try await ParallelMap(chunkSize: 1)(
      try liveChunks(), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in try self.stage(chunk, into: replacement) },
      consume: { chunk throws(VaultError) in
        versions.append(chunk)
        progress(chunk.after.count)
      })
    return versions
  }

  private func stage(_ chunk: LiveChunk, into replacement: any StoreReplacement) throws(VaultError) -> Versions {
    var piece = StagedPiece(replacement)
    var versions = Versions()
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try replacement.read(chunk.ids, inFolder: chunk.folder) { id, bytes in
        do throws(VaultError) {
          let bytes = try inStore(record: id) { () throws(StoreError) in try bytes.get() }
          let outcome = try process(bytes, id, .record(id))
          versions.before.append(outcome.before)
          versions.after.append(outcome.after)
          try piece.append(id, outcome.replacement ?? bytes, limit: Self.pieceByteLimit)
        } catch {
          failure = error
        }
        return failure == nil
      }
    }
    if let failure { throw failure }
    try piece.flush()
    return versions
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
      try places(part).chunks, cancellation: VaultError.cancelled,
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
    case .live: try liveChunks().flatMap { chunk in chunk.ids.map { (.record($0), $0) } }
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

extension Array {
  /// Pieces that one task each works on.
  fileprivate var chunks: [[Element]] {
    stride(from: 0, to: count, by: 64).map { Array(self[$0..<Swift.min($0 + 64, count)]) }
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
