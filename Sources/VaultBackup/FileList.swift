/// The files of an archive in its order, in pieces of memory of one size: of a large vault there are very many, and an array
/// that grows is there twice.
struct FileList: Sendable, RandomAccessCollection {
  private var pieces: [[BackupList.File]] = []
  private(set) var count = 0

  private static let pieceCount = 1024

  mutating func append(_ file: BackupList.File) {
    if count % Self.pieceCount == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(Self.pieceCount)
    }
    pieces[pieces.count - 1].append(file)
    count += 1
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> BackupList.File { pieces[index / Self.pieceCount][index % Self.pieceCount] }
}
