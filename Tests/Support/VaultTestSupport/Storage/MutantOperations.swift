package import VaultSystem

/// System calls that break one promise: a test or harness that does not notice shows nothing.
package struct MutantOperations: FileOperations {
  package enum Defect: String, CaseIterable {
    /// No sync does anything.
    case noSync = "no-sync"
    /// Files are not synced, directories are.
    case noFileSync = "no-file-sync"
    /// Directories are not synced, files are.
    case noDirectorySync = "no-directory-sync"
    /// A file is put in place by copying it there, piece by piece.
    case inPlace = "in-place"
    /// Everybody gets the lock at once.
    case noLock = "no-lock"
    /// Files have no time: as if all were of one tick of the clock.
    case noClock = "no-clock"
  }

  package let defect: Defect
  package let base: any FileOperations

  package init(_ defect: Defect, _ base: any FileOperations = LiveFileOperations()) {
    self.defect = defect
    self.base = base
  }

  private func isSynced(_ file: Int32) -> Bool {
    switch defect {
    case .inPlace, .noLock, .noClock: true
    case .noSync: false
    case .noFileSync: (try? LiveFileOperations().status(of: file).kind) == .directory
    case .noDirectorySync: (try? LiveFileOperations().status(of: file).kind) == .regular
    }
  }

  package func sync(_ file: Int32) throws(Errno) { if isSynced(file) { try base.sync(file) } }

  package func syncFileSystem(of file: Int32) throws(Errno) {
    switch defect {
    case .noSync, .noFileSync, .noDirectorySync: return
    case .inPlace, .noLock, .noClock: try base.syncFileSystem(of: file)
    }
  }

  private func timed(_ status: FileStatus) -> FileStatus {
    var status = status
    if defect == .noClock { status.modified = 0 }
    return status
  }

  package func tryLock(_ file: Int32, isShared: Bool) throws(Errno) -> Bool {
    if defect == .noLock { return true }
    return try base.tryLock(file, isShared: isShared)
  }

  package func unlock(_ file: Int32) { base.unlock(file) }

  package func rename(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    guard defect == .inPlace, newName.utf8.first != UInt8(ascii: ".") else {
      return try base.rename(name, in: source, to: newName, in: target)
    }
    let old = try base.open(name, in: source, as: .reading)
    defer { base.close(old) }
    var bytes = [UInt8](repeating: 0, count: try base.status(of: old).byteCount)
    _ = try base.read(old, from: 0, into: &bytes, at: 0)
    try? base.removeFile(newName, in: target)
    let new = try base.open(newName, in: target, as: .creating)
    defer { base.close(new) }
    // Unsafe only in that padding could be read: bytes have none.
    _ = try unsafe base.write(bytes.span.bytes.extracting(first: bytes.count / 2), to: new, from: 0)
    base.sleep(.microseconds(500))
    _ = try unsafe base.write(bytes.span.bytes, to: new, from: 0)
    try base.removeFile(name, in: source)
  }
}

extension MutantOperations {
  package func open(_ name: String, in directory: Int32, as purpose: OpenPurpose) throws(Errno) -> Int32 {
    try base.open(name, in: directory, as: purpose)
  }
  package func close(_ file: Int32) { base.close(file) }
  package func status(of file: Int32) throws(Errno) -> FileStatus { timed(try base.status(of: file)) }
  package func status(of name: String, in directory: Int32, followingLink: Bool) throws(Errno) -> FileStatus {
    timed(try base.status(of: name, in: directory, followingLink: followingLink))
  }
  package func read(
    _ file: Int32, from position: Int, into buffer: inout [UInt8], at start: Int
  ) throws(Errno) -> Int { try base.read(file, from: position, into: &buffer, at: start) }
  package func write(_ bytes: RawSpan, to file: Int32, from position: Int) throws(Errno) -> Int {
    try base.write(bytes, to: file, from: position)
  }
  package func renameExclusively(
    _ name: String, in source: Int32, to newName: String, in target: Int32
  ) throws(Errno) {
    try base.renameExclusively(name, in: source, to: newName, in: target)
  }
  package func exchange(_ name: String, in source: Int32, with other: String, in target: Int32) throws(Errno) {
    try base.exchange(name, in: source, with: other, in: target)
  }
  package func truncate(_ file: Int32) throws(Errno) { try base.truncate(file) }
  package func canSyncFileSystem(of file: Int32) -> Bool { base.canSyncFileSystem(of: file) }
  package func link(_ name: String, in source: Int32, to newName: String, in target: Int32) throws(Errno) {
    try base.link(name, in: source, to: newName, in: target)
  }
  package func removeFile(_ name: String, in directory: Int32) throws(Errno) {
    try base.removeFile(name, in: directory)
  }
  package func removeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    try base.removeDirectory(name, in: directory)
  }
  package func makeDirectory(_ name: String, in directory: Int32) throws(Errno) {
    try base.makeDirectory(name, in: directory)
  }
  package func entries(of directory: Int32) throws(Errno) -> [DirectoryEntry] { try base.entries(of: directory) }
  package func now() -> Duration { base.now() }
  package func sleep(_ duration: Duration) { base.sleep(duration) }
  package var processIdentifier: Int32 { base.processIdentifier }
}
