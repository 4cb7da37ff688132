import VaultDocument
import VaultStorage

/// A store that forwards to another one, except for its own functions, and has no replacements.
protocol ForwardingStore: RecordStore {
  var store: any RecordStore { get }
}

extension ForwardingStore {
  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? { try store.read(location) }
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) { try store.read(ids, inFolder: folder, body) }
  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? { try store.reader(of: location) }
  func recordFolders() throws(StoreError) -> [UInt8] { try store.recordFolders() }
  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] { try store.records(inFolder: folder) }
  func trashed() throws(StoreError) -> [RecordID] { try store.trashed() }
  func slots() throws(StoreError) -> [SlotID] { try store.slots() }
  func strayEntries() throws(StoreError) -> [String] { try store.strayEntries() }

  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    try store.lock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
  }

  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    try store.apply(changes, under: lock)
  }

  func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    try store.writer(of: location, under: lock)
  }

  func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    try store.batch(expecting: expectedCount, under: lock)
  }

  func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? { nil }
}
