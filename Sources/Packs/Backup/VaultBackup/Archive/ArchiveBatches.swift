internal import VaultCrypto
internal import VaultKit

/// What is read of an archive at a time: enough for a core to work on, and few enough to have several of them.
private enum ArchiveBatch: Sendable {
  case files([ArchiveFile])
  case piece(ArchivePiece)
}

/// What was made of a batch.
private enum MadeBatch<Made: Sendable>: Sendable {
  case files([(file: BackupList.File, made: Made)])
  case piece(ArchivePiece)
}

extension ArchiveReader {
  /// Reads the archive to its end, and hashes its files on all cores.
  ///
  /// - Parameters:
  ///   - make: makes something of a file, on any core; of none that ``ArchiveMember/isLarge``.
  ///   - take: is given each file and what was made of it, in order; the list is no file.
  ///   - takePiece: is given the bytes of the files that are large and of the list, some at a time.
  func readAll<Made: Sendable>(
    making make: @escaping @Sendable (ArchiveFile) throws(VaultError) -> Made,
    take: (BackupList.File, Made?) throws(VaultError) -> Void,
    takePiece: (ArchivePiece) throws(VaultError) -> Void = { _ in }
  ) async throws(VaultError) {
    var large: LargeFile?
    try await ParallelMap(chunkSize: 1)(
      ArchiveBatches(of: self), cancellation: { VaultError.cancelled() },
      { batch throws(VaultError) in try MadeBatch(batch.get(), make) },
      consume: { batch throws(VaultError) in
        switch batch {
        case .files(let files): for (file, made) in files { try take(file, made) }
        case .piece(let piece):
          try takePiece(piece)
          if piece.member == .list { return }
          if let whole = try LargeFile.take(piece, of: &large) { try take(whole, nil) }
        }
      })
    // What was not read to its end is known to be of no size.
    guard isAtEnd else { throw VaultError(.ioFailed, "was not read to its end", file: path) }
  }
}

/// What the list says of a file that comes in pieces.
final class LargeFile {
  private let member: ArchiveMember
  private var byteCount = 0
  private var hasher: SHA256.Hasher?

  init(_ member: ArchiveMember) throws(VaultError) {
    self.member = member
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  /// Takes the next piece of a file.
  ///
  /// - Parameter file: the file that is being read; nil between two.
  /// - Returns: the file, with its last piece.
  static func take(_ piece: ArchivePiece, of file: inout LargeFile?) throws(VaultError) -> BackupList.File? {
    let current: LargeFile
    if let file { current = file } else { current = try LargeFile(piece.member) }
    try current.take(piece.bytes)
    file = piece.isLast ? nil : current
    return piece.isLast ? try current.finish() : nil
  }

  /// Takes bytes.
  func take(_ bytes: [UInt8]) throws(VaultError) {
    byteCount += bytes.count
    try inCrypto { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: bytes.span)) }
  }

  /// The whole file; to be asked for once, at its end.
  func finish() throws(VaultError) -> BackupList.File {
    guard let whole = hasher.take() else { preconditionFailure("a file ends once") }
    do throws(CryptoError) {
      return BackupList.File(member, byteCount: byteCount, sha256: try whole.finish())
    } catch {
      throw VaultError(crypto: error)
    }
  }
}

extension MadeBatch {
  fileprivate init(_ batch: ArchiveBatch, _ make: (ArchiveFile) throws(VaultError) -> Made) throws(VaultError) {
    switch batch {
    case .files(let files):
      var all: [(file: BackupList.File, made: Made)] = []
      all.reserveCapacity(files.count)
      for file in files { all.append((try BackupList.File(file.member, file.bytes), try make(file))) }
      self = .files(all)
    case .piece(let piece): self = .piece(piece)
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
    files.reserveCapacity(Self.fileCount)
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
      case .piece(let piece)?: return pending = .success(.piece(piece))
      case .file(let file)?:
        files.append(file)
        byteCount += file.bytes.count
      }
    }
  }
}
