internal import VaultKit

/// A file that is read once more, and what it was the first time.
struct RereadFile: Sendable {
  fileprivate let file: ArchiveFile
  fileprivate let expected: BackupList.File
  fileprivate let path: String

  /// The file, where it is the same.
  ///
  /// - Throws: ``VaultError`` `.changedUnderneath`.
  func checked() throws(VaultError) -> ArchiveFile {
    guard try BackupList.File(file.member, file.bytes) == expected else { throw .changedBackup(path) }
    return file
  }
}

/// The files of an archive once more, some at a time: enough for a core to work on, and few enough to have several times.
struct ArchiveBatches: Sequence, IteratorProtocol {
  private let archive: ArchiveReader
  private let path: String
  private var expected: ArraySlice<BackupList.File>
  private var failure: VaultError?
  private var isAtEnd = false

  private static let fileCount = 64
  private static let byteCount = 256 << 10

  init(_ archive: ArchiveReader, expecting files: [BackupList.File], path: String) {
    (self.archive, expected, self.path) = (archive, files[...], path)
  }

  /// After a failure there is nothing more.
  mutating func next() -> Result<[RereadFile], VaultError>? {
    var files: [RereadFile] = []
    var byteCount = 0
    do throws(VaultError) {
      while failure == nil, files.count < Self.fileCount, byteCount < Self.byteCount, let next = try nextFile() {
        files.append(next)
        byteCount += next.file.bytes.count
      }
    } catch {
      failure = error
    }
    guard files.isEmpty else { return .success(files) }
    guard !isAtEnd else { return nil }
    isAtEnd = true
    return failure.map { .failure($0) }
  }

  private mutating func nextFile() throws(VaultError) -> RereadFile? {
    while let next = try archive.next() {
      guard next.member != .list else { continue }
      guard let file = expected.popFirst() else { throw .changedBackup(path) }
      return RereadFile(file: next, expected: file, path: path)
    }
    guard expected.isEmpty else { throw .changedBackup(path) }
    return nil
  }
}

extension VaultError {
  fileprivate static func changedBackup(_ path: String) -> VaultError {
    VaultError(.changedUnderneath, "was changed while it was read", file: path, hints: ["try again"])
  }
}
