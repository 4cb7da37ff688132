internal import VaultDocument

/// The files of an archive in its order, each in 56 bytes and all in pieces of memory of one size: of a large vault
/// there are very many, and an array that grows is there twice.
struct FileList: Sendable, RandomAccessCollection {
  private struct Row {
    let id: Identifier
    let sha256: FileHash
    let byteCount: UInt32
  }

  private var pieces: [[Row]] = []
  /// How many files there are of each kind, which follow each other in the archive.
  private var counts = [Int](repeating: 0, count: ArchiveMember.Kind.allCases.count)
  private(set) var sizes = BackupList.Sizes()

  private static let pieceCount = 1024
  private static let noID = Identifier(bytes: [UInt8](repeating: 0, count: Identifier.byteCount))

  mutating func append(_ file: BackupList.File) {
    if count % Self.pieceCount == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(Self.pieceCount)
    }
    // No file of the format has 4 GiB.
    let row = Row(id: file.member.id ?? Self.noID, sha256: file.sha256, byteCount: UInt32(file.byteCount))
    pieces[pieces.count - 1].append(row)
    counts[file.member.kind.rawValue] += 1
    sizes.add(file)
  }

  var count: Int { sizes.fileCount }
  var startIndex: Int { 0 }
  var endIndex: Int { count }

  /// Where the files of a kind stand.
  func range(of kind: ArchiveMember.Kind) -> Range<Int> {
    let start = counts[..<kind.rawValue].reduce(0, +)
    return start..<start + counts[kind.rawValue]
  }

  subscript(index: Int) -> BackupList.File {
    let row = pieces[index / Self.pieceCount][index % Self.pieceCount]
    let kind = ArchiveMember.Kind.allCases.first { range(of: $0).contains(index) }
    guard let kind else { preconditionFailure("each file is of a kind") }
    return BackupList.File(ArchiveMember(kind, row.id), byteCount: Int(row.byteCount), sha256: row.sha256)
  }
}
