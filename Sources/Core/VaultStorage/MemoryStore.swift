internal import Synchronization
public import VaultDocument
internal import VaultSystem

/// A store in the memory of this process, for tests and experiments. Nothing is durable.
public final class MemoryStore: AttachmentStore, InboxStore {
  private struct State {
    var documents: [StoreLocation: [UInt8]] = [:]
    var sharedHolders = 0
    /// Readers let waiting writers go first.
    var waitingWriters = 0
    var isHeldExclusively = false
  }

  private let state = Mutex(State())

  /// An empty store.
  public init() {}

  public func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    state.withLock { $0.documents[location] }
  }

  public func recordFolders() throws(StoreError) -> [UInt8] {
    state.withLock { state in
      Set(state.documents.keys.compactMap { $0.isLiveRecord ? $0.recordID?.folder : nil }).sorted()
    }
  }

  public func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    identifiers { location in
      guard case .record(let id) = location, id.folder == folder else { return nil }
      return id
    }
  }

  public func trashed() throws(StoreError) -> [RecordID] {
    identifiers { location in
      guard case .trash(let id) = location else { return nil }
      return id
    }
  }

  public func slots() throws(StoreError) -> [SlotID] {
    identifiers { location in
      guard case .slot(let id) = location else { return nil }
      return id
    }
  }

  public func attachments() throws(StoreError) -> [AttachmentID] {
    identifiers { location in
      guard case .attachment(let id) = location else { return nil }
      return id
    }
  }

  package func deposits() throws(StoreError) -> [DepositID] {
    identifiers { location in
      guard case .inbox(let id) = location else { return nil }
      return id
    }
  }

  package func removeDeposits(_ ids: [DepositID], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    state.withLock { state in
      for id in ids { state.documents[.inbox(id)] = nil }
    }
  }

  public func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    state.withLock { state in
      for id in ids { state.documents[.attachment(id)] = nil }
    }
  }

  private func identifiers(_ identifier: (StoreLocation) -> Identifier?) -> [Identifier] {
    state.withLock { $0.documents.keys.compactMap(identifier).sorted() }
  }
}

extension MemoryStore {
  public func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    _ = try ChangePlan(changes)
    try requireExpected(changes)
    put(changes)
  }

  public func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? {
    requireExclusive(lock)
    return MemoryReplacement(of: self, under: lock)
  }

  private func requireExclusive(_ lock: any StoreLock) {
    precondition(
      (lock as? MemoryLock)?.isExclusive(of: self) == true, "writing needs an exclusive lock of the same store")
  }

  /// Called under the exclusive lock, so that nothing changes between this and `put`.
  private func requireExpected(_ changes: [StoreChange]) throws(StoreError) {
    let stale = state.withLock { state in changes.first { state.documents[$0.location] != $0.expected } }
    guard let stale else { return }
    throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: stale.location.relativePath)
  }

  /// Replaces all live records by `new` if they are exactly those of `read`. Called under the exclusive lock.
  fileprivate func replaceRecords(
    _ read: [RecordID: [UInt8]], by new: [RecordID: [UInt8]]
  ) throws(StoreError) {
    let changed = state.withLock { state -> RecordID? in
      let old = state.documents.filter { $0.key.isLiveRecord }
      let changed = old.first { place, bytes in place.recordID.flatMap { read[$0] } != bytes }
      if let changed { return changed.key.recordID }
      if let gone = read.keys.first(where: { old[.record($0)] == nil }) { return gone }
      for place in old.keys { state.documents[place] = nil }
      for (id, bytes) in new { state.documents[.record(id)] = bytes }
      return nil
    }
    guard let changed else { return }
    throw StoreError(
      .changedUnderneath, reason: "was changed by someone else", path: "records/" + changed.folderName)
  }

  private func put(_ changes: [StoreChange]) {
    state.withLock { state in
      for change in changes { state.documents[change.location] = change.replacement }
    }
  }

  public func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let (system, start) = (LiveFileOperations(), ContinuousClock.now)
    let kind = kind.withoutViews
    var wait = LockWait(start: .zero, timeout: timeout)
    guard !tryLock(kind) else { return MemoryLock(kind, of: self) }
    noteWaiting(kind, +1)
    defer { noteWaiting(kind, -1) }
    while !tryLock(kind) {
      // Only this process can hold it.
      let step = try wait.nextStep(
        now: start.duration(to: .now), holder: { system.processIdentifier }, isOwn: { true }, isWanted: isWanted,
        onWait: onWait)
      system.sleep(step)
    }
    return MemoryLock(kind, of: self)
  }

  private func noteWaiting(_ kind: LockKind, _ step: Int) {
    if kind == .exclusive { state.withLock { $0.waitingWriters += step } }
  }

  private func tryLock(_ kind: LockKind) -> Bool {
    state.withLock { state in
      guard !state.isHeldExclusively else { return false }
      switch kind {
      case .shared, .snapshot:
        guard state.waitingWriters == 0 else { return false }
        state.sharedHolders += 1
      case .exclusive:
        guard state.sharedHolders == 0 else { return false }
        state.isHeldExclusively = true
      }
      return true
    }
  }

  fileprivate func unlock(_ kind: LockKind) {
    state.withLock { state in
      switch kind {
      case .shared, .snapshot: state.sharedHolders -= 1
      case .exclusive: state.isHeldExclusively = false
      }
    }
  }
}

private final class MemoryLock: StoreLock {
  let kind: LockKind
  private let store: MemoryStore
  private let isHeld = Mutex(true)

  init(_ kind: LockKind, of store: MemoryStore) {
    self.kind = kind
    self.store = store
  }

  deinit { release() }

  func isExclusive(of store: MemoryStore) -> Bool {
    kind == .exclusive && self.store === store && isHeld.withLock { $0 }
  }

  func release() {
    let wasHeld = isHeld.withLock { held in
      defer { held = false }
      return held
    }
    if wasHeld { store.unlock(kind) }
  }
}

private final class MemoryReplacement: StoreReplacement {
  private let store: MemoryStore
  // Held while the replacement is in progress.
  private let lock: any StoreLock
  private let contents = Mutex((read: [RecordID: [UInt8]](), staged: [RecordID: [UInt8]]()))

  init(of store: MemoryStore, under lock: any StoreLock) {
    (self.store, self.lock) = (store, lock)
  }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try store.read(ids, inFolder: folder) { id, bytes in
      if case .success(let bytes) = bytes { contents.withLock { $0.read[id] = bytes } }
      return body(id, bytes)
    }
  }

  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError) {
    for record in records { try StoreChange(.record(record.id), from: nil, to: record.bytes).requireSize() }
    contents.withLock { contents in
      for record in records { contents.staged[record.id] = record.bytes }
    }
  }

  func commit() throws(StoreError) {
    let (read, staged) = contents.withLock { $0 }
    try store.replaceRecords(read, by: staged)
  }

  func clear(folder: UInt8) {}

  func end() { contents.withLock { $0 = ([:], [:]) } }
}

extension StoreLocation {
  fileprivate var isLiveRecord: Bool {
    if case .record = self { true } else { false }
  }
}
