internal import VaultDocument
public import VaultStorage
internal import VaultSystem

extension DirectoryStore {
  public func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    guard location.isLarge || location.directory == .root else { return try wholeReader(of: location) }
    if let reader = try DirectoryReader(of: location, named: location.fileName, in: self) { return reader }
    guard let name = location.earlierFileName else { return nil }
    return try DirectoryReader(of: location, named: name, in: self)
  }

  public func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    requireExclusive(lock)
    // An old journal must be finished first: finished later, it would undo this write.
    try finishJournal()
    if case .attachment = location, try entries(of: .attachments).isEmpty { try noteAttachmentsForGit() }
    return try DirectoryWriter(of: location, in: self, under: lock)
  }
}

extension DirectoryStore {
  fileprivate func openFile(named name: String, in directory: StoreDirectory) throws(StoreError) -> OpenFile? {
    var found: OpenFile?
    _ = try withDirectory(directory) { (descriptor) throws(StoreError) in
      found = try files.openIfPresent(name, in: descriptor, as: .reading, at: directory.path(of: name))
    }
    return found
  }
}

/// Reads a file of the vault, opened once.
private final class DirectoryReader: StoreReader {
  private static let pieceByteCount = 1 << 18

  private let file: OpenFile
  private let files: FileSystem
  let byteCount: Int
  private let path: String
  private var offset = 0
  private var builder = ContentMark.Builder()

  /// Nil if there is no such file.
  init?(of location: StoreLocation, named name: String, in store: DirectoryStore) throws(StoreError) {
    (files, path) = (store.files, location.directory.path(of: name))
    guard let file = try store.openFile(named: name, in: location.directory) else { return nil }
    byteCount = try files.regularStatus(of: file.descriptor, at: path).byteCount
    self.file = file
    guard byteCount <= location.byteLimit else {
      throw StoreError(.tooLarge, reason: "the file is over its size limit", path: path)
    }
  }

  var mark: ContentMark { builder.finish() }

  func next() throws(StoreError) -> [UInt8] {
    // One byte more than the rest shows whether the file grew.
    var piece = [UInt8](repeating: 0, count: min(Self.pieceByteCount, byteCount - offset + 1))
    let count = try files.readPiece(of: file.descriptor, from: offset, into: &piece, at: path)
    offset += count
    guard count > 0 ? offset <= byteCount : offset == byteCount else {
      throw StoreError(.changedUnderneath, reason: "the file changed while it was being read", path: path)
    }
    piece.removeLast(piece.count - count)
    builder.append(piece)
    return piece
  }
}

/// Stages a file piece by piece, and puts it in place like a single change.
private final class DirectoryWriter: StoreWriter {
  private static let pieceByteCount = 1 << 18

  private let store: DirectoryStore
  // Held while the document is being written.
  private let lock: any StoreLock
  private let location: StoreLocation
  private let staging: OpenFile
  private let file: AtomicFile<StoreError>
  private var written = ContentMark.Builder()
  private var piece: [UInt8] = []
  private var isEnded = false

  /// Begins a pending write, which `end` ends, at the latest with the last reference.
  init(
    of location: StoreLocation, in store: DirectoryStore, under lock: any StoreLock
  ) throws(StoreError) {
    (self.store, self.location, self.lock) = (store, location, lock)
    let staging = try store.openMade(.staging)
    PendingWrites.begin()
    do throws(StoreError) {
      file = try AtomicFile<StoreError>(
        Identifier.random().text, in: staging.descriptor, store.files, at: location.relativePath)
    } catch {
      PendingWrites.end()
      throw error
    }
    self.staging = staging
  }

  deinit { end() }

  func append(_ bytes: [UInt8]) throws(StoreError) {
    piece += bytes
    if piece.count >= Self.pieceByteCount { try flush() }
  }

  private func flush() throws(StoreError) {
    guard file.byteCount + piece.count <= location.byteLimit else {
      throw StoreError(.tooLarge, reason: "the document is over its size limit", path: location.relativePath)
    }
    try file.append(piece)
    written.append(piece)
    piece.removeAll(keepingCapacity: true)
  }

  func commit(replacing mark: ContentMark?) throws(StoreError) {
    defer { end() }
    try flush()
    try file.sync()
    try file.requireContent(written.finish())
    let old = try store.reader(of: location)
    guard try old?.markOfAll() == mark else {
      throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: location.relativePath)
    }
    let swap = AtomicReplacement(
      name: location.fileName, path: location.relativePath, hadFile: mark != nil, staging: staging.descriptor,
      files: store.files)
    try store.withMadeDirectory(location.directory) { (directory) throws(StoreError) in
      try swap.put(file, in: directory)
    }
    store.removeEarlierFile(of: location)
    store.written.note([location], madeOrRemoved: mark == nil)
  }

  private func end() {
    guard !isEnded else { return }
    isEnded = true
    // Does nothing if the file is in place.
    file.discard()
    PendingWrites.end()
  }
}
