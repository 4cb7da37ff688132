package import VaultStorage
package import VaultSystem
package import VaultFileStore

/// A directory for backups, opened once: all work happens in this directory, even if the path later leads elsewhere.
///
/// Its files are checked and removed by name; a changed file is replaced whole and durably. A separate lock ensures
/// that no two processes do so at a time. Writing a new file under a new name needs no lock.
package final class BackupFolder: Sendable {
  /// A regular file in the directory; links are not followed.
  struct Entry: Sendable {
    let name: String
    let byteCount: Int
  }

  private static let lockName = ".backups.lock"

  package let directory: NamedFolder
  var path: String { directory.path }
  private var files: VaultSystem.FileSystem<StoreError> { directory.files }
  private var descriptor: Int32 { directory.directory.descriptor }

  /// Opens an existing directory.
  package init(at path: String, operations: any FileOperations = LiveFileOperations()) throws(StoreError) {
    directory = try NamedFolder(at: path, operations: operations)
  }

  func path(of name: String) -> String { directory.path(of: name) }

  /// Its regular files, in no particular order. Names that are not UTF-8 are left out, because no backup has such a
  /// name.
  func entries() throws(StoreError) -> [Entry] {
    let descriptor = descriptor
    let found = try files.call(at: path) { (system) throws(Errno) in try system.entries(of: descriptor) }
    var entries: [Entry] = []
    for entry in found where entry.isExact {
      if let count = try byteCount(of: entry.name) { entries.append(Entry(name: entry.name, byteCount: count)) }
    }
    return entries
  }

  /// The size of a file; nil if it is missing or not a regular file.
  func byteCount(of name: String) throws(StoreError) -> Int? {
    let descriptor = descriptor
    let status = try files.callIfPresent(at: path(of: name)) { (system) throws(Errno) in
      try system.status(of: name, in: descriptor, followingLink: false)
    }
    return status.flatMap { $0.kind == .regular ? $0.byteCount : nil }
  }

  /// The bytes of a file; nil if it is missing.
  func read(_ name: String, limit: Int) throws(StoreError) -> [UInt8]? {
    try files.contents(of: name, in: descriptor, limit: limit, at: path(of: name))
  }

  /// Opens a file for reading in pieces; nil if it is missing.
  func input(_ name: String) throws(StoreError) -> InputFile? {
    let place = path(of: name)
    guard let file = try files.openIfPresent(name, in: descriptor, as: .reading, at: place) else { return nil }
    return try InputFile(file, files, at: place)
  }
}

extension BackupFolder {
  /// Waits until no other process changes the directory.
  ///
  /// - Parameter onWait: called once, after a second; the holder is not known.
  func lock(
    timeout: Duration, onWait: (Int32?) -> Void = { _ in }
  ) throws(StoreError) -> LockedFile {
    let operations = files.operations
    var wait = LockWait(start: operations.now(), timeout: timeout)
    while true {
      if let lock = try tryLock() { return lock }
      do throws(StoreError) {
        operations.sleep(try wait.nextStep(now: operations.now(), holder: { nil }, onWait: onWait))
      } catch {
        throw StoreError(.locked, reason: "another process is changing the backups here", path: path)
      }
    }
  }

  private func tryLock() throws(StoreError) -> LockedFile? {
    let (name, place, descriptor) = (Self.lockName, path(of: Self.lockName), descriptor)
    while true {
      let file = try files.open(name, in: descriptor, as: .locking, at: place)
      let own = try files.regularStatus(of: file.descriptor, at: place)
      guard let lock = try files.lock(file, at: place) else { return nil }
      // If the file was removed before it was locked, nobody else would see this lock.
      let current = try files.callIfPresent(at: place) { (system) throws(Errno) in
        try system.status(of: name, in: descriptor, followingLink: false)
      }
      if current?.isSameFile(as: own) == true { return lock }
    }
  }

  /// Begins a file of any size, to be written piece by piece and published under a free name.
  package func newFile(_ name: String) throws(StoreError) -> AtomicFile<StoreError> {
    try AtomicFile<StoreError>(beside: name, in: descriptor, files, at: path(of: name))
  }

  /// Writes a file, replacing one of that name, whole and durably or not at all.
  func replace(
    _ name: String, with bytes: [UInt8], under lock: borrowing LockedFile
  ) throws(StoreError) {
    let file = try newFile(name)
    try file.append(bytes)
    try file.sync()
    try file.requireContent(bytes)
    try file.publish(as: name, replacing: true)
  }

  /// Removes a file for good; a missing file is fine. The removal is durable after ``sync()``.
  func remove(_ name: String, under lock: borrowing LockedFile) throws(StoreError) {
    let descriptor = descriptor
    try PendingWrites.during { () throws(StoreError) in
      _ = try files.callIfPresent(at: path(of: name)) { (system) throws(Errno) in
        try system.removeFile(name, in: descriptor)
      }
    }
  }

  /// Makes removals durable.
  func sync() throws(StoreError) { try files.sync(descriptor, at: path) }

  /// Removes files that crashed processes left and whose name `isOurs` accepts.
  func clearLeftovers(_ isOurs: (String) -> Bool) {
    AtomicFile<StoreError>.clearLeftovers(in: descriptor, files, isOurs)
  }
}
