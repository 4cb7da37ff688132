public import VaultDocument
public import VaultStorage
package import VaultSystem

/// A vault in a directory on disk (format 1, sections 3, Directory, and 10, Writing).
///
/// The vault's directory is opened once and kept open. Everything else is opened below it, component by component,
/// without following links, and closed after use. A store holds one descriptor, two with a lock, up to five while it
/// works, and one more as long as a journal waits. Files are made 0600 and directories 0700.
public final class DirectoryStore: RecordStore {
  package let files: FileSystem
  let root: OpenFile
  let path: String
  let overlayCache = OverlayCache()
  /// Whether readers see the files without the journal.
  let ignoresJournal: Bool
  package let written = WrittenPlaces()

  package init(root: consuming OpenFile, path: String, files: FileSystem, ignoresJournal: Bool = false) {
    self.root = root
    self.path = path
    self.files = files
    self.ignoresJournal = ignoresJournal
  }

  /// Opens the vault at `path`, and completes work that a crashed process left unfinished, if it may write.
  ///
  /// - Throws: `StoreError` `.notAVault` (a directory without `vault.json`), `.missing`, `.notADirectory`,
  ///   `.permissionDenied`, `.ioFailed`.
  public convenience init(at path: String) throws(StoreError) {
    try self.init(at: path, operations: LiveFileOperations())
  }

  /// Opens the vault at `path`; nil for a directory without `vault.json`.
  package static func ifThere(
    at path: String, operations: any FileOperations = LiveFileOperations()
  ) throws(StoreError) -> DirectoryStore? {
    do throws(StoreError) {
      return try DirectoryStore(at: path, operations: operations)
    } catch {
      guard error.code == .notAVault else { throw error }
      return nil
    }
  }

  /// Like `init(at:)`, with other system calls.
  package convenience init(at path: String, operations: any FileOperations) throws(StoreError) {
    let files = FileSystem(operations)
    let root = try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
    let header = StoreLocation.header.fileName
    let status = try files.callIfPresent(at: header) { [descriptor = root.descriptor] (system) throws(Errno) in
      try system.status(of: header, in: descriptor, followingLink: false)
    }
    guard status != nil else {
      throw StoreError(.notAVault, reason: "is not a vault: it has no vault.json", path: path)
    }
    self.init(root: root, path: path, files: files)
    recoverIfPossible()
  }
}

extension DirectoryStore {
  public func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    try read(location, seeing: overlay(for: location))
  }

  /// The bytes on disk, or of a committed journal that is not in place yet.
  private func read(_ location: StoreLocation, seeing overlay: Overlay?) throws(StoreError) -> [UInt8]? {
    switch overlay?.entry(at: location) {
    case .removed: return nil
    case .staged(let name):
      if let bytes = try readStaged(name, for: location) { return bytes }
    case nil: break
    }
    return try readInPlace(location)
  }

  /// The bytes at the place itself, whatever a journal says; nil if there is no document.
  package func readInPlace(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    let bytes = try withDirectory(location.directory) { (directory) throws(StoreError) in
      try readFile(location, in: directory)
    }
    if let bytes, let bytes { return bytes }
    // Only live records are ever replaced as a whole.
    guard case .record = location else { return nil }
    // A missing record is certain only if the records were not replaced during the search.
    let found = try withCurrentDirectory(location.directory) { (directory) throws(StoreError) in
      try readFile(location, in: directory)
    }
    return found ?? nil
  }

  func readFile(
    _ location: StoreLocation, in directory: Int32, noting note: (FileStatus) -> Void = { _ in }
  ) throws(StoreError) -> [UInt8]? {
    let found = try files.contents(
      of: location.fileName, in: directory, limit: location.byteLimit, noting: note, at: location.relativePath)
    guard found == nil, let name = location.earlierFileName else { return found }
    return try files.contents(of: name, in: directory, limit: location.byteLimit, noting: note, at: name)
  }

  /// The staged file of a committed journal; nil if it was put in place meanwhile.
  private func readStaged(_ name: String, for location: StoreLocation) throws(StoreError) -> [UInt8]? {
    let bytes = try withDirectory(.staging) { (staging) throws(StoreError) in
      try files.contents(
        of: name, in: staging, limit: location.byteLimit, at: StoreDirectory.staging.path(of: name))
    }
    return bytes ?? nil
  }

  public func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try read(ids, inFolder: folder, noting: { _, _ in }, body)
  }

  /// Like `read(_:inFolder:_:)`; `note` gets the status of each file before it is read.
  func read(
    _ ids: [RecordID], inFolder folder: UInt8, noting note: (RecordID, FileStatus) -> Void,
    _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    let records = try recordsStatus()
    let isRead: Void? = try withDirectory(.folder(folder)) { (directory) throws(StoreError) in
      Self.forEach(ids, body: body) { (id) throws(StoreError) in
        try read(id, in: directory, of: records) { note(id, $0) }
      }
    }
    // A folder that only a journal knows does not exist yet, but its staged files do.
    if isRead == nil { Self.forEach(ids, body: body) { (id) throws(StoreError) in try read(.record(id)) } }
  }

  static func forEach(
    _ ids: [RecordID], body: (RecordID, Result<[UInt8], StoreError>) -> Bool,
    read: (RecordID) throws(StoreError) -> [UInt8]?
  ) {
    for id in ids {
      switch Result(catching: { () throws(StoreError) in try read(id) }) {
      case .success(nil): continue
      case .success(let bytes?): guard body(id, .success(bytes)) else { return }
      case .failure(let error): guard body(id, .failure(error)) else { return }
      }
    }
  }

  /// Reads a record in a folder below `records` that was opened before.
  private func read(
    _ id: RecordID, in folder: Int32, of records: FileStatus?, noting note: (FileStatus) -> Void
  ) throws(StoreError) -> [UInt8]? {
    let location = StoreLocation.record(id)
    // Asked again for each record, because a batch may have been committed and partly put in place since the last.
    let overlay = try overlay()
    guard overlay?.entry(at: location) == nil else { return try read(location, seeing: overlay) }
    let found = Result { () throws(StoreError) in try readFile(location, in: folder, noting: note) }
    // All records may have been replaced since the folder was opened, and these may be about to be deleted.
    let now = try recordsStatus()
    guard let records, let now, now.isSameFile(as: records) else { return try read(location) }
    return try found.get()
  }
}
