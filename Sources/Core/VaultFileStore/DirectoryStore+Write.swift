internal import VaultDocument
public import VaultStorage
package import VaultSystem

extension DirectoryStore {
  public func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    switch try ChangePlan(changes) {
    case .nothing: try writing(changes) {}
    case .single(let change): try writing(changes) { () throws(StoreError) in try replace(change) }
    case .header(let newSlots, let header, let removedSlots):
      try writing(changes) { () throws(StoreError) in
        try replaceHeader(header, after: newSlots, before: removedSlots)
      }
    case .batch(let writes): try applyBatch(writes, of: changes, under: lock)
    }
  }

  /// Runs `body` as one write, after an old journal was finished and every place compared. The written places are
  /// noted unless it throws.
  private func writing(_ changes: [StoreChange], _ body: () throws(StoreError) -> Void) throws(StoreError) {
    try PendingWrites.during { () throws(StoreError) in
      // An old journal must be finished first: finished later, it would undo this write.
      try finishJournal()
      try requireExpected(changes)
      try body()
    }
    let writes = changes.filter { !$0.isGuard }
    written.note(writes.lazy.map(\.location), madeOrRemoved: writes.contains(where: \.makesOrRemovesFile))
  }

  private func applyBatch(
    _ writes: [StoreChange], of changes: [StoreChange], under lock: any StoreLock
  ) throws(StoreError) {
    let batch = try directoryBatch(expecting: writes.count, under: lock)
    defer { batch.abandon() }
    try requireExpected(changes)
    try batch.stage(checked: writes)
    try batch.commit()
  }

  func requireExclusive(_ lock: any StoreLock) {
    // Writing without the lock could lose another writer's change, so it is a mistake of our own code.
    precondition(
      (lock as? DirectoryLock)?.isExclusive(of: self) == true, "writing needs an exclusive lock of the same store")
  }

  /// Refuses the changes if one of their places does not hold the expected bytes. The caller holds the lock.
  func requireExpected(_ changes: [StoreChange]) throws(StoreError) {
    for (directory, changes) in Dictionary(grouping: changes, by: \.location.directory) {
      let isRead: Void? = try withDirectory(directory) { (directory) throws(StoreError) in
        for change in changes { try require(change, found: readFile(change.location, in: directory)) }
      }
      guard isRead == nil else { continue }
      for change in changes { try require(change, found: nil) }
    }
  }

  private func require(_ change: StoreChange, found: [UInt8]?) throws(StoreError) {
    guard found != change.expected else { return }
    throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: change.location.relativePath)
  }

  /// Replaces or removes one document. The file with its earlier name goes, too.
  private func replace(_ change: StoreChange) throws(StoreError) {
    let location = change.location
    if case .inbox = location, try entries(of: .inbox).isEmpty { try noteInboxForGit() }
    if change.replacement == nil, let name = location.earlierFileName, try !isThere(location) {
      return try replace(name, in: location.directory, path: name, from: change.expected, to: nil)
    }
    try replace(
      location.fileName, in: location.directory, path: location.relativePath, from: change.expected,
      to: change.replacement)
    removeEarlierFile(of: location)
  }

  /// Failing is harmless, because a remaining file is not read any more.
  func removeEarlierFile(of location: StoreLocation) {
    guard let name = location.earlierFileName else { return }
    files.removeQuietly(name, in: root.descriptor)
  }
}

extension DirectoryStore {
  /// Replaces one file durably: stage, sync, read back, rename, sync. If it throws, the old file is in place again,
  /// unless putting it back failed or the file system has no hard links.
  /// The caller has compared `old`, which only tells here whether there is a file.
  func replace(
    _ name: String, in directory: StoreDirectory, path: String, from old: [UInt8]?, to new: [UInt8]?
  ) throws(StoreError) {
    try withMadeDirectory(.staging) { (staging) throws(StoreError) in
      let swap = AtomicReplacement(name: name, path: path, hadFile: old != nil, staging: staging, files: files)
      guard let new else {
        _ = try withDirectory(directory) { (directory) throws(StoreError) in try swap.remove(from: directory) }
        return
      }
      let file = try files.staged(new, in: staging, at: path)
      try withMadeDirectory(directory) { (directory) throws(StoreError) in try swap.put(file, in: directory) }
    }
  }

  /// New slots first, then the header as the one commit point, then the removal of unreferenced slots (format 1,
  /// section 10, Writing). The caller holds the lock and has compared every place.
  private func replaceHeader(
    _ header: StoreChange, after newSlots: [StoreChange], before removedSlots: [StoreChange]
  ) throws(StoreError) {
    do throws(StoreError) {
      for slot in newSlots { try replace(slot) }
      try replace(header)
    } catch {
      // The new header can still be in place, and then it needs its slots. A slot that no header names is harmless.
      if let isOld = try? read(.header) == header.expected, isOld {
        for slot in newSlots { removeQuietly(slot.location) }
      }
      throw error
    }
    // Committed: a slot file that stays is only unreferenced, so failures are ignored.
    for slot in removedSlots { removeQuietly(slot.location) }
    _ = try? withDirectory(.slots) { (slots) throws(StoreError) in
      try files.sync(slots, at: StoreDirectory.slots.path)
    }
  }

  private func removeQuietly(_ location: StoreLocation) {
    _ = try? withDirectory(location.directory) { (directory) throws(StoreError) in
      try files.call(at: location.relativePath) { (system) throws(Errno) in
        try system.removeFile(location.fileName, in: directory)
      }
    }
  }
}

/// The replacement of one file, and its undoing.
struct AtomicReplacement {
  let name: String
  let path: String
  let hadFile: Bool
  let staging: Int32
  let files: FileSystem
  private let oldName = Identifier.random().text

  init(name: String, path: String, hadFile: Bool, staging: Int32, files: FileSystem) {
    (self.name, self.path, self.hadFile, self.staging, self.files) = (name, path, hadFile, staging, files)
  }

  func put(_ file: AtomicFile<StoreError>, in directory: Int32) throws(StoreError) {
    try change(directory) { () throws(StoreError) in try file.rename(to: name, in: directory) }
  }

  func remove(from directory: Int32) throws(StoreError) {
    try change(directory) { () throws(StoreError) in
      try files.call(at: path) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
    }
  }

  /// Makes a change durable, or undoes it.
  ///
  /// The old file first gets a second name, so that it can be put back if the last sync fails; this needs neither space
  /// nor a copy. On file systems without hard links there is no way back: after a failed sync the new state stays, with
  /// an error.
  private func change(_ directory: Int32, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    let isKept: Void? =
      hadFile
      ? try? files.call(at: path) { (system) throws(Errno) in
        try system.link(name, in: directory, to: oldName, in: staging)
      } : nil
    do throws(StoreError) {
      try body()
    } catch {
      if isKept != nil { files.removeQuietly(oldName, in: staging) }
      throw error
    }
    do throws(StoreError) {
      try files.sync(directory, at: path)
    } catch {
      if isKept != nil {
        try? files.call(at: path) { (system) throws(Errno) in
          try system.rename(oldName, in: staging, to: name, in: directory)
        }
      } else if !hadFile {
        files.removeQuietly(name, in: directory)
      }
      throw error
    }
    if isKept != nil { files.removeQuietly(oldName, in: staging) }
  }
}

/// Names of staged files, never used twice: a reader that looks for one after its batch must not find another file.
struct StagedNames {
  private var bytes = Identifier.random().bytes
  private var count: UInt32 = 0

  mutating func next() -> String {
    count += 1
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index)) }
    return Identifier(bytes: bytes).text
  }
}

extension FileSystem {
  /// Writes a new file durably and reads it back. It is removed with its last reference, unless it is put in place.
  func staged(_ bytes: [UInt8], in staging: Int32, at path: String) throws(StoreError) -> AtomicFile<StoreError> {
    try written(bytes, as: Identifier.random().text, in: staging, isSynced: true, at: path)
  }

  /// Writes a new file and reads it back; on any error it is removed.
  package func stage(
    _ bytes: [UInt8], as name: String, in staging: Int32, isSynced: Bool, at path: String
  ) throws(StoreError) {
    try written(bytes, as: name, in: staging, isSynced: isSynced, at: path).keep()
  }

  private func written(
    _ bytes: [UInt8], as name: String, in directory: Int32, isSynced: Bool, at path: String
  ) throws(StoreError) -> AtomicFile<StoreError> {
    let file = try AtomicFile<StoreError>(name, in: directory, self, at: path)
    try file.append(bytes)
    if isSynced { try file.sync() }
    try file.requireContent(bytes)
    return file
  }
}

extension AtomicFile<StoreError> {
  private static var pieceByteCount: Int { 256 << 10 }

  /// After `sync`, reads a file back that was written piece by piece, and compares it.
  package func requireContent(_ written: ContentMark) throws(StoreError) {
    var found = ContentMark.Builder()
    var (piece, offset) = ([UInt8](repeating: 0, count: Self.pieceByteCount), 0)
    while true {
      let count = try read(from: offset, into: &piece)
      if count == 0 { break }
      found.append(Array(piece[..<count]))
      offset += count
    }
    guard found.finish() == written else { throw StoreError(.unverified, at: path) }
  }
}
