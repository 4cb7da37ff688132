public import VaultStorage
internal import VaultSystem

/// Several records at once (format 1, section 10, Writing). Everything is staged and durable, then the journal's rename
/// is the commit point, then every file is put in place.
///
/// ```
/// stage every file and the journal            any error: nothing happened
/// make folders, sync
/// journal: rename, sync                       committed from here on
/// rename or remove each place, sync           an error or a crash: the next to lock does it again
/// remove the journal, sync
/// ```
final class DirectoryBatch: StoreBatch {
  /// From this many changes on, one sync of the whole file system is cheaper than one of each file.
  fileprivate static let wholeSyncThreshold = 8

  private let store: DirectoryStore
  // Held while the batch is in progress.
  private let lock: any StoreLock
  /// The staging directory; nil once the batch has ended.
  private var staging: OpenFile?
  private let isWhole: Bool
  private var plan = BatchPlan()
  private var names = StagedNames()
  private var entries: [Journal.Entry] = []
  private var makesOrRemoves = false

  private var files: FileSystem { store.files }

  init(of store: DirectoryStore, expecting count: Int, under lock: any StoreLock) throws(StoreError) {
    (self.store, self.lock) = (store, lock)
    isWhole = store.syncsWhole(count: count)
    staging = try store.openMade(.staging)
    PendingWrites.begin()
  }

  deinit { abandon() }

  func stage(_ changes: [StoreChange]) throws(StoreError) {
    let writes = try plan.writes(of: changes)
    try store.requireExpected(changes)
    try stage(checked: writes)
  }

  /// Stages writes that were planned and whose places were checked.
  func stage(checked writes: [StoreChange]) throws(StoreError) {
    let staging = stagingDescriptor
    entries.reserveCapacity(entries.count + writes.count)
    makesOrRemoves = makesOrRemoves || writes.contains(where: \.makesOrRemovesFile)
    for change in writes {
      guard let bytes = change.replacement else {
        entries.append(Journal.Entry(location: change.location, action: .removed))
        continue
      }
      let name = names.next()
      try files.stage(bytes, as: name, in: staging, isSynced: !isWhole, at: change.location.relativePath)
      entries.append(Journal.Entry(location: change.location, action: .staged(name)))
    }
  }

  func commit() throws(StoreError) {
    let staging = stagingDescriptor
    let journal = Journal(entries)
    do throws(StoreError) {
      if !journal.entries.isEmpty { try commit(journal, from: staging) }
    } catch {
      abandon()
      throw error
    }
    store.written.note(entries.lazy.map(\.location), madeOrRemoved: makesOrRemoves)
    // Committed: if this fails, the next lock holder finishes it, and readers use the journal meanwhile.
    if !journal.entries.isEmpty { try? store.finish(journal) }
    end()
  }

  /// Makes everything durable and puts the journal in place. If that rename cannot be made durable, the journal is
  /// removed again.
  private func commit(_ journal: Journal, from staging: Int32) throws(StoreError) {
    let (name, place) = (names.next(), StoreDirectory.journalName)
    try files.stage(journal.bytes(), as: name, in: staging, isSynced: !isWhole, at: place)
    try makeDirectories(for: journal)
    if isWhole { try store.syncFileSystem() } else { try files.sync(staging, at: StoreDirectory.staging.path) }
    try files.call(at: place) { (system) throws(Errno) in
      try system.rename(name, in: staging, to: place, in: store.root.descriptor)
    }
    do throws(StoreError) {
      try files.sync(store.root.descriptor, at: place)
    } catch {
      // While the journal is there, its staged files must stay: the next to lock finishes the batch.
      if (try? store.removeJournal()) == nil { end() }
      throw error
    }
  }

  /// Makes the folders before the commit, so that a full disk is noticed while the batch can still be undone.
  private func makeDirectories(for journal: Journal) throws(StoreError) {
    for directory in journal.byDirectory.filter({ $0.entries.contains(where: \.isStaged) }) {
      // The whole file system is synced next, so syncing each new folder would only be slow.
      _ = try store.openMade(directory.directory, isSynced: !isWhole)
    }
  }

  func abandon() {
    guard staging != nil else { return }
    store.emptyStaging()
    end()
  }

  private func end() {
    staging = nil
    entries = []
    PendingWrites.end()
  }

  private var stagingDescriptor: Int32 {
    switch staging {
    case .some(let staging): return staging.descriptor
    case nil: preconditionFailure("a batch that has ended takes nothing more")
    }
  }
}

extension DirectoryStore {
  public func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    try directoryBatch(expecting: expectedCount, under: lock)
  }

  func directoryBatch(
    expecting expectedCount: Int, under lock: any StoreLock
  ) throws(StoreError) -> DirectoryBatch {
    requireExclusive(lock)
    // An old journal must be finished first: finished later, it would undo this write.
    try finishJournal()
    return try DirectoryBatch(of: self, expecting: expectedCount, under: lock)
  }

  fileprivate func syncsWhole(count: Int) -> Bool {
    count > DirectoryBatch.wholeSyncThreshold && files.operations.canSyncFileSystem(of: root.descriptor)
  }

  func syncFileSystem() throws(StoreError) {
    try files.call(at: path) { (system) throws(Errno) in try system.syncFileSystem(of: root.descriptor) }
  }

  func removeJournal() throws(StoreError) {
    let name = StoreDirectory.journalName
    _ = try files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.removeFile(name, in: root.descriptor)
    }
    try files.sync(root.descriptor, at: name)
  }
}

extension DirectoryStore {
  /// Puts everything that a committed journal names in place; files that are already in place stay. The caller holds
  /// the exclusive lock. After an error the call can be repeated.
  func finish(_ journal: Journal) throws(StoreError) {
    let isWhole = syncsWhole(count: journal.entries.count)
    let staging = try openMade(.staging)
    for (directory, entries) in journal.byDirectory {
      let target = try openMade(directory)
      for entry in entries { try finish(entry, from: staging.descriptor, in: target.descriptor) }
      if !isWhole { try files.sync(target.descriptor, at: directory.path) }
    }
    if isWhole { try syncFileSystem() }
    // Durable before anything else is written: a journal that reappeared would remove later writes.
    try removeJournal()
    renewStaging()
  }

  /// Carries out one entry, unless that was done before. Missing files are ignored.
  private func finish(_ entry: Journal.Entry, from staging: Int32, in target: Int32) throws(StoreError) {
    let (name, location) = (entry.location.fileName, entry.location)
    switch entry.action {
    case .removed:
      _ = try files.callIfPresent(at: location.relativePath) { (system) throws(Errno) in
        try system.removeFile(name, in: target)
      }
    case .staged(let staged):
      _ = try files.callIfPresent(at: location.relativePath) { (system) throws(Errno) in
        try system.rename(staged, in: staging, to: name, in: target)
      }
    }
  }
}

extension Journal {
  /// The entries of each directory, so that each is opened and synced once.
  var byDirectory: [(directory: StoreDirectory, entries: [Entry])] {
    Dictionary(grouping: entries, by: \.location.directory).map { (directory: $0.key, entries: $0.value) }
      .sorted { $0.directory.path < $1.directory.path }
  }
}

extension Journal.Entry {
  var isStaged: Bool { action != .removed }
}
