internal import VaultDocument
public import VaultStorage

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

  private func writing(_ changes: [StoreChange], _ body: () throws(StoreError) -> Void) throws(StoreError) {
    try PendingWrites.during { () throws(StoreError) in
      // A journal that could not be finished before would, finished later, undo what is written now.
      try finishJournal()
      try requireExpected(changes)
      try body()
    }
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
    // Writing without the lock could lose somebody's change: a mistake of our own code.
    precondition(
      (lock as? DirectoryLock)?.isExclusive(of: self) == true, "writing needs an exclusive lock of the same store")
  }

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
    throw StoreError(.changedUnderneath, reason: "it was changed by someone else", path: change.location.relativePath)
  }

  private func replace(_ change: StoreChange) throws(StoreError) {
    let location = change.location
    try replace(
      location.fileName, in: location.directory, path: location.relativePath, from: change.expected,
      to: change.replacement)
  }
}

extension DirectoryStore {
  /// Replaces one file durably: stage, sync, read back, rename, sync. When it throws, the old file is in place again.
  func replace(
    _ name: String, in directory: StoreDirectory, path: String, from old: [UInt8]?, to new: [UInt8]?
  ) throws(StoreError) {
    try withMadeDirectory(.staging) { (staging) throws(StoreError) in
      let swap = Swap(name: name, path: path, hadFile: old != nil, staging: staging, files: files)
      guard let new else {
        _ = try withDirectory(directory) { (directory) throws(StoreError) in try swap.remove(from: directory) }
        return
      }
      try swap.stage(new)
      do throws(StoreError) {
        try withMadeDirectory(directory) { (directory) throws(StoreError) in try swap.putInPlace(in: directory) }
      } catch {
        swap.discard()
        throw error
      }
    }
  }

  /// New slots first, then the header as the one commit point, then the slots that nothing refers to any more (format
  /// 1, section 10, Writing).
  private func replaceHeader(
    _ header: StoreChange, after newSlots: [StoreChange], before removedSlots: [StoreChange]
  ) throws(StoreError) {
    do throws(StoreError) {
      for slot in newSlots { try replace(slot) }
      try replace(header)
    } catch {
      for slot in newSlots { removeQuietly(slot.location) }
      throw error
    }
    // Committed: a slot file that stays behind is unreferenced, which is no fault.
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

/// The replacement of one file, with the way back.
struct Swap {
  let name: String
  let path: String
  var hadFile: Bool
  let staging: Int32
  let files: FileSystem
  let newName: String
  private let oldName: String

  init(name: String, path: String, hadFile: Bool, staging: Int32, files: FileSystem) {
    (self.name, self.path, self.hadFile, self.staging, self.files) = (name, path, hadFile, staging, files)
    var names = StagedNames()
    newName = names.next()
    oldName = names.next()
  }

  func stage(_ bytes: [UInt8]) throws(StoreError) {
    try files.stage(bytes, as: newName, in: staging, isSynced: true, at: path)
  }

  func putInPlace(in directory: Int32) throws(StoreError) {
    let isKept = hadFile && keepOld(of: directory)
    try rename(newName, in: staging, to: name, in: directory)
    do throws(StoreError) {
      try files.sync(directory, at: path)
    } catch {
      if isKept {
        try? rename(oldName, in: staging, to: name, in: directory)
      } else if !hadFile {
        removeFile(name, in: directory)
      }
      throw error
    }
    if isKept { removeFile(oldName, in: staging) }
  }

  /// Gives the old file a second name: the way back, should the last sync fail, which needs neither space nor a copy.
  ///
  /// Where there are no hard links there is no way back, and a failed sync leaves the new state behind its error.
  private func keepOld(of directory: Int32) -> Bool {
    (try? link(name, in: directory, to: oldName, in: staging)) != nil
  }

  func remove(from directory: Int32) throws(StoreError) {
    let isKept = keepOld(of: directory)
    do throws(StoreError) {
      try files.call(at: path) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
      try files.sync(directory, at: path)
    } catch {
      if isKept { try? rename(oldName, in: staging, to: name, in: directory) }
      throw error
    }
    if isKept { removeFile(oldName, in: staging) }
  }

  /// Leaves nothing in the staging directory.
  func discard() {
    removeFile(newName, in: staging)
    removeFile(oldName, in: staging)
  }

  private func rename(
    _ name: String, in source: Int32, to newName: String, in target: Int32
  ) throws(StoreError) {
    try files.call(at: path) { (system) throws(Errno) in
      try system.rename(name, in: source, to: newName, in: target)
    }
  }

  private func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(StoreError) {
    try files.call(at: path) { (system) throws(Errno) in
      try system.link(name, in: source, to: newName, in: target)
    }
  }

  private func removeFile(_ name: String, in directory: Int32) {
    try? files.call(at: path) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
  }
}

/// Names of staged files, never used twice: a reader that looks for one after its batch is done must find nothing.
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
  /// Writes a new file and reads it back; on any error nothing of it stays.
  func stage(
    _ bytes: [UInt8], as name: String, in staging: Int32, isSynced: Bool, at path: @autoclosure () -> String
  ) throws(StoreError) {
    guard !PendingWrites.isStopping else { throw .ending(at: path()) }
    let file = try open(name, in: staging, as: .creating, at: path())
    do throws(StoreError) {
      try write(bytes, to: file.descriptor, at: path())
      if isSynced { try sync(file.descriptor, at: path()) }
      var copy = [UInt8](repeating: 0, count: bytes.count + 1)
      let count = try fill(&copy, from: file.descriptor, enough: bytes.count, at: path())
      guard count == bytes.count, copy.has(bytes, at: 0) else {
        throw StoreError(.unverifiedWrite, reason: "what was written reads back differently", path: path())
      }
    } catch {
      try? call(at: path()) { (system) throws(Errno) in try system.removeFile(name, in: staging) }
      throw error
    }
  }
}
