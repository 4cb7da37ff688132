/// A failure with a file: a system error, or a fault that this layer found.
package enum FileFault: Sendable {
  case system(Errno)
  /// A link stands at a place where links are not followed.
  case symbolicLink
  case notARegularFile
  case tooLarge
  /// The file changed between two looks at it.
  case changed
  /// The bytes read back differ from those written.
  case unverified
  /// This process was asked to end.
  case ending
  /// The file system has no locks.
  case noLocks(Errno)

  package var errno: Errno {
    switch self {
    case .system(let errno), .noLocks(let errno): errno
    case .symbolicLink: .isLink
    case .notARegularFile: .isDirectory
    case .tooLarge, .changed, .unverified, .ending: .failed
    }
  }
}

/// The error that a target throws for files. It lets one layer serve targets that have their own errors.
package protocol FileFailure: Error {
  init(_ fault: FileFault, at path: String)
  /// The system's error number if a system call failed.
  var errno: Int32? { get }
}

/// The layer between a target and the system calls. It repeats interrupted calls, continues short reads and writes, and
/// turns error numbers into errors with a path.
package struct FileSystem<Failure: FileFailure>: Sendable {
  package let operations: any FileOperations

  package init(_ operations: any FileOperations = LiveFileOperations()) { self.operations = operations }

  /// Makes one system call and repeats it while a signal interrupts it.
  package func call<Result>(
    at path: @autoclosure () -> String, _ body: (any FileOperations) throws(Errno) -> Result
  ) throws(Failure) -> Result {
    while true {
      do throws(Errno) {
        return try body(operations)
      } catch {
        guard error == .interrupted else { throw Failure(.system(error), at: path()) }
      }
    }
  }

  /// Like `call`, but returns nil if the file does not exist.
  package func callIfPresent<Result>(
    at path: @autoclosure () -> String, _ body: (any FileOperations) throws(Errno) -> Result
  ) throws(Failure) -> Result? {
    do throws(Failure) {
      return try call(at: path(), body)
    } catch {
      guard error.errno == Errno.missing.number else { throw error }
      return nil
    }
  }
}

/// An open file or directory, closed when its lifetime ends.
package struct OpenFile: ~Copyable, Sendable {
  package let descriptor: Int32
  private let operations: any FileOperations

  init(_ descriptor: Int32, of operations: any FileOperations) {
    self.descriptor = descriptor
    self.operations = operations
  }

  deinit { operations.close(descriptor) }
}

/// An open file with a lock of this process, which is released when its lifetime ends.
package struct LockedFile: ~Copyable, Sendable {
  package let file: OpenFile
  private let operations: any FileOperations

  fileprivate init(_ file: consuming OpenFile, _ operations: any FileOperations) {
    self.file = file
    self.operations = operations
  }

  // Closing is not enough: a child of this process may hold the same open file.
  deinit { operations.unlock(file.descriptor) }
}

extension FileSystem {
  /// Locks an open file; nil if another lock excludes this one.
  package func lock(
    _ file: consuming OpenFile, isShared: Bool = false, at path: @autoclosure () -> String
  ) throws(Failure) -> LockedFile? {
    let descriptor = file.descriptor
    let isLocked = try tryLock(descriptor, isShared: isShared, at: path())
    return isLocked ? LockedFile(file, operations) : nil
  }

  /// Takes the lock on an open file if it is free.
  package func tryLock(
    _ descriptor: Int32, isShared: Bool, at path: @autoclosure () -> String
  ) throws(Failure) -> Bool {
    do throws(Failure) {
      return try call(at: path()) { (system) throws(Errno) in try system.tryLock(descriptor, isShared: isShared) }
    } catch {
      guard let number = error.errno, Errno(number).meansNoLocks else { throw error }
      throw Failure(.noLocks(Errno(number)), at: path())
    }
  }
}

extension FileSystem {
  /// Opens a name. For directories, the error distinguishes a link from other files.
  package func open(
    _ name: String, in directory: Int32, as purpose: OpenPurpose, at path: @autoclosure () -> String
  ) throws(Failure) -> OpenFile {
    do throws(Failure) {
      let descriptor = try call(at: path()) { (system) throws(Errno) in
        try system.open(name, in: directory, as: purpose)
      }
      return OpenFile(descriptor, of: operations)
    } catch {
      guard error.errno == Errno.notADirectory.number, purpose == .directory else { throw error }
      // With O_DIRECTORY, Linux reports "not a directory" for a link, too.
      let status = try? call(at: path()) { (system) throws(Errno) in
        try system.status(of: name, in: directory, followingLink: false)
      }
      guard status?.kind == .symbolicLink else { throw error }
      throw Failure(.symbolicLink, at: path())
    }
  }

  /// Like `open`, but returns nil if the file does not exist.
  package func openIfPresent(
    _ name: String, in directory: Int32, as purpose: OpenPurpose, at path: @autoclosure () -> String
  ) throws(Failure) -> OpenFile? {
    do throws(Failure) {
      return try open(name, in: directory, as: purpose, at: path())
    } catch {
      guard error.errno == Errno.missing.number else { throw error }
      return nil
    }
  }

  /// The whole content of a regular file, or nil if it does not exist.
  ///
  /// Other kinds of files and files larger than `limit` bytes are refused before a byte is read.
  package func contents(
    of name: String, in directory: Int32, limit: Int, noting note: (FileStatus) -> Void = { _ in },
    at path: @autoclosure () -> String
  ) throws(Failure) -> [UInt8]? {
    guard let file = try openIfPresent(name, in: directory, as: .reading, at: path()) else { return nil }
    let status = try regularStatus(of: file.descriptor, at: path())
    note(status)
    return try contents(of: file.descriptor, status, limit: limit, at: path())
  }

  /// The whole content of an open regular file with this status.
  package func contents(
    of file: Int32, _ status: FileStatus, limit: Int, at path: @autoclosure () -> String
  ) throws(Failure) -> [UInt8] {
    guard status.byteCount <= limit else { throw Failure(.tooLarge, at: path()) }
    // One byte more than expected shows whether the file grew.
    var bytes = [UInt8](repeating: 0, count: status.byteCount + 1)
    let count = try fill(&bytes, from: file, enough: status.byteCount, at: path())
    guard count <= status.byteCount else { throw Failure(.changed, at: path()) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The status of an open file; throws unless it is a regular file.
  package func regularStatus(of file: Int32, at path: @autoclosure () -> String) throws(Failure) -> FileStatus {
    let status = try call(at: path()) { (system) throws(Errno) in try system.status(of: file) }
    guard status.kind == .regular else { throw Failure(.notARegularFile, at: path()) }
    return status
  }

  /// Reads from `position` until `buffer` is full, the file ends, or exactly `enough` bytes are there. Returns their
  /// number.
  package func fill(
    _ buffer: inout [UInt8], from file: Int32, position: Int = 0, enough: Int, at path: @autoclosure () -> String
  ) throws(Failure) -> Int {
    var count = 0
    repeat {
      let start = count
      let read = try call(at: path()) { (system) throws(Errno) in
        try system.read(file, from: position + start, into: &buffer, at: start)
      }
      guard read > 0 else { break }
      count += read
    } while count < buffer.count && count != enough
    return count
  }

  /// Reads from `position` into the start of `buffer`, in one call; returns 0 at the end of the file.
  package func readPiece(
    of file: Int32, from position: Int, into buffer: inout [UInt8], at path: @autoclosure () -> String
  ) throws(Failure) -> Int {
    try call(at: path()) { (system) throws(Errno) in try system.read(file, from: position, into: &buffer, at: 0) }
  }

  package func write(
    _ bytes: RawSpan, to file: Int32, from position: Int = 0, at path: @autoclosure () -> String
  ) throws(Failure) {
    var count = 0
    while count < bytes.byteCount {
      let start = count
      count += try call(at: path()) { (system) throws(Errno) in
        try system.write(bytes.extracting(droppingFirst: start), to: file, from: position + start)
      }
    }
  }

  package func write(
    _ bytes: [UInt8], to file: Int32, from position: Int = 0, at path: @autoclosure () -> String
  ) throws(Failure) {
    // Unsafe only in that padding could be read: bytes have none.
    try unsafe write(bytes.span.bytes, to: file, from: position, at: path())
  }

  package func sync(_ file: Int32, at path: @autoclosure () -> String) throws(Failure) {
    try call(at: path()) { (system) throws(Errno) in try system.sync(file) }
  }

  /// Removes a name and ignores errors.
  package func removeQuietly(_ name: String, in directory: Int32) {
    try? call(at: name) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
  }
}

extension FileSystem {
  /// Deletes an entry of a directory with its content and ignores errors. Links are removed, not followed. `mayRemove`
  /// is asked before each file. A file that it refuses stays, with the folders above it, and so does everything below
  /// `depth`.
  package func removeTree(
    _ entry: DirectoryEntry, in directory: Int32, depth: Int = .max, while mayRemove: () -> Bool = { true }
  ) {
    guard entry.isExact, depth > 0 else { return }
    if entry.kind != .directory {
      guard mayRemove() else { return }
      let isRemoved: Void? = try? call(at: entry.name) { (system) throws(Errno) in
        try system.removeFile(entry.name, in: directory)
      }
      if isRemoved != nil { return }
    }
    guard let folder = try? open(entry.name, in: directory, as: .directory, at: entry.name) else { return }
    let descriptor = folder.descriptor
    let entries = try? call(at: entry.name) { (system) throws(Errno) in try system.entries(of: descriptor) }
    for entry in entries ?? [] { removeTree(entry, in: descriptor, depth: depth - 1, while: mayRemove) }
    try? call(at: entry.name) { (system) throws(Errno) in try system.removeDirectory(entry.name, in: directory) }
  }

  /// Creates a folder of mode 0700 and its missing parents, durably. Anything that exists at the path is left as it
  /// is, even a file.
  package func makeFolders(_ path: String) throws(Failure) {
    let noDirectory = OpenPurpose.noDirectory
    let status = try callIfPresent(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: noDirectory, followingLink: true)
    }
    guard status == nil else { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeFolders(String(path[..<slash])) }
    do throws(Failure) {
      try call(at: path) { (system) throws(Errno) in try system.makeDirectory(path, in: noDirectory) }
    } catch {
      guard error.errno == Errno.exists.number else { throw error }
    }
    let folder = try open(path, in: noDirectory, as: .vaultDirectory, at: path)
    let parent = try open("..", in: folder.descriptor, as: .directory, at: path)
    try sync(parent.descriptor, at: path)
  }
}
