internal import VaultCrypto
internal import VaultKit

/// The part of an archive that is read at a time: enough work for a core, and small enough to hold several.
private enum ArchiveBatch: Sendable {
  case files([ArchiveFile])
  case piece(ArchivePiece)
}

private enum MadeBatch<Made: Sendable>: Sendable {
  case files([(file: BackupList.File, made: Made)])
  case piece(ArchivePiece)
}

extension ArchiveReader {
  /// Reads the archive to its end, and hashes its files on all cores.
  ///
  /// - Parameters:
  ///   - make: converts a file, on any core. It is not called for files that are ``ArchiveMember/isLarge``.
  ///   - take: receives each file with its conversion, in order. The list does not count as a file.
  ///   - takePiece: receives the bytes of large files and of the list, in pieces.
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
    // The size of a file is unknown until its end was read.
    guard isAtEnd else { throw VaultError(.ioFailed, "was not read to its end", file: path) }
  }
}

/// The entry in the list for a file that arrives in pieces.
final class LargeFile {
  private let member: ArchiveMember
  private var byteCount = 0
  private var hasher: SHA256.Hasher?

  init(_ member: ArchiveMember) throws(VaultError) {
    self.member = member
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  /// Takes the next piece of a file. Returns the file after its last piece.
  ///
  /// - Parameter file: the file that is being read; nil between two files.
  static func take(_ piece: ArchivePiece, of file: inout LargeFile?) throws(VaultError) -> BackupList.File? {
    let current: LargeFile
    if let file { current = file } else { current = try LargeFile(piece.member) }
    try current.take(piece.bytes)
    file = piece.isLast ? nil : current
    return piece.isLast ? try current.finish() : nil
  }

  func take(_ bytes: [UInt8]) throws(VaultError) {
    byteCount += bytes.count
    try inCrypto { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: bytes.span)) }
  }

  /// The whole file. It can be asked for only once, at the end.
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
  /// The part that was read but does not belong to the batch before it.
  private var pending: Result<ArchiveBatch, VaultError>?
  private var isAtEnd = false

  private static let fileCount = 64
  private static let byteCount = 256 << 10

  init(of archive: ArchiveReader) { self.archive = archive }

  /// The next batch; nil at the end and after a failure.
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
