internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// The vault in a backup without its records: header and slots are in memory; the checkpoint, which grows with the vault, is
/// read from the backup whenever it is asked for.
final class BackupStore: RecordStore {
  private let documents = MemoryStore()
  private let file: BackupFile
  private let content: AgeContent
  private let checkpointByteCount: Int?

  /// - Parameters:
  ///   - file: the backup.
  ///   - content: what opens it.
  ///   - documents: header and slots.
  ///   - checkpointByteCount: the size of the checkpoint; nil when there is none.
  /// - Throws: `StoreError` `.changedUnderneath` for a document that comes twice.
  init(
    of file: BackupFile, _ content: AgeContent, documents: [StoreChange], checkpointByteCount: Int?
  ) throws(StoreError) {
    (self.file, self.content, self.checkpointByteCount) = (file, content, checkpointByteCount)
    for change in documents { try self.documents.apply([change]) }
  }

  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    guard location == .checkpoint else { return try documents.reader(of: location) }
    return checkpointByteCount.map { CheckpointReader(file.archive(content), path: file.path, byteCount: $0) }
  }

  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    guard location == .checkpoint else { return try documents.read(location) }
    guard let reader = try reader(of: location) else { return nil }
    var bytes: [UInt8] = []
    while true {
      let piece = try reader.next()
      if piece.isEmpty { return bytes }
      bytes += piece
    }
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
    _ kind: LockKind, timeout: Duration, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    try documents.lock(kind, timeout: timeout, onWait: onWait)
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

/// Reads the checkpoint of a backup.
private final class CheckpointReader: StoreReader {
  let byteCount: Int
  private let archive: ArchiveReader
  private let path: String
  private var builder = ContentMark.Builder()
  private var isAtEnd = false

  init(_ archive: ArchiveReader, path: String, byteCount: Int) {
    (self.archive, self.path, self.byteCount) = (archive, path, byteCount)
  }

  var mark: ContentMark { builder.finish() }

  func next() throws(StoreError) -> [UInt8] {
    while !isAtEnd {
      switch try part() {
      // Header and slots come before it.
      case .file(let file)? where !file.member.isRecord: continue
      case .piece(let piece)? where piece.member == .document(.checkpoint):
        isAtEnd = piece.isLast
        builder.append(piece.bytes)
        return piece.bytes
      default: throw StoreError(.changedUnderneath, reason: "was changed while it was read", path: path)
      }
    }
    return []
  }

  private func part() throws(StoreError) -> ArchivePart? {
    do throws(VaultError) {
      return try archive.next()
    } catch {
      throw StoreError(error.code == .ioFailed ? .ioFailed : .changedUnderneath, reason: error.reason, path: path)
    }
  }
}
