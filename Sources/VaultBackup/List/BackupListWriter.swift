internal import VaultDocument
internal import VaultKit

/// Makes `backup.json` piece by piece: of a large vault neither its tree nor its text is ever in memory as a whole.
struct BackupListWriter: Sendable {
  /// The files in the order of the archive.
  let files: FileList
  let head: BackupList.Head

  /// Files in one piece.
  private static let pieceFileCount = 512

  /// The MAC of the list.
  func mac(by key: BackupListKey) throws(VaultError) -> [UInt8] {
    try key.mac(treeByteCount: head.treeByteCount(files.sizes)) { take throws(VaultError) in
      try take(head.treeHead(fileCount: files.count))
      try forEachPiece({ $0.appendTree(to: &$2) }, take)
      try take(head.treeTail)
    }
  }

  /// How many bytes the list has.
  var byteCount: Int {
    head.textHead.count + files.sizes.textByteCount + files.count - 1
      + head.textEnd(mac: [UInt8](repeating: 0, count: 32)).count
  }

  /// Gives the bytes of the list to `take`, in its compact form, in pieces; ``BackupList/Head/textEnd(mac:)`` comes
  /// behind them.
  func forEachPieceOfText(_ take: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try take(head.textHead)
    try forEachPiece(
      { file, isFirst, text in
        if !isFirst { text.append(UInt8(ascii: ",")) }
        file.appendText(to: &text)
      }, take)
  }

  /// Gives the files to `take` sorted by the bytes of their paths, as `append` writes them; a header is always among
  /// them.
  private func forEachPiece(
    _ append: (BackupList.File, _ isFirst: Bool, inout [UInt8]) -> Void,
    _ take: ([UInt8]) throws(VaultError) -> Void
  ) throws(VaultError) {
    var piece: [UInt8] = []
    // Enough for entries of both forms.
    piece.reserveCapacity(192 * Self.pieceFileCount)
    var isFirst = true
    for kind in ArchiveMember.Kind.listed {
      for index in files.range(of: kind) {
        append(files[index], isFirst, &piece)
        isFirst = false
        if piece.count > 191 * Self.pieceFileCount {
          try take(piece)
          piece.removeAll(keepingCapacity: true)
        }
      }
    }
    try take(piece)
  }
}

extension BackupList.Head {
  /// The text up to the first file.
  var textHead: [UInt8] { Array("{\"created_at\":\"\(createdAt)\",\"files\":[".utf8) }

  /// The text behind the last file.
  func textEnd(mac: [UInt8]) -> [UInt8] {
    Array(
      ("],\"format\":\(BackupList.format),\"header_revision\":\(headerRevision),\"mac\":\"\(Base64.encode(mac))\","
        + "\"root\":\"\(root)\",\"vault\":\"\(vault)\"}").utf8)
  }

  /// The size of the whole canonical encoding without the MAC (format 1, section 1.2, Trees).
  func treeByteCount(_ sizes: BackupList.Sizes) -> Int {
    treeHead(fileCount: sizes.fileCount).count + sizes.treeByteCount + treeTail.count
  }

  /// The canonical encoding up to the first file.
  func treeHead(fileCount: Int) -> [UInt8] {
    let object = [6] + [UInt8](count: 6)
    return object + [UInt8](name: "created_at") + Self.string(createdAt) + [UInt8](name: "files") + [5]
      + [UInt8](count: fileCount)
  }

  /// The canonical encoding behind the last file.
  var treeTail: [UInt8] {
    [UInt8](name: "format") + Self.number(BackupList.format) + [UInt8](name: "header_revision")
      + Self.number(headerRevision) + [UInt8](name: "root") + Self.string(root) + [UInt8](name: "vault")
      + Self.string(vault)
  }

  private static func string(_ text: String) -> [UInt8] { [4] + [UInt8](name: text) }
  private static func number(_ number: Int) -> [UInt8] { [3] + [UInt8](name: String(number)) }
}
