internal import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// Takes prepared records in the order of the input and stages them, so that they leave memory again.
///
/// If many records are added to a smaller vault, all records are replaced, which saves a journal and a rename for each.
/// Otherwise they go into a batch.
struct BulkAdder<Input: Sendable> {
  /// From this many records on, a replacement is worth its folders.
  private static var replacementCount: Int { 16 }

  private let refusals: RefusalPolicy
  private let vault: Vault
  private let count: Int
  /// Nil if nothing is stored, or once it was released.
  private var lock: (any StoreLock)?
  /// Takes the records if possible; otherwise a batch does.
  private(set) var replacement: (any StoreReplacement)?
  private var batch: (any StoreBatch)?
  private var piece: [StoreChange] = []
  /// The versions to remember after writing.
  private var versions = VersionList.Builder()
  private var index = 0
  private var result = BulkAddResult<Input>()

  /// With `isStoring`, the vault is locked until `end()`, which the caller must call. If there is a replacement, it
  /// then has all present records. An error here leaves nothing locked.
  init(_ vault: Vault, count: Int, refusals: RefusalPolicy, isStoring: Bool) async throws(VaultError) {
    (self.vault, self.count, self.refusals) = (vault, count, refusals)
    guard isStoring, count > 0 else { return }
    let lock = try await vault.lockForWriting()
    self.lock = lock
    guard try Self.isWorthReplacing(count, in: vault) else { return }
    replacement = try inStore { () throws(StoreError) in try vault.store.replacement(under: lock) }
    guard let replacement else {
      guard count > ChangePlan.maximumChangeCount else { return }
      end()
      throw VaultError(
        .inputRefused, "more than \(ChangePlan.maximumChangeCount) records cannot be stored at once here",
        remedies: [
          "verify the vault and remove files that do not belong among the records: then any number can be stored",
          "on a file system that cannot exchange two folders, divide the input",
        ])
    }
    do throws(VaultError) {
      try await RecordRewriter(vault: vault) { _ in nil }.copy(into: replacement)
    } catch {
      end()
      throw error
    }
  }

  private static func isWorthReplacing(_ count: Int, in vault: Vault) throws(VaultError) -> Bool {
    if count < replacementCount { return false }
    // More records than a batch allows also need a replacement, however much must be copied for it.
    if count > ChangePlan.maximumChangeCount { return true }
    return try count >= vault.locked.recordCount()
  }

  /// Stages the next record, or applies the policy to a refusal: the error is thrown, or the input is kept. With
  /// `.storeNothing` everything staged is dropped at once.
  mutating func take(_ prepared: Preparation<Input>) throws(VaultError) {
    defer { index += 1 }
    switch prepared.record {
    case .success(let record):
      result.ids.append(record.id)
      if let version = record.version { versions.append(version.version) }
      guard lock != nil, let bytes = record.bytes else { return }
      piece.append(StoreChange(.record(record.id), from: nil, to: bytes))
      if piece.count == Chunks<[Int]>.size { try stage() }
    case .failure(let error): try refuse(prepared.refused, error)
    }
  }

  private mutating func refuse(_ input: Input?, _ error: VaultError) throws(VaultError) {
    guard let input, error.code == .inputRefused, refusals != .throwFirst else { throw error }
    result.refusals.append((index: index, input: input, error: error))
    if refusals == .storeNothing { end() }
  }

  private mutating func stage() throws(VaultError) {
    guard let lock, !piece.isEmpty else { return }
    let batch = try batch(under: lock)
    let changes = piece
    piece.removeAll()
    try inStore { () throws(StoreError) in try batch.stage(changes) }
  }

  private mutating func batch(under lock: any StoreLock) throws(VaultError) -> any StoreBatch {
    if let batch { return batch }
    let (store, count) = (vault.store, count)
    let new = try inStore { () throws(StoreError) in try store.batch(expecting: count, under: lock) }
    batch = new
    return new
  }

  /// Stores the staged records.
  mutating func finish() throws(VaultError) -> BulkAddResult<Input> {
    if lock != nil, index > 0 { try commit() }
    if refusals == .storeNothing, !result.refusals.isEmpty { result.ids = [] }
    return result
  }

  /// `finish()` calls this once. A replacement already has the records, because the workers staged them. After an
  /// error, nothing is reported or noted, except with `.mayBeLost`: then the records are stored.
  private mutating func commit() throws(VaultError) {
    if replacement == nil, batch != nil { try stage() }
    let (vault, replacement, batch, lock, changes) = (vault, replacement, batch, lock, piece)
    let (ids, written) = (result.ids, versions.finish())
    try storing(
      { () throws(StoreError) in
        if let replacement {
          try replacement.commit()
        } else if let batch {
          try batch.commit()
        } else if let lock {
          // Few enough for one piece: a single record needs no journal.
          try vault.store.apply(changes, under: lock)
        }
      },
      note: { () throws(VaultError) in
        replacement?.end()
        vault.options.tell(.added, of: vault.header.vaultID, records: ids)
        vault.memory?.noteWritten(written)
        vault.memory?.flush()
      })
  }

  /// Drops records that were not stored, and releases the lock.
  mutating func end() {
    replacement?.end()
    batch?.abandon()
    lock?.release()
    (replacement, batch, lock, piece) = (nil, nil, nil, [])
  }
}

/// A new record that was checked and sealed but is not stored yet.
struct PreparedRecord: Sendable {
  let id: RecordID
  /// Nil once it is staged.
  let bytes: [UInt8]?
  /// The version to remember; nil if nothing is remembered.
  var version: SeenVersion?
}

/// The outcome for an input: the record, or the error and the input, which is kept for the answer.
typealias Preparation<Input> = (record: Result<PreparedRecord, VaultError>, refused: Input?)
