internal import VaultStorage

/// The layer between the store and the system calls: interrupted calls are made again, short reads and writes
/// continued, error numbers become errors with a place.
struct FileSystem: Sendable {
  let operations: any FileOperations

  /// The one helper of every call: repeats it while a signal interrupts it.
  func call<Result>(
    at path: @autoclosure () -> String, _ body: (any FileOperations) throws(Errno) -> Result
  ) throws(StoreError) -> Result {
    while true {
      do throws(Errno) {
        return try body(operations)
      } catch {
        guard error == .interrupted else { throw StoreError(error, at: path()) }
      }
    }
  }

  /// As `call`, with nil for what does not exist.
  func callIfPresent<Result>(
    at path: @autoclosure () -> String, _ body: (any FileOperations) throws(Errno) -> Result
  ) throws(StoreError) -> Result? {
    do throws(StoreError) {
      return try call(at: path(), body)
    } catch {
      guard error.errno == Errno.missing.number else { throw error }
      return nil
    }
  }
}

/// An open file or directory, closed at the end of its life.
struct OpenFile: ~Copyable, Sendable {
  let descriptor: Int32
  private let operations: any FileOperations

  init(_ descriptor: Int32, of operations: any FileOperations) {
    self.descriptor = descriptor
    self.operations = operations
  }

  deinit { operations.close(descriptor) }
}

extension FileSystem {
  /// Opens a name, or throws why not; for directories the error tells a link from other things.
  func open(
    _ name: String, in directory: Int32, as purpose: OpenPurpose, at path: @autoclosure () -> String
  ) throws(StoreError) -> OpenFile {
    do throws(StoreError) {
      let descriptor = try call(at: path()) { (system) throws(Errno) in
        try system.open(name, in: directory, as: purpose)
      }
      return OpenFile(descriptor, of: operations)
    } catch {
      guard error.code == .notADirectory, purpose == .directory else { throw error }
      // With O_DIRECTORY, Linux says "not a directory" of a link, too.
      let status = try? call(at: path()) { (system) throws(Errno) in
        try system.status(of: name, in: directory, followingLink: false)
      }
      guard status?.kind == .symbolicLink else { throw error }
      throw StoreError(.symbolicLink, reason: "a symbolic link, which is not followed", path: path())
    }
  }

  /// As `open`, with nil for what does not exist.
  func openIfPresent(
    _ name: String, in directory: Int32, as purpose: OpenPurpose, at path: @autoclosure () -> String
  ) throws(StoreError) -> OpenFile? {
    do throws(StoreError) {
      return try open(name, in: directory, as: purpose, at: path())
    } catch {
      guard error.errno == Errno.missing.number else { throw error }
      return nil
    }
  }

  /// The whole content of a regular file, or nil when it does not exist.
  ///
  /// What is no regular file, or larger than `limit` bytes, is refused before a byte is read.
  func contents(
    of name: String, in directory: Int32, limit: Int, noting note: (FileStatus) -> Void = { _ in },
    at path: @autoclosure () -> String
  ) throws(StoreError) -> [UInt8]? {
    guard let file = try openIfPresent(name, in: directory, as: .reading, at: path()) else { return nil }
    let status = try regularStatus(of: file.descriptor, at: path())
    note(status)
    return try contents(of: file.descriptor, status, limit: limit, at: path())
  }

  /// The whole content of an open regular file with that status.
  func contents(
    of file: Int32, _ status: FileStatus, limit: Int, at path: @autoclosure () -> String
  ) throws(StoreError) -> [UInt8] {
    guard status.byteCount <= limit else {
      throw StoreError(.tooLarge, reason: "the file is over its size limit", path: path())
    }
    // One byte more than expected shows whether the file grew meanwhile.
    var bytes = [UInt8](repeating: 0, count: status.byteCount + 1)
    let count = try fill(&bytes, from: file, enough: status.byteCount, at: path())
    guard count <= status.byteCount else {
      throw StoreError(.changedUnderneath, reason: "the file changed while it was read", path: path())
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The status of an open file, which must be a regular one.
  func regularStatus(of file: Int32, at path: @autoclosure () -> String) throws(StoreError) -> FileStatus {
    let status = try call(at: path()) { (system) throws(Errno) in try system.status(of: file) }
    guard status.kind == .regular else {
      throw StoreError(.notARegularFile, reason: "not a regular file", path: path())
    }
    return status
  }

  /// Reads from the start of a file until `buffer` is full, the file ends, or exactly `enough` bytes are there.
  func fill(
    _ buffer: inout [UInt8], from file: Int32, enough: Int, at path: @autoclosure () -> String
  ) throws(StoreError) -> Int {
    var count = 0
    repeat {
      let offset = count
      let read = try call(at: path()) { (system) throws(Errno) in
        try system.read(file, at: offset, into: &buffer)
      }
      guard read > 0 else { break }
      count += read
    } while count < buffer.count && count != enough
    return count
  }

  /// Writes all bytes from the start of a file.
  func write(_ bytes: [UInt8], to file: Int32, at path: @autoclosure () -> String) throws(StoreError) {
    var count = 0
    while count < bytes.count {
      let offset = count
      count += try call(at: path()) { (system) throws(Errno) in
        try system.write(bytes, at: offset, to: file)
      }
    }
  }

  /// Writes all bytes from an offset of a file on.
  func write(
    _ bytes: [UInt8], at offset: Int, of file: Int32, at path: @autoclosure () -> String
  ) throws(StoreError) {
    var start = 0
    while start < bytes.count {
      let from = start
      start += try call(at: path()) { (system) throws(Errno) in
        try system.writePiece(bytes, from: from, at: offset + from, to: file)
      }
    }
  }

  func sync(_ file: Int32, at path: @autoclosure () -> String) throws(StoreError) {
    try call(at: path()) { (system) throws(Errno) in try system.sync(file) }
  }
}

extension FileSystem {
  /// Deletes an entry of a directory with what is in it, as far as that is possible.
  func removeTree(_ entry: DirectoryEntry, in directory: Int32, depth: Int, within budget: DeletionBudget? = nil) {
    guard entry.isExact, depth > 0 else { return }
    if entry.kind != .directory {
      if let budget, !budget.takesOne() { return }
      if (try? remove(entry.name, in: directory)) != nil { return }
    }
    guard removeContents(of: entry.name, in: directory, depth: depth, within: budget) else { return }
    try? call(at: entry.name) { (system) throws(Errno) in try system.removeDirectory(entry.name, in: directory) }
  }

  /// Returns whether there is such a folder.
  private func removeContents(of name: String, in directory: Int32, depth: Int, within budget: DeletionBudget?) -> Bool
  {
    guard let folder = try? open(name, in: directory, as: .directory, at: name) else { return false }
    let descriptor = folder.descriptor
    let entries = try? call(at: name) { (system) throws(Errno) in try system.entries(of: descriptor) }
    for entry in entries ?? [] { removeTree(entry, in: descriptor, depth: depth - 1, within: budget) }
    return true
  }

  private func remove(_ name: String, in directory: Int32) throws(StoreError) {
    try call(at: name) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
  }
}
