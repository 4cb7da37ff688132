internal import VaultDocument
package import VaultSealing
package import VaultStorage
internal import VaultTrust

/// Processes records on all cores: reads and verifies them, and makes their replacements.
///
/// Memory is bounded by the chunks in progress and one batch, except for the versions.
package struct RecordRewriter {
  /// The size of new content that is handed to the store at a time.
  private static let pieceByteLimit = 1 << 20
  private static let batchCount = 10_000
  private static let batchByteLimit = 64 << 20

  package let vault: Vault
  /// The replacement of a verified record; nil if it stays.
  let makeReplacement: @Sendable (OpenRecord) throws(VaultError) -> SealedRecord?

  package init(vault: Vault, makeReplacement: @escaping @Sendable (OpenRecord) throws(VaultError) -> SealedRecord?) {
    (self.vault, self.makeReplacement) = (vault, makeReplacement)
  }

  /// The versions of all processed records, before and after.
  package struct Versions: Sendable {
    package let before: VersionList
    package let after: VersionList
  }

  /// The versions of some records, in the order of their ids.
  private struct Piece: Sendable {
    var before: [RecordVersion] = []
    var after: [RecordVersion] = []
    var changes: [StoreChange] = []
  }

  /// Collects versions piece by piece.
  private struct Gathering {
    private var (before, after) = (VersionList.Builder(), VersionList.Builder())

    mutating func take(_ piece: Piece) {
      for entry in piece.before { before.append(entry) }
      for entry in piece.after { after.append(entry) }
    }

    consuming func finish() -> Versions { Versions(before: before.finish(), after: after.finish()) }
  }

  private struct Outcome {
    let before: RecordVersion
    let after: RecordVersion
    /// The new bytes; nil if the record stays unchanged.
    let replacement: [UInt8]?
  }

  /// Verifies a record, compares it with this machine's memory, and makes its replacement. Nothing is written. This
  /// runs on any thread.
  private func process(_ bytes: [UInt8], id: RecordID, place: StoreLocation) throws(VaultError) -> Outcome {
    let old = try vault.verify(bytes, id, in: place)
    try old.require(isTrashed: place == .trash(id))
    try vault.compareWithSeen(old)
    let before = RecordVersion(old)
    let new = try makeReplacement(old)
    guard let new else { return Outcome(before: before, after: before, replacement: nil) }
    return Outcome(
      before: before, after: RecordVersion(new), replacement: try vault.verifiedBytes(of: new, in: place))
  }
}

extension RecordRewriter {
  /// Stages all live records: their replacements, or unchanged copies. The caller commits the replacement and notes
  /// the versions, or ends the replacement after an error. `progress` gets the number of records since its last call.
  package func stage(
    into replacement: any StoreReplacement, _ progress: (Int) -> Void
  ) async throws(VaultError) -> Versions {
    var versions = Gathering()
    try await ParallelMap(chunkSize: 1)(
      try vault.locked.chunks(), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in try self.staged(chunk.get(), into: replacement) },
      consume: { piece throws(VaultError) in
        versions.take(piece)
        progress(piece.after.count)
      })
    return versions.finish()
  }

  /// Stages all live records unchanged. Their bytes are neither parsed nor verified.
  func copy(into replacement: any StoreReplacement) async throws(VaultError) {
    try await ParallelMap(chunkSize: 1)(
      try vault.locked.chunks(), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in
        try self.stage(chunk.get(), into: replacement) { _, bytes throws(VaultError) in bytes }
      },
      consume: { _ throws(VaultError) in })
  }

  /// Stages one chunk, on the thread of a worker.
  private func staged(_ chunk: RecordChunk, into replacement: any StoreReplacement) throws(VaultError) -> Piece {
    var piece = Piece()
    try stage(chunk, into: replacement) { id, bytes throws(VaultError) in
      let outcome = try process(bytes, id: id, place: .record(id))
      piece.before.append(outcome.before)
      piece.after.append(outcome.after)
      return outcome.replacement ?? bytes
    }
    return piece
  }

  /// Stages what `make` returns for each record of a chunk. The first error of `make` ends the call and is thrown.
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

/// Records on the way to a replacement, which gets them when they have enough bytes together.
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
  package enum Part {
    case live, trash
  }

  /// Verifies records and writes their replacements in batches under the caller's lock; without a lock nothing is
  /// written. After an error, earlier batches stay written. `progress` gets the number of records since its last call.
  package func rewrite(
    _ part: Part, lock: (any StoreLock)?, progress: (Int) -> Void
  ) async throws(VaultError) -> Versions {
    var versions = Gathering()
    var batch: [StoreChange] = []
    var byteCount = 0
    func write() throws(VaultError) {
      if let lock, !batch.isEmpty { try vault.apply(batch, lock, isTold: false) }
      (batch, byteCount) = ([], 0)
    }
    try await ParallelMap(chunkSize: 1)(
      try chunks(part), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in try self.piece(chunk.get().ids, part) },
      consume: { piece throws(VaultError) in
        versions.take(piece)
        batch += piece.changes
        byteCount += piece.changes.reduce(0) { $0 + ($1.expected?.count ?? 0) + ($1.replacement?.count ?? 0) }
        if batch.count >= Self.batchCount || byteCount >= Self.batchByteLimit { try write() }
        progress(piece.after.count)
      })
    try write()
    return versions.finish()
  }

  private func chunks(_ part: Part) throws(VaultError) -> any Sequence<Result<RecordChunk, VaultError>> {
    switch part {
    case .live: return try vault.locked.chunks()
    case .trash:
      let ids = try inStore { () throws(StoreError) in try vault.store.trashed() }
      return Chunks(ids).lazy.map { .success(RecordChunk(folder: $0[0].folder, ids: $0)) }
    }
  }

  /// The versions and changes of some records; missing ones are left out. The new versions are prepared for the
  /// memory, and nothing is written yet.
  private func piece(_ ids: [RecordID], _ part: Part) throws(VaultError) -> Piece {
    var piece = Piece()
    for id in ids {
      let place = part == .live ? StoreLocation.record(id) : .trash(id)
      guard let bytes = try inStore(record: id, { () throws(StoreError) in try vault.store.read(place) }) else {
        continue
      }
      let outcome = try process(bytes, id: id, place: place)
      piece.before.append(outcome.before)
      piece.after.append(outcome.after)
      guard let new = outcome.replacement else { continue }
      vault.memory?.prepare(SeenVersion(outcome.after, isTrashed: part == .trash), for: place)
      piece.changes.append(StoreChange(place, from: bytes, to: new))
    }
    return piece
  }
}

extension OpenRecord {
  /// Checks that a record lies in the trash exactly if it was removed.
  fileprivate func require(isTrashed: Bool) throws(VaultError) {
    guard (envelope.deletedAt != nil) == isTrashed else {
      throw isTrashed ? .notRemoved(file: file, id) : .removed(file: file, id)
    }
  }
}
