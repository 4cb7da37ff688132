internal import Synchronization
public import VaultStorage
internal import VaultSystem

/// A lock on a vault's directory: `flock` on its `.lock`. New readers let a waiting writer go first.
///
/// The system drops the lock with the process, so a stale lock cannot exist. The file holds the pid of a holder, only
/// for messages.
final class DirectoryLock: StoreLock {
  let kind: LockKind
  private let files: FileSystem
  /// The open lock file; nil once released, and from the start if a reader has nothing to lock.
  private let file: Mutex<OpenFile?>
  private let isHeld = Mutex(true)
  /// The store from which the lock was taken, to tell it from locks of other stores.
  private let store: ObjectIdentifier
  private let own: OwnLock?

  init(_ kind: LockKind, of store: DirectoryStore, file: consuming OpenFile?, own: OwnLock? = nil) {
    self.kind = kind
    self.own = own
    self.store = ObjectIdentifier(store)
    files = store.files
    self.file = Mutex(file)
  }

  deinit { release() }

  func isExclusive(of store: DirectoryStore) -> Bool {
    kind == .exclusive && self.store == ObjectIdentifier(store) && isHeld.withLock { $0 }
  }

  func release() {
    isHeld.withLock { $0 = false }
    guard let file = file.withLock({ $0.take() }) else { return }
    let descriptor = file.descriptor
    if files.holder(in: descriptor) == files.operations.processIdentifier {
      try? files.call(at: StoreDirectory.lockName) { (system) throws(Errno) in try system.truncate(descriptor) }
    }
    files.operations.unlock(descriptor)
    own?.end()
  }
}

/// A lock of this process, known in the whole process. The pid does not tell whether the holder is this process,
/// because processes in other containers may have the same pid.
struct OwnLock {
  private struct File: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// A class holds the mutex, because the optimiser can leave a static mutex undefined (Tests/Toolchain).
  private final class Counts: Sendable {
    let byFile = Mutex<[File: Int]>([:])
  }

  private static let counts = Counts()

  private let file: File

  init(begin status: FileStatus) {
    file = File(device: status.device, inode: status.inode)
    Self.counts.byFile.withLock { [file] in $0[file, default: 0] += 1 }
  }

  func end() {
    Self.counts.byFile.withLock { [file] in
      let rest = $0[file, default: 1] - 1
      $0[file] = rest > 0 ? rest : nil
    }
  }

  static func isHeld(_ status: FileStatus) -> Bool {
    counts.byFile.withLock { $0[File(device: status.device, inode: status.inode)] != nil }
  }
}

extension DirectoryStore {
  public func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let kind = kind.withoutViews
    // A reader can finish a journal only here; under an exclusive lock it is done below.
    if kind == .shared { recoverIfPossible() }
    let lock = try takeLock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
    if kind == .exclusive {
      do throws(StoreError) {
        try requireSameVault()
      } catch {
        lock.release()
        throw error
      }
      removeLeftovers()
    }
    return lock
  }

  /// Only waits for the lock and takes it: nothing is completed, and the path is not compared.
  func takeLock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> DirectoryLock {
    let operations = files.operations
    var wait = LockWait(start: operations.now(), timeout: timeout, path: path)
    var mark: LockedFile?
    while true {
      var holder = Holder()
      if kind == .exclusive || !isWriterWaiting(), let lock = try tryLock(kind, holder: &holder) { return lock }
      let step = try wait.nextStep(
        now: operations.now(), holder: { holder.process }, isOwn: { holder.isOwn }, isWanted: isWanted, onWait: onWait)
      if kind == .exclusive, mark == nil { mark = markAsWaiting() }
      operations.sleep(step)
    }
  }

  /// The holder of a lock that is in the way.
  struct Holder {
    /// The pid in the lock file.
    var process: Int32?
    var isOwn = false
  }

  /// Takes the lock if it is free; otherwise returns nil and sets `holder`.
  func tryLock(_ kind: LockKind, holder: inout Holder) throws(StoreError) -> DirectoryLock? {
    let name = StoreDirectory.lockName
    while true {
      guard let file = try openLock(kind) else { return DirectoryLock(kind, of: self, file: nil) }
      let descriptor = file.descriptor
      let isTaken = try files.tryLock(descriptor, isShared: kind == .shared, at: name)
      guard isTaken else {
        holder = self.holder(in: file)
        return nil
      }
      // If the file was replaced before the lock was taken, nobody else would see this lock.
      guard let status = try statusInPlace(file) else { continue }
      files.noteHolder(in: descriptor)
      return DirectoryLock(kind, of: self, file: file, own: OwnLock(begin: status))
    }
  }

  private func holder(in file: borrowing OpenFile) -> Holder {
    let (process, descriptor) = (files.holder(in: file.descriptor), file.descriptor)
    // When one of several readers leaves, the pid leaves with it.
    guard process == nil || process == files.operations.processIdentifier else { return Holder(process: process) }
    let status = try? files.call(at: path) { (system) throws(Errno) in try system.status(of: descriptor) }
    return Holder(process: process, isOwn: status.map(OwnLock.isHeld) ?? false)
  }

  /// Opens the lock file. A reader that may neither create nor write it opens it for reading; nil if it is missing,
  /// because that reader need not lock.
  private func openLock(_ kind: LockKind) throws(StoreError) -> OpenFile? {
    let name = StoreDirectory.lockName
    do throws(StoreError) {
      let file = try files.open(name, in: root.descriptor, as: .locking, at: name)
      _ = try files.regularStatus(of: file.descriptor, at: name)
      return file
    } catch {
      guard kind == .shared, error.code == .readOnly || error.code == .permissionDenied else { throw error }
      guard let file = try files.openIfPresent(name, in: root.descriptor, as: .reading, at: name) else { return nil }
      _ = try files.regularStatus(of: file.descriptor, at: name)
      return file
    }
  }

  /// Tells new readers that a writer waits; otherwise readers in turn could keep the writer out forever.
  ///
  /// The mark is a lock on the vault's own directory, so that it, too, ends with the process. It only delays readers.
  /// There is no mark if a directory cannot be locked or another writer already waits.
  private func markAsWaiting() -> LockedFile? {
    do throws(StoreError) { return try lockedDirectory(isShared: false) } catch { return nil }
  }

  private func isWriterWaiting() -> Bool {
    // This lock is released at once. If directories cannot be locked, readers are not delayed.
    do throws(StoreError) { return try lockedDirectory(isShared: true) == nil } catch { return false }
  }

  /// Opened separately each time, because a lock belongs to the open file, which threads would otherwise share.
  private func lockedDirectory(isShared: Bool) throws(StoreError) -> LockedFile? {
    try files.lock(files.open(".", in: root.descriptor, as: .directory, at: path), isShared: isShared, at: path)
  }

  private func statusInPlace(_ file: borrowing OpenFile) throws(StoreError) -> FileStatus? {
    let name = StoreDirectory.lockName
    let descriptor = file.descriptor
    let own = try files.call(at: name) { (system) throws(Errno) in try system.status(of: descriptor) }
    let current = try files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.status(of: name, in: root.descriptor, followingLink: false)
    }
    return current.map { $0.isSameFile(as: own) } == true ? own : nil
  }

  /// Checks that the path still leads to the opened directory; after a restore it may be another.
  private func requireSameVault() throws(StoreError) {
    let own = try files.call(at: path) { (system) throws(Errno) in try system.status(of: root.descriptor) }
    let current = try files.callIfPresent(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: OpenPurpose.noDirectory, followingLink: true)
    }
    guard let current, current.isSameFile(as: own) else {
      throw StoreError(.changedUnderneath, reason: "the vault's folder was moved or replaced", path: path)
    }
  }
}

extension FileSystem {
  /// The pid in a lock file, if there is a valid pid.
  func holder(in file: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 12)
    guard let count = try? fill(&bytes, from: file, enough: bytes.count, at: StoreDirectory.lockName),
      count > 1, bytes[count - 1] == UInt8(ascii: "\n"),
      let text = String(validating: bytes[..<(count - 1)], as: UTF8.self), let pid = Int32(text), pid > 0
    else { return nil }
    return pid
  }

  /// Writes this process's pid into the lock file. It is only information, so failures are ignored.
  ///
  /// A lock file with a second name may be any file outside the vault: it locks, but keeps its content.
  fileprivate func noteHolder(in file: Int32) {
    let name = StoreDirectory.lockName
    guard let status = try? regularStatus(of: file, at: name), status.linkCount == 1 else { return }
    _ = try? call(at: name) { (system) throws(Errno) in try system.truncate(file) }
    try? write(Array("\(operations.processIdentifier)\n".utf8), to: file, at: name)
  }
}
