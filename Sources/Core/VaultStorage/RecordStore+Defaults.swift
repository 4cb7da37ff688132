public import VaultDocument

// Defaults that a store need not implement.

extension RecordStore {
  /// Implements `recordFolders()` with all 256, for stores in which an empty folder costs nothing.
  public func recordFolders() throws(StoreError) -> [UInt8] { Array(UInt8.min ... .max) }

  /// Implements `read(_:inFolder:_:)` by reading each record separately.
  public func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    for id in ids {
      let bytes = Result { () throws(StoreError) in try read(.record(id)) }
      let isWanted =
        switch bytes {
        case .success(let bytes?): body(id, .success(bytes))
        case .success(nil): true
        case .failure(let error): body(id, .failure(error))
        }
      guard isWanted else { return }
    }
  }

  /// Implements `readLocked(_:inFolder:_:)` for stores that have nothing to check.
  public func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try read(ids, inFolder: folder, body)
  }

  /// Implements `strayEntries()` for stores that can hold only documents.
  public func strayEntries() throws(StoreError) -> [String] { [] }

  /// A batch that collects its changes in memory and applies them at once.
  public func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    precondition(lock.kind == .exclusive, "writing needs an exclusive lock")
    return GatheredBatch(self, lock)
  }

  /// Nil, for stores that cannot exchange all records at once.
  public func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? { nil }
}

/// Collects changes and applies them as one set.
private final class GatheredBatch: StoreBatch {
  private let store: any RecordStore
  // Held while the batch is in progress.
  private let lock: any StoreLock
  private var plan = BatchPlan()
  private var changes: [StoreChange] = []

  init(_ store: any RecordStore, _ lock: any StoreLock) { (self.store, self.lock) = (store, lock) }

  func stage(_ changes: [StoreChange]) throws(StoreError) {
    _ = try plan.writes(of: changes)
    for change in changes where try store.read(change.location) != change.expected {
      throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: change.location.relativePath)
    }
    self.changes += changes
  }

  func commit() throws(StoreError) {
    defer { abandon() }
    try store.apply(changes, under: lock)
  }

  func abandon() { changes = [] }
}

// Functions that every store has.

extension RecordStore {
  /// Reads every live record of one folder, ascending by id; see `read(_:inFolder:_:)`.
  ///
  /// - Throws: like `records(inFolder:)`.
  public func readRecords(
    inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try read(records(inFolder: folder), inFolder: folder, body)
  }

  /// Every place that holds a document.
  ///
  /// - Throws: like `read`.
  public func places() throws(StoreError) -> [StoreLocation] {
    var places: [StoreLocation] = try read(.header) == nil ? [] : [.header]
    if try reader(of: .checkpoint) != nil { places.append(.checkpoint) }
    for folder in try recordFolders() { places += try records(inFolder: folder).map { .record($0) } }
    places += try trashed().map { .trash($0) } + slots().map { .slot($0) }
    return try places + heldAttachments().map { .attachment($0) } + heldDeposits().map { .inbox($0) }
  }
}

extension RecordStore {
  /// Like `lock(_:timeout:isWanted:onWait:)`, for callers that wait until the timeout.
  public func lock(
    _ kind: LockKind, timeout: Duration, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    try lock(kind, timeout: timeout, isWanted: { true }, onWait: onWait)
  }

  /// Runs `body` under a lock and releases it afterwards.
  ///
  /// - Throws: like `lock`, and the errors of `body`.
  public func withLock<Result>(
    _ kind: LockKind, timeout: Duration = .seconds(10), onWait: (Int32?) -> Void = { _ in },
    _ body: (any StoreLock) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let lock = try lock(kind, timeout: timeout, onWait: onWait)
    defer { lock.release() }
    return try body(lock)
  }

  /// Makes all changes or none under a separate exclusive lock.
  ///
  /// - Throws: like `lock` and `apply(_:under:)`.
  public func apply(_ changes: [StoreChange], timeout: Duration = .seconds(10)) throws(StoreError) {
    try withLock(.exclusive, timeout: timeout) { lock throws(StoreError) in try apply(changes, under: lock) }
  }
}
