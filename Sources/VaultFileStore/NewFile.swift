package import VaultStorage

/// A file of any size that is written piece by piece under a hidden name, and then appears whole under its own, or
/// never.
///
/// A process that is asked to end takes it away first (`PendingWrites`), unless it has appeared already.
package final class NewFile {
  /// The path that it is to have.
  package let path: String
  /// How many bytes were written.
  package private(set) var byteCount = 0
  private let folder: NamedFolder
  private let name: String
  /// Nil for a file that never gets a name.
  private var temporary: String?
  private let file: OpenFile
  private var isEnded = false
  /// Up to where the system was asked to write to the disk.
  private var writebackStart = 0

  private static let writebackByteCount = 4 << 20

  private var files: FileSystem { folder.files }

  /// Begins a file of 0600.
  ///
  /// - Parameter isNamed: whether it may be published; one that may not has no name from the start.
  /// - Throws: `StoreError` `.permissionDenied`, `.readOnly`, `.diskFull`, `.ioFailed`.
  package init(_ name: String, in folder: NamedFolder, isNamed: Bool = true) throws(StoreError) {
    (self.folder, self.name) = (folder, name)
    path = folder.path(of: name)
    var names = StagedNames()
    let hidden = Self.hiddenName(of: name, names.next().prefix(8))
    PendingWrites.begin()
    do throws(StoreError) {
      file = try folder.files.open(hidden, in: folder.directory.descriptor, as: .creating, at: folder.path(of: name))
    } catch {
      PendingWrites.end()
      throw error
    }
    temporary = hidden
    // Held as long as the file is made, so that what a process that died has left can be told from it.
    _ = try? folder.files.operations.tryLock(file.descriptor, .exclusive)
    if !isNamed { removeName() }
  }

  deinit { discard() }

  /// Removes what processes that died have left of files whose name `isOurs` takes; a file that is being made stays.
  package static func clearLeftovers(in folder: NamedFolder, _ isOurs: (String) -> Bool) {
    for hidden in (try? folder.names()) ?? [] {
      guard let name = name(of: hidden), isOurs(name) else { continue }
      let (files, directory) = (folder.files, folder.directory.descriptor)
      guard let left = try? files.open(hidden, in: directory, as: .reading, at: folder.path) else { continue }
      let descriptor = left.descriptor
      try? files.call(at: folder.path) { (system) throws(Errno) in
        if try system.tryLock(descriptor, .exclusive) { try system.removeFile(hidden, in: directory) }
      }
    }
  }

  private static func hiddenName(of name: String, _ random: some StringProtocol) -> String { ".\(name).\(random).tmp" }

  /// The name that a file with this hidden one was to have; nil for any other file.
  private static func name(of hidden: String) -> String? {
    let parts = hidden.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 3, parts[0].isEmpty, parts[parts.count - 1].elementsEqual("tmp".utf8),
      let random = String(parts[parts.count - 2]), random.utf8.count == 8
    else { return nil }
    let name = String(hidden.dropFirst().dropLast(13))
    return hiddenName(of: name, random).utf8.elementsEqual(hidden.utf8) ? name : nil
  }

  /// Writes bytes behind those that were written before.
  ///
  /// - Throws: `StoreError` `.diskFull`, `.ioFailed`.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    guard !PendingWrites.isStopping else { throw StoreError(.ioFailed, reason: "this process is ending", path: path) }
    try files.write(bytes, at: byteCount, of: file.descriptor, at: path)
    byteCount += bytes.count
    beginWriteback()
  }

  /// The disk works while there is more to write.
  private func beginWriteback() {
    guard byteCount - writebackStart >= Self.writebackByteCount else { return }
    files.operations.beginWriteback(of: file.descriptor, from: writebackStart, count: byteCount - writebackStart)
    writebackStart = byteCount
  }

  /// Reads what was written, from `offset` into the start of `buffer`; 0 at the end.
  ///
  /// - Throws: `StoreError` `.ioFailed`.
  package func read(at offset: Int, into buffer: inout [UInt8]) throws(StoreError) -> Int {
    try files.call(at: path) { [descriptor = file.descriptor] (system) throws(Errno) in
      try system.readPiece(of: descriptor, from: offset, into: &buffer)
    }
  }

  /// Makes what was written durable.
  ///
  /// - Throws: `StoreError` `.diskFull`, `.ioFailed`.
  package func sync() throws(StoreError) { try files.sync(file.descriptor, at: path) }

  /// Gives the file its name, durably, and ends it; nothing is ever replaced.
  ///
  /// - Throws: `StoreError` `.alreadyExists`, `.diskFull`, `.ioFailed`; the file is gone then.
  package func publish() throws(StoreError) {
    defer { discard() }
    guard let temporary else { preconditionFailure("a file without a name is not published") }
    try sync()
    try rename(temporary)
    self.temporary = nil
    do throws(StoreError) {
      try files.sync(folder.directory.descriptor, at: folder.path)
    } catch {
      self.temporary = name
      throw error
    }
  }

  private func rename(_ temporary: String) throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: path) { [name, directory = folder.directory.descriptor] (system) throws(Errno) in
        try system.renameExclusively(temporary, in: directory, to: name, in: directory)
      }
    } catch {
      guard error.errno != Errno.exists.number else { throw alreadyExists }
      guard error.errno == Errno.notSupported.number else { throw error }
      // Where the system cannot look and rename in one step, it is looked first.
      guard try folder.status(of: name) == nil else { throw alreadyExists }
      try files.call(at: path) { [name, directory = folder.directory.descriptor] (system) throws(Errno) in
        try system.rename(temporary, in: directory, to: name, in: directory)
      }
    }
  }

  private var alreadyExists: StoreError { StoreError(.alreadyExists, reason: "is there already", path: path) }

  /// Takes the file away, unless it was published; a second call does nothing.
  package func discard() {
    guard !isEnded else { return }
    isEnded = true
    removeName()
    PendingWrites.end()
  }

  private func removeName() {
    guard let name = temporary else { return }
    temporary = nil
    try? files.call(at: path) { [directory = folder.directory.descriptor] (system) throws(Errno) in
      try system.removeFile(name, in: directory)
    }
  }
}
