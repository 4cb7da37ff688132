internal import VaultAge
internal import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// The vault in a backup without its records. Header and slots are in memory. The checkpoint can be large, so it is
/// read from the backup each time.
final class BackupStore: RecordStore {
  private let documents = MemoryStore()
  private let file: BackupFile
  private let content: AgeContent
  private let checkpoint: BackupList.File?

  /// - Parameters:
  ///   - file: the backup.
  ///   - content: the opened content.
  ///   - documents: header and slots.
  ///   - checkpoint: the checkpoint in the list, which must match; nil without a checkpoint.
  init(
    of file: BackupFile, _ content: AgeContent, documents: [StoreChange], checkpoint: BackupList.File?
  ) throws(StoreError) {
    (self.file, self.content, self.checkpoint) = (file, content, checkpoint)
    for change in documents { try self.documents.apply([change]) }
  }

  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    guard location == .checkpoint else { return try documents.reader(of: location) }
    guard let checkpoint else { return nil }
    return try CheckpointReader(file.archive(content), path: file.path, expecting: checkpoint)
  }

  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    guard location == .checkpoint else { return try documents.read(location) }
    guard let reader = try reader(of: location) else { return nil }
    return try reader.all()
  }

  func recordFolders() throws(StoreError) -> [UInt8] { try documents.recordFolders() }
  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] { try documents.records(inFolder: folder) }
  func trashed() throws(StoreError) -> [RecordID] { try documents.trashed() }
  func slots() throws(StoreError) -> [SlotID] { try documents.slots() }
  func strayEntries() throws(StoreError) -> [String] { try documents.strayEntries() }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try documents.read(ids, inFolder: folder, body)
  }

  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    try documents.lock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
  }

  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    try documents.apply(changes, under: lock)
  }

  func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    try documents.batch(expecting: expectedCount, under: lock)
  }

  func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? {
    try documents.replacement(under: lock)
  }
}

/// Reads the checkpoint of a backup, and requires that it has not changed.
private final class CheckpointReader: StoreReader {
  private let expected: BackupList.File
  private let archive: ArchiveReader
  private let path: String
  private var builder = ContentMark.Builder()
  private var hasher: SHA256.Hasher?
  private var isAtEnd = false

  init(_ archive: ArchiveReader, path: String, expecting file: BackupList.File) throws(StoreError) {
    (self.archive, self.path, expected) = (archive, path, file)
    hasher = try Self.hashing(path) { () throws(CryptoError) in try SHA256.Hasher() }
  }

  var byteCount: Int { expected.byteCount }

  var mark: ContentMark { builder.finish() }

  func next() throws(StoreError) -> [UInt8] {
    while !isAtEnd {
      switch try part() {
      // Header and slots come before the checkpoint.
      case .file(let file)? where !file.member.isRecord: continue
      case .piece(let piece)? where piece.member == .document(.checkpoint):
        isAtEnd = piece.isLast
        builder.append(piece.bytes)
        try Self.hashing(path) { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: piece.bytes.span)) }
        if isAtEnd { try requireExpected() }
        return piece.bytes
      default: throw changed
      }
    }
    return []
  }

  /// Compares the checkpoint before its last bytes are returned.
  private func requireExpected() throws(StoreError) {
    guard let hasher = hasher.take() else { preconditionFailure("a checkpoint ends once") }
    let hash: [UInt8]
    do throws(CryptoError) { hash = try hasher.finish() } catch { throw Self.notHashed(path, error) }
    guard hash == expected.sha256 else { throw changed }
  }

  private var changed: StoreError {
    StoreError(.changedUnderneath, reason: "was changed while it was read", path: path)
  }

  private static func hashing<Result: ~Copyable>(
    _ path: String, _ step: () throws(CryptoError) -> Result
  ) throws(StoreError) -> Result {
    do { return try step() } catch { throw notHashed(path, error) }
  }

  private static func notHashed(_ path: String, _ error: CryptoError) -> StoreError {
    StoreError(.ioFailed, reason: "cannot be hashed", path: path, underlying: error)
  }

  private func part() throws(StoreError) -> ArchivePart? {
    do throws(VaultError) {
      return try archive.next()
    } catch {
      throw StoreError(error.code == .ioFailed ? .ioFailed : .changedUnderneath, reason: error.reason, path: path)
    }
  }
}
