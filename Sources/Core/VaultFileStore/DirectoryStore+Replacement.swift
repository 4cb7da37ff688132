internal import Synchronization
internal import VaultDocument
public import VaultStorage
internal import VaultSystem

/// All live records at once (format 1, section 10, Writing): a new folder is staged, made durable, and exchanged with
/// `records/`.
///
/// ```
/// make the new folder, write the records     any error, or a crash: nothing happened, the next to lock deletes it
/// sync; look whether the old are as they were read
/// exchange both folders, sync both parents   the one step that everybody sees
/// delete the old folder                      a crash, or no time left: the next to lock does it
/// ```
///
/// There is no journal: the folder in `.staging/` is always the obsolete one.
final class DirectoryReplacement: StoreReplacement {
  private struct State {
    /// The records that were read, by folder.
    var read = [FolderMark](repeating: FolderMark(), count: 256)
    /// The folders that were made.
    var isMade = [Bool](repeating: false, count: 256)
    var isEnded = false
    var staged: [RecordID] = []
    /// How many old records to delete; nil before the exchange.
    var budget: DeletionBudget?
  }

  private let store: DirectoryStore
  // Held while the replacement is in progress.
  private let lock: any StoreLock
  private let name: String
  private let staging: OpenFile
  private let folder: OpenFile
  private let isWhole: Bool
  private let state = Mutex(State())
  private let begin: Duration

  private var files: FileSystem { store.files }

  /// Takes a write for which `PendingWrites.begin` was called; `end` ends it.
  ///
  /// - Parameter name: the name of an empty folder in the staging directory.
  fileprivate init(
    of store: DirectoryStore, under lock: any StoreLock, _ name: String, in staging: consuming OpenFile
  ) throws(StoreError) {
    (self.store, self.lock, self.name) = (store, lock, name)
    begin = store.files.operations.now()
    isWhole = store.files.operations.canSyncFileSystem(of: store.root.descriptor)
    folder = try store.files.open(name, in: staging.descriptor, as: .directory, at: StoreDirectory.staging.path)
    self.staging = staging
  }

  deinit { end() }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    var mark = FolderMark()
    try store.readLocked(ids, inFolder: folder, noting: { mark.add($0, $1) }, body)
    state.withLock { $0.read[Int(folder)].add(mark) }
  }

  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError) {
    var rest = records[...]
    while let number = rest.first?.id.folder {
      let piece = rest.prefix { $0.id.folder == number }
      rest = rest.dropFirst(piece.count)
      let target = try open(number)
      for record in piece { try write(record.bytes, of: record.id, in: target.descriptor) }
    }
    state.withLock { $0.staged += records.lazy.map(\.id) }
  }

  private func open(_ number: UInt8) throws(StoreError) -> OpenFile {
    let directory = StoreDirectory.folder(number)
    if !state.withLock({ $0.isMade[Int(number)] }) {
      try store.makeStagedFolder(directory.name, in: folder.descriptor)
      state.withLock { $0.isMade[Int(number)] = true }
    }
    return try files.open(directory.name, in: folder.descriptor, as: .directory, at: directory.path)
  }

  /// Nothing is read back, because before the sync that would only check the memory.
  private func write(_ bytes: [UInt8], of id: RecordID, in directory: Int32) throws(StoreError) {
    let place = StoreLocation.record(id)
    try StoreChange(place, from: nil, to: bytes).requireSize()
    guard !PendingWrites.isStopping else { throw StoreError(.ending, at: place.relativePath) }
    let file = try files.open(place.fileName, in: directory, as: .creating, at: place.relativePath)
    try files.write(bytes, to: file.descriptor, at: place.relativePath)
    if !isWhole { try files.sync(file.descriptor, at: place.relativePath) }
  }

  func commit() throws(StoreError) {
    do throws(StoreError) {
      try makeDurable()
      try requireUnchanged()
      try exchange()
      store.written.note(state.withLock { $0.staged }.lazy.map { .record($0) }, madeOrRemoved: false)
      limitDeleting()
    } catch {
      end()
      throw error
    }
  }

  /// Limits slow deletion, for example where a disk is told of each file: it may take a tenth of the time so far, and
  /// the next lock holder continues.
  private func limitDeleting() {
    let now = files.operations.now()
    let budget = DeletionBudget(until: now + (now - begin) / 10, files.operations)
    state.withLock { $0.budget = budget }
  }

  private func makeDurable() throws(StoreError) {
    guard !isWhole else { return try store.syncFileSystem() }
    let made = state.withLock { $0.isMade }
    for number in UInt8.min...UInt8.max where made[Int(number)] {
      let target = try open(number)
      try files.sync(target.descriptor, at: StoreDirectory.folder(number).path)
    }
    try files.sync(folder.descriptor, at: StoreDirectory.records.path)
    try files.sync(staging.descriptor, at: StoreDirectory.staging.path)
  }

  /// Checks that git or a person, who write without the lock, have changed nothing that would be lost.
  private func requireUnchanged() throws(StoreError) {
    let read = state.withLock { $0.read }
    guard let folders = try store.onlyFolders() else { throw .changed(.records) }
    for number in UInt8.min...UInt8.max {
      let mark = folders.contains(number) ? try store.mark(of: .folder(number)) : FolderMark()
      guard mark == read[Int(number)] else { throw .changed(.folder(number)) }
    }
  }

  /// Puts the new folder in place, durably. If a sync fails, the old folder is put back.
  private func exchange() throws(StoreError) {
    let root = store.root.descriptor
    _ = try store.openMade(.records)
    try exchangeNames()
    do throws(StoreError) {
      try files.sync(root, at: StoreDirectory.records.path)
      try files.sync(staging.descriptor, at: StoreDirectory.staging.path)
    } catch {
      try? exchangeNames()
      throw error
    }
  }

  private func exchangeNames() throws(StoreError) {
    let records = StoreDirectory.records
    try files.call(at: records.path) { (system) throws(Errno) in
      try system.exchange(name, in: staging.descriptor, with: records.name, in: store.root.descriptor)
    }
  }

  func clear(folder number: UInt8) {
    let path = StoreDirectory.staging.path
    guard let old = try? files.open(name, in: staging.descriptor, as: .directory, at: path) else { return }
    let entry = DirectoryEntry(name: StoreDirectory.folder(number).name, isExact: true, kind: .directory)
    let budget = state.withLock { $0.budget }
    files.removeTree(entry, in: old.descriptor, depth: 2) { budget?.takesOne() ?? true }
  }

  func end() {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    guard isFirst else { return }
    // An abandoned replacement is deleted at once and completely, because it may be what fills the disk.
    store.emptyStaging(within: state.withLock { $0.budget })
    PendingWrites.end()
  }
}

extension DirectoryStore {
  public func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? {
    requireExclusive(lock)
    // An old journal must be finished first: finished later, it would change the new records.
    try finishJournal()
    guard try holdsOnlyRecords() else { return nil }
    // Before anything is made, so that the end of the process waits until it is gone again.
    PendingWrites.begin()
    do throws(StoreError) {
      if let replacement = try stagedReplacement(under: lock) { return replacement }
    } catch {
      emptyStaging()
      PendingWrites.end()
      throw error
    }
    emptyStaging()
    PendingWrites.end()
    return nil
  }

  /// The begun replacement; nil if the system cannot exchange folders. After nil or an error, the caller empties the
  /// staging directory.
  private func stagedReplacement(under lock: any StoreLock) throws(StoreError) -> DirectoryReplacement? {
    var names = StagedNames()
    let (name, other) = (names.next(), names.next())
    let staging = try openMade(.staging)
    for name in [name, other] { try makeStagedFolder(name, in: staging.descriptor) }
    let (root, records, full) = (root.descriptor, StoreDirectory.records.name, StoreDirectory.staging.name)
    guard files.operations.canMove(records, in: root, over: full),
      canExchange(name, with: other, in: staging.descriptor)
    else { return nil }
    return try DirectoryReplacement(of: self, under: lock, name, in: staging)
  }

  /// Whether the file system can exchange folders, which shows only by trying; one folder is left.
  private func canExchange(_ name: String, with other: String, in staging: Int32) -> Bool {
    let isDone: Void? = try? files.call(at: StoreDirectory.staging.path) { (system) throws(Errno) in
      try system.exchange(name, in: staging, with: other, in: staging)
      try system.removeDirectory(other, in: staging)
    }
    return isDone != nil
  }

  fileprivate func makeStagedFolder(_ name: String, in directory: Int32) throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: StoreDirectory.staging.path) { (system) throws(Errno) in
        try system.makeDirectory(name, in: directory)
      }
    } catch {
      // Another thread was faster.
      guard error.errno == Errno.exists.number else { throw error }
    }
  }

  /// The folders of records; nil if anything else lies beside them, hidden or not, because a replacement would not keep
  /// it.
  fileprivate func onlyFolders() throws(StoreError) -> Set<UInt8>? {
    var folders: Set<UInt8> = []
    for entry in try entries(of: .records) {
      guard let number = StoreDirectory.folder(named: entry)?.number, entry.kind ?? .directory == .directory else {
        return nil
      }
      folders.insert(number)
    }
    return folders
  }

  private func holdsOnlyRecords() throws(StoreError) -> Bool {
    guard let folders = try onlyFolders() else { return false }
    for folder in folders.map(StoreDirectory.folder) {
      let isGood = try entries(of: folder).allSatisfy { entry in
        folder.identifier(of: entry) != nil && entry.kind ?? .regular == .regular
      }
      guard isGood else { return false }
    }
    return true
  }

  /// The mark of a folder as it is now. An entry that is not named like a record makes this throw.
  fileprivate func mark(of directory: StoreDirectory) throws(StoreError) -> FolderMark {
    let mark = try withDirectory(directory) { (folder) throws(StoreError) in
      var mark = FolderMark()
      for entry in try files.call(at: directory.path, { (system) throws(Errno) in try system.entries(of: folder) }) {
        guard let id = directory.identifier(of: entry) else { throw .changed(directory) }
        let status = try files.call(at: directory.path) { (system) throws(Errno) in
          try system.status(of: entry.name, in: folder, followingLink: false)
        }
        mark.add(id, status)
      }
      return mark
    }
    return mark ?? FolderMark()
  }
}

/// Tells whether the files of a folder are still the same, in any order: their number, and the sum of the metadata that
/// changes with their content.
private struct FolderMark: Equatable {
  private var count = 0
  private var sum = 0

  mutating func add(_ id: RecordID, _ status: FileStatus) {
    var hasher = Hasher()
    hasher.combine(id)
    hasher.combine(status.inode)
    hasher.combine(status.byteCount)
    hasher.combine(status.modified)
    hasher.combine(status.changed)
    count += 1
    sum &+= hasher.finalize()
  }

  mutating func add(_ other: FolderMark) {
    count += other.count
    sum &+= other.sum
  }
}

extension StoreError {
  fileprivate static func changed(_ directory: StoreDirectory) -> StoreError {
    StoreError(.changedUnderneath, reason: "was changed by someone else", path: directory.path)
  }
}
