internal import Synchronization

/// A new file of mode 0600 that is written under a hidden name and then appears whole and durably, or never.
///
/// - Staged (``init(_:in:_:at:)``): a part of a larger write. Its maker renames it with ``rename(to:in:)`` or leaves it
///   there with ``keep()``, and clears leftovers of its name after a crash.
/// - Beside its place (``init(beside:in:_:at:)``): a write of its own, locked under `.NAME.random.tmp` until
///   ``publish(as:replacing:)``. ``clearLeftovers(in:_:_:)`` removes what crashed processes left.
/// - Without a name (``nameless(in:operations:)``): the file is gone with its last reference, or with the process.
///
/// Nothing is durable before ``sync()``, which `publish` calls. A file that is not published, renamed or kept is
/// removed with its last reference. The directory must stay open until then.
package final class AtomicFile<Failure: FileFailure>: Sendable {
  private struct State {
    var byteCount = 0
    var isSynced = false
    /// The end of the bytes for which writeback has begun.
    var writebackStart = 0
    /// The name to remove if the file is discarded; nil if there is nothing to remove.
    var name: String?
    var isEnded = false
  }

  /// The path for messages.
  package let path: String
  private let files: FileSystem<Failure>
  private let directory: Int32
  private let file: OpenFile
  /// Whether `PendingWrites` knows of it.
  private let isOwnWrite: Bool
  private let state: Mutex<State>

  /// Begins a part of a larger write. `name` must not exist; `path` is for messages.
  package convenience init(
    _ name: String, in directory: Int32, _ files: FileSystem<Failure>, at path: String
  ) throws(Failure) {
    guard !PendingWrites.isStopping else { throw Failure(.ending, at: path) }
    try self.init(hidden: name, in: directory, files, at: path, isOwnWrite: false)
  }

  /// Begins a separate write beside the final place of the file. A process that is asked to end removes the file.
  package convenience init(
    beside name: String, in directory: Int32, _ files: FileSystem<Failure>, at path: String
  ) throws(Failure) {
    let hidden = hiddenName(of: name)
    PendingWrites.begin()
    defer { PendingWrites.end() }
    try self.init(hidden: hidden, in: directory, files, at: path, isOwnWrite: true)
    PendingWrites.remember(self) { files.removeQuietly(hidden, in: directory) }
    // The lock is held while the file is written, so that leftovers of crashed processes can be told from it.
    _ = try? files.operations.tryLock(file.descriptor, isShared: false)
  }

  /// The file holds data too large for memory. The caller seals secrets first, because the bytes reach the disk. The
  /// file cannot be published.
  package static func nameless(
    in folder: String, operations: any FileOperations = LiveFileOperations()
  ) throws(Failure) -> AtomicFile {
    let files = FileSystem<Failure>(operations)
    return try PendingWrites.during { () throws(Failure) in
      let directory = try files.open(folder, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder)
      let (name, descriptor) = (hiddenName(of: "vault"), directory.descriptor)
      let file = try AtomicFile(hidden: name, in: descriptor, files, at: folder, isOwnWrite: false)
      try files.call(at: folder) { (system) throws(Errno) in try system.removeFile(name, in: descriptor) }
      file.keep()
      return file
    }
  }

  private init(
    hidden: String, in directory: Int32, _ files: FileSystem<Failure>, at path: String, isOwnWrite: Bool
  ) throws(Failure) {
    (self.path, self.files, self.directory, self.isOwnWrite) = (path, files, directory, isOwnWrite)
    state = Mutex(State(name: hidden))
    file = try files.open(hidden, in: directory, as: .creating, at: path)
  }

  deinit { discard() }
}

extension AtomicFile {
  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// If the process is ending, a write of its own never returns from here, and a part of a larger write throws.
  package func append(_ bytes: RawSpan) throws(Failure) {
    let (start, isNamed) = state.withLock { ($0.byteCount, $0.name != nil) }
    if isOwnWrite {
      PendingWrites.waitForEnd()
    } else if isNamed, PendingWrites.isStopping {
      throw Failure(.ending, at: path)
    }
    try files.write(bytes, to: file.descriptor, from: start, at: path)
    let end = start + bytes.byteCount
    state.withLock { ($0.byteCount, $0.isSynced) = (end, false) }
    if isNamed { beginWriteback(upTo: end) }
  }

  package func append(_ bytes: [UInt8]) throws(Failure) {
    // Unsafe only in that padding could be read: bytes have none.
    try unsafe append(bytes.span.bytes)
  }

  /// Lets the disk write while more bytes are prepared.
  private func beginWriteback(upTo end: Int) {
    let start = state.withLock { state in
      let start = state.writebackStart
      if end - start >= 4 << 20 { state.writebackStart = end }
      return start
    }
    guard end - start >= 4 << 20 else { return }
    files.operations.beginWriteback(of: file.descriptor, from: start, count: end - start)
  }

  /// Makes the written bytes durable.
  package func sync() throws(Failure) {
    guard !state.withLock({ $0.isSynced }) else { return }
    try files.sync(file.descriptor, at: path)
    state.withLock { $0.isSynced = true }
  }

  /// Reads from `position` into the start of `buffer`, in one call; returns 0 at the end.
  package func read(from position: Int, into buffer: inout [UInt8]) throws(Failure) -> Int {
    try files.readPiece(of: file.descriptor, from: position, into: &buffer, at: path)
  }

  /// Reads exactly `count` bytes.
  package func read(_ count: Int, from position: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try files.fill(&bytes, from: file.descriptor, position: position, enough: count, at: path)
    guard read == count else { throw Failure(.changed, at: path) }
    return bytes
  }

  /// Reads the whole file back and compares it. Called after `sync`, so that it checks the disk and not the memory.
  package func requireContent(_ bytes: [UInt8]) throws(Failure) {
    // One byte more than expected shows whether there is more.
    var copy = [UInt8](repeating: 0, count: bytes.count + 1)
    let count = try files.fill(&copy, from: file.descriptor, enough: bytes.count, at: path)
    guard count == bytes.count, starts(copy, with: bytes) else { throw Failure(.unverified, at: path) }
  }
}

extension AtomicFile {
  /// Gives the file its final name, durably, and closes it.
  ///
  /// If publishing fails, the new file is removed. The old file is then still in place, unless only the last sync
  /// failed.
  ///
  /// - Parameter isReplacing: whether the file may replace another. If not, an existing file is never replaced, except
  ///   one that appears at the last moment on a system that cannot check and rename in one step.
  package func publish(as name: String, replacing isReplacing: Bool) throws(Failure) {
    PendingWrites.begin()
    defer {
      discard()
      PendingWrites.end()
    }
    try sync()
    if isReplacing { try rename(to: name, in: directory) } else { try renameExclusively(to: name) }
    do throws(Failure) {
      try files.sync(directory, at: path)
    } catch {
      if !isReplacing { files.removeQuietly(name, in: directory) }
      throw error
    }
  }

  /// Renames the file and replaces a file of that name. The caller makes the rename durable.
  package func rename(to name: String, in target: Int32) throws(Failure) {
    let hidden = currentName
    try files.call(at: path) { (system) throws(Errno) in
      try system.rename(hidden, in: directory, to: name, in: target)
    }
    keep()
  }

  /// Refuses a name that exists. A system that cannot check and rename in one step replaces a file that appears in
  /// between.
  private func renameExclusively(to name: String) throws(Failure) {
    let hidden = currentName
    do throws(Failure) {
      try files.call(at: path) { (system) throws(Errno) in
        try system.renameExclusively(hidden, in: directory, to: name, in: directory)
      }
      keep()
    } catch {
      guard error.errno == Errno.notSupported.number else { throw error }
      // Some systems cannot check and rename in one step; there the check comes first.
      let there = try files.callIfPresent(at: path) { (system) throws(Errno) in
        try system.status(of: name, in: directory, followingLink: false)
      }
      guard there == nil else { throw Failure(.system(.exists), at: path) }
      try rename(to: name, in: directory)
    }
  }

  private var currentName: String {
    guard let name = state.withLock({ $0.name }) else { preconditionFailure("a file is put in its place once") }
    return name
  }

  /// Leaves the file where it is.
  package func keep() { state.withLock { $0.name = nil } }

  /// Removes the file, unless it was published, renamed or kept. A second call does nothing.
  package func discard() {
    let (name, isFirst) = state.withLock { state in
      defer { (state.name, state.isEnded) = (nil, true) }
      return (state.name, !state.isEnded)
    }
    guard isFirst else { return }
    if let name { files.removeQuietly(name, in: directory) }
    if isOwnWrite { PendingWrites.forget(self) }
  }

  /// Removes files that crashed processes left beside the files whose name `isOurs` accepts. A file that is still being
  /// written stays.
  package static func clearLeftovers(
    in directory: Int32, _ files: FileSystem<Failure>, _ isOurs: (String) -> Bool
  ) {
    let entries = try? files.call(at: ".") { (system) throws(Errno) in try system.entries(of: directory) }
    for entry in entries ?? [] where entry.isExact {
      guard let name = publishedName(of: entry.name), isOurs(name) else { continue }
      guard let left = try? files.open(entry.name, in: directory, as: .reading, at: name) else { continue }
      let descriptor = left.descriptor
      try? files.call(at: name) { (system) throws(Errno) in
        if try system.tryLock(descriptor, isShared: false) { try system.removeFile(entry.name, in: directory) }
      }
    }
  }
}

package func hiddenName(of name: String) -> String {
  let random = String(UInt32.random(in: .min ... .max), radix: 16)
  return hiddenName(of: name, String(repeating: "0", count: 8 - random.utf8.count) + random)
}

private func hiddenName(of name: String, _ random: some StringProtocol) -> String { ".\(name).\(random).tmp" }

/// The final name of a file with this hidden name; nil for any other file.
private func publishedName(of hidden: String) -> String? {
  let parts = hidden.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  guard parts.count > 3, parts[0].isEmpty, parts[parts.count - 1].elementsEqual("tmp".utf8),
    let random = String(parts[parts.count - 2]), random.utf8.count == 8
  else { return nil }
  let name = String(hidden.dropFirst().dropLast(13))
  return hiddenName(of: name, random).utf8.elementsEqual(hidden.utf8) ? name : nil
}
