internal import Synchronization
package import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The live system calls with one fault: the n-th call fails, or the process "dies" there.
package final class FaultyFileOperations: FileOperations {
  /// The event at the chosen call.
  package enum Fault: Sendable {
    /// It fails with this error number, and only it.
    case failing(Int32)
    /// It and the next one fail with this error number.
    case failingTwice(Int32)
    /// It and every later one fail with this error number.
    case failingFromThereOn(Int32)
    /// It never happens, nor does any later one: the process is dead. A write is made by half first.
    case dying
    /// Nothing goes wrong; each call is told of before it is made, whatever its number.
    case watched(@Sendable () -> Void)
  }

  /// Which renames with a condition the file system knows.
  package enum FlaggedRenames: Sendable {
    case all
    /// Onto a name that must be free, as on many network file systems.
    case exclusiveAlone
    /// None, as on old systems.
    case none
  }

  /// The error that the store gets once the process is dead.
  package static let death = Errno(-1)

  private struct State {
    var count = 0
    var isDead = false
    var reached: String?
    var openCount = 0
    var maximumOpenCount = 0
  }

  private let state = Mutex(State())
  private let live = LiveFileOperations()
  private let fault: Fault
  private let number: Int
  /// Sees every call that changes something on the disk.
  private let recorder: (any DiskRecorder)?

  /// The most bytes that one call reads or writes.
  private let chunkByteCount: Int
  /// Whether everything that changes the disk fails, as on a read-only mount.
  private let isReadOnly: Bool
  /// Whether only calls count that change the disk or make it durable.
  private let countsChangesAlone: Bool
  private let renames: FlaggedRenames
  /// Changes what a read brings.
  private let readFilter: (@Sendable (inout [UInt8]) -> Void)?

  /// Lets the call with `number`, counted from 1, go wrong; `Int.max` for none.
  package init(
    _ fault: Fault = .dying, at number: Int = .max, recorder: (any DiskRecorder)? = nil,
    countsChangesAlone: Bool = false, chunkByteCount: Int = .max, isReadOnly: Bool = false,
    renames: FlaggedRenames = .all, readFilter: (@Sendable (inout [UInt8]) -> Void)? = nil
  ) {
    (self.fault, self.number, self.recorder) = (fault, number, recorder)
    (self.countsChangesAlone, self.renames) = (countsChangesAlone, renames)
    (self.chunkByteCount, self.isReadOnly, self.readFilter) = (chunkByteCount, isReadOnly, readFilter)
  }

  /// How many descriptors are open now.
  package var openCount: Int { state.withLock { $0.openCount } }

  /// The most descriptors that were open at a time.
  package var maximumOpenCount: Int { state.withLock { $0.maximumOpenCount } }

  /// How many calls were made.
  package var callCount: Int { state.withLock { $0.count } }

  /// The name of the call that went wrong; nil when it was not reached.
  package var reachedCall: String? { state.withLock { $0.reached } }

  /// Counts a call. `half` is what a dying process still gets done of it.
  private func step(
    _ call: String, writes: Bool = false, syncs: Bool = false, half: () -> Void = {}
  ) throws(Errno) {
    if isReadOnly, writes { throw Errno(EROFS) }
    let (failure, diesNow) = state.withLock { state -> (Errno?, Bool) in
      if state.isDead { return (Self.death, false) }
      if countsChangesAlone, !writes, !syncs { return (nil, false) }
      state.count += 1
      guard state.count >= number else { return (nil, false) }
      if state.count == number { state.reached = call }
      switch fault {
      case .failing(let errno): return (state.count == number ? Errno(errno) : nil, false)
      case .failingTwice(let errno): return (state.count <= number + 1 ? Errno(errno) : nil, false)
      case .failingFromThereOn(let errno): return (Errno(errno), false)
      case .dying:
        state.isDead = true
        return (Self.death, true)
      case .watched: return (nil, false)
      }
    }
    if case .watched(let watch) = fault { watch() }
    if diesNow { half() }
    if let failure { throw failure }
  }
}

extension FaultyFileOperations {
  package func open(_ name: String, in directory: Int32, as purpose: OpenPurpose) throws(Errno) -> Int32 {
    try step("open \(purpose)", writes: purpose == .creating || purpose == .locking)
    if purpose == .creating { recorder?.willChange([name], in: directory) }
    let file = try live.open(name, in: directory, as: purpose)
    if purpose == .creating { recorder?.didWrite(to: file) }
    state.withLock { state in
      state.openCount += 1
      state.maximumOpenCount = max(state.maximumOpenCount, state.openCount)
    }
    return file
  }

  /// Never counted and always done: the system closes the files of a dead process, too.
  package func close(_ file: Int32) {
    state.withLock { $0.openCount -= 1 }
    live.close(file)
  }

  package func status(of file: Int32) throws(Errno) -> FileStatus {
    try step("fstat")
    return try live.status(of: file)
  }

  package func status(of name: String, in directory: Int32, followingLink: Bool) throws(Errno) -> FileStatus {
    try step("fstatat")
    return try live.status(of: name, in: directory, followingLink: followingLink)
  }

  package func read(
    _ file: Int32, from position: Int, into buffer: inout [UInt8], at start: Int
  ) throws(Errno) -> Int {
    try step("pread")
    var part = Array(buffer[..<(start + min(chunkByteCount, buffer.count - start))])
    let count = try live.read(file, from: position, into: &part, at: start)
    readFilter?(&part)
    buffer.replaceSubrange(..<part.count, with: part)
    return count
  }

  package func write(_ bytes: RawSpan, to file: Int32, from position: Int) throws(Errno) -> Int {
    try step("pwrite", writes: true) {
      recorder?.didWrite(to: file)
      let half = bytes.extracting(first: bytes.byteCount / 2)
      if !half.isEmpty { _ = try? live.write(half, to: file, from: position) }
    }
    recorder?.didWrite(to: file)
    return try live.write(bytes.extracting(first: chunkByteCount), to: file, from: position)
  }

  package func truncate(_ file: Int32) throws(Errno) {
    try step("ftruncate", writes: true)
    try live.truncate(file)
  }

  package func sync(_ file: Int32) throws(Errno) {
    try step("fsync", syncs: true)
    if recorder?.didSync(file) ?? true { try live.sync(file) }
  }

  package func syncFileSystem(of file: Int32) throws(Errno) {
    try step("syncfs", syncs: true)
    if recorder?.didSyncAll() ?? true { try live.syncFileSystem(of: file) }
  }

  package func canSyncFileSystem(of file: Int32) -> Bool { live.canSyncFileSystem(of: file) }

  package func rename(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    try step("renameat", writes: true)
    recorder?.willRename(name, in: source, to: newName, in: target)
    try live.rename(name, in: source, to: newName, in: target)
  }

  package func renameExclusively(
    _ name: String, in source: Int32, to newName: String, in target: Int32
  ) throws(Errno) {
    guard renames != .none else { throw Errno(ENOSYS) }
    try step("renameat2", writes: true)
    recorder?.willRename(name, in: source, to: newName, in: target)
    try live.renameExclusively(name, in: source, to: newName, in: target)
  }

  package func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    try step("linkat", writes: true)
    recorder?.willChange([newName], in: target)
    try live.link(name, in: source, to: newName, in: target)
  }

  package func exchange(
    _ name: String, in source: Int32, with other: String, in target: Int32
  ) throws(Errno) {
    // The live calls turn EINVAL and ENOTSUP into this, too.
    guard renames == .all else { throw Errno(ENOSYS) }
    try step("exchange", writes: true)
    recorder?.willExchange(name, in: source, with: other, in: target)
    try live.exchange(name, in: source, with: other, in: target)
  }

  package func removeFile(_ name: String, in directory: Int32) throws(Errno) {
    try step("unlinkat", writes: true)
    recorder?.willChange([name], in: directory)
    try live.removeFile(name, in: directory)
  }

  package func removeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    try step("rmdir", writes: true)
    try live.removeDirectory(name, in: directory)
  }

  package func makeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    try step("mkdirat", writes: true)
    recorder?.willChange([name], in: directory)
    try live.makeDirectory(name, in: directory)
  }

  package func entries(of directory: Int32) throws(Errno) -> [DirectoryEntry] {
    try step("getdents")
    return try live.entries(of: directory)
  }

  package func tryLock(_ file: Int32, isShared: Bool) throws(Errno) -> Bool {
    try step("flock")
    return try live.tryLock(file, isShared: isShared)
  }

  package func unlock(_ file: Int32) { live.unlock(file) }
  package func now() -> Duration { live.now() }
  package func sleep(_ duration: Duration) { live.sleep(duration) }
  package var processIdentifier: Int32 { live.processIdentifier }
}

/// Follows what changes on the disk, call by call.
package protocol DiskRecorder: AnyObject, Sendable {
  /// Entries of an open directory are about to appear, change or go.
  func willChange(_ names: [String], in directory: Int32)
  /// A file is about to be renamed, replacing a file of that name.
  func willRename(_ name: String, in source: Int32, to newName: String, in target: Int32)
  /// Two entries are about to exchange their names.
  func willExchange(_ name: String, in source: Int32, with other: String, in target: Int32)
  func didWrite(to file: Int32)
  /// A file or directory is about to be made durable; returns whether to ask the system for it, too.
  func didSync(_ file: Int32) -> Bool
  func didSyncAll() -> Bool
}
