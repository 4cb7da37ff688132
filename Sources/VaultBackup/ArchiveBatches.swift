internal import VaultKit

/// What is read of an archive at a time: enough for a core to work on, and few enough to have several of them.
private enum ArchiveBatch: Sendable {
  case files([ArchiveFile])
  /// Bytes of the list.
  case list([UInt8])
}

/// What was made of a batch.
private enum MadeBatch<Made: Sendable>: Sendable {
  case files([(file: BackupList.File, made: Made)])
  case list([UInt8])
}

extension ArchiveReader {
  /// Reads the archive to its end, and hashes its files on all cores.
  ///
  /// - Parameters:
  ///   - make: makes something of a file, on any core.
  ///   - take: is given each file and what was made of it, in order.
  ///   - takeList: is given the bytes of the list, some at a time; of an empty one, none.
  /// - Throws: ``VaultError`` as ``next()``, and what the closures throw.
  func readAll<Made: Sendable>(
    making make: @escaping @Sendable (ArchiveFile) throws(VaultError) -> Made,
    take: (BackupList.File, Made) throws(VaultError) -> Void,
    takeList: ([UInt8]) throws(VaultError) -> Void = { _ in }
  ) async throws(VaultError) {
    try await ParallelMap(chunkSize: 1)(
      ArchiveBatches(of: self), cancellation: { VaultError.cancelled() },
      { batch throws(VaultError) in try MadeBatch(batch.get(), make) },
      consume: { batch throws(VaultError) in
        switch batch {
        case .files(let files): for (file, made) in files { try take(file, made) }
        case .list(let bytes): try takeList(bytes)
        }
      })
  }
}

extension MadeBatch {
  fileprivate init(_ batch: ArchiveBatch, _ make: (ArchiveFile) throws(VaultError) -> Made) throws(VaultError) {
    switch batch {
    case .files(let files):
      var all: [(file: BackupList.File, made: Made)] = []
      for file in files { all.append((try BackupList.File(file.member, file.bytes), try make(file))) }
      self = .files(all)
    case .list(let bytes): self = .list(bytes)
    }
  }
}

private struct ArchiveBatches: Sequence, IteratorProtocol {
  private let archive: ArchiveReader
  /// What was read and does not belong to the batch before it.
  private var pending: Result<ArchiveBatch, VaultError>?
  private var isAtEnd = false

  private static let fileCount = 64
  private static let byteCount = 256 << 10

  init(of archive: ArchiveReader) { self.archive = archive }

  /// After a failure there is nothing more.
  mutating func next() -> Result<ArchiveBatch, VaultError>? {
    if let pending = pending.take() { return pending }
    guard !isAtEnd else { return nil }
    var files: [ArchiveFile] = []
    do throws(VaultError) {
      try fill(&files)
    } catch {
      (pending, isAtEnd) = (.failure(error), true)
    }
    guard files.isEmpty else { return .success(.files(files)) }
    return pending.take()
  }

  private mutating func fill(_ files: inout [ArchiveFile]) throws(VaultError) {
    var byteCount = 0
    while files.count < Self.fileCount, byteCount < Self.byteCount {
      switch try archive.next() {
      case nil: return isAtEnd = true
      case .list(let bytes)?: return pending = .success(.list(bytes))
      case .file(let file)?:
        files.append(file)
        byteCount += file.bytes.count
      }
    }
  }
}
