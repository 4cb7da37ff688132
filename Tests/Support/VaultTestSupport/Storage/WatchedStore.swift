internal import Synchronization
package import VaultDocument
package import VaultStorage

/// A store that tells of each operation before it is done, and may be one that has no replacements, or that fails.
package final class WatchedStore: RecordStore {
  private let store: any RecordStore
  private let hasReplacements: Bool
  private let fault: @Sendable () -> StoreError?
  private let watch: @Sendable () -> Void

  /// - Parameter fault: the error of reading a document now, if there is one.
  package init(
    _ store: any RecordStore, hasReplacements: Bool = true, fault: @escaping @Sendable () -> StoreError? = { nil },
    watch: @escaping @Sendable () -> Void
  ) {
    (self.store, self.hasReplacements, self.fault, self.watch) = (store, hasReplacements, fault, watch)
  }

  package func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    watch()
    if let error = fault() { throw error }
    return try store.read(location)
  }

  package func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    watch()
    return try store.reader(of: location)
  }

  package func recordFolders() throws(StoreError) -> [UInt8] {
    watch()
    return try store.recordFolders()
  }

  package func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    try store.records(inFolder: folder)
  }

  package func trashed() throws(StoreError) -> [RecordID] {
    watch()
    return try store.trashed()
  }

  package func slots() throws(StoreError) -> [SlotID] {
    watch()
    return try store.slots()
  }

  package func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try store.read(ids, inFolder: folder) { id, bytes in
      watch()
      return body(id, bytes)
    }
  }

  package func strayEntries() throws(StoreError) -> [String] {
    watch()
    return try store.strayEntries()
  }

  package func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    watch()
    return try store.lock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
  }

  package func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    watch()
    try store.apply(changes, under: lock)
  }

  package func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    watch()
    return try store.writer(of: location, under: lock)
  }

  package func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    watch()
    return try store.batch(expecting: expectedCount, under: lock)
  }

  package func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? {
    guard hasReplacements, let replacement = try store.replacement(under: lock) else { return nil }
    return WatchedReplacement(replacement, watch)
  }
}

private final class WatchedReplacement: StoreReplacement {
  private let replacement: any StoreReplacement
  private let watch: @Sendable () -> Void

  init(_ replacement: any StoreReplacement, _ watch: @escaping @Sendable () -> Void) {
    (self.replacement, self.watch) = (replacement, watch)
  }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try replacement.read(ids, inFolder: folder) { id, bytes in
      watch()
      return body(id, bytes)
    }
  }

  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError) {
    watch()
    try replacement.stage(records)
  }

  func commit() throws(StoreError) {
    watch()
    try replacement.commit()
    watch()
  }

  func clear(folder: UInt8) { replacement.clear(folder: folder) }
  func end() { replacement.end() }
}
