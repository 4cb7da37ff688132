internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage

/// Makes `backup.json` piece by piece: of a large vault neither its tree nor its text is ever in memory as a whole.
struct BackupListWriter: Sendable {
  /// The files in the order of the archive.
  let files: FileList
  let head: BackupList.Head

  /// Files in one piece.
  private static let pieceFileCount = 512

  /// The MAC of the list.
  func mac(by key: BackupListKey) throws(VaultError) -> [UInt8] {
    try key.mac(
      treeByteCount: treeByteCount,
      tree: pieces(treeHead, treeTail) { file, _, tree in Self.appendTree(of: file, to: &tree) })
  }

  /// How many bytes the list has.
  var byteCount: Int {
    let entries = files.reduce(0) { $0 + Self.entryTextByteCount($1) } + files.count - 1
    return textHead.count + entries + textEnd(mac: [UInt8](repeating: 0, count: 32)).count
  }

  /// The bytes of the list, in its compact form, in pieces; ``textEnd(mac:)`` comes behind them.
  var text: some Sequence<[UInt8]> {
    pieces(textHead, []) { file, isFirst, text in
      if !isFirst { text.append(UInt8(ascii: ",")) }
      Self.appendText(of: file, to: &text)
    }
  }

  /// What comes before, of and after the files.
  private func pieces(
    _ head: [UInt8], _ tail: [UInt8], _ append: @escaping (BackupList.File, _ isFirst: Bool, inout [UInt8]) -> Void
  ) -> some Sequence<[UInt8]> {
    let chunks = Self.sortedChunks(of: files)
    return chunks.indices.lazy.map { index in
      var piece = index == 0 ? head : []
      // Enough for entries of both forms.
      piece.reserveCapacity(piece.count + tail.count + 192 * chunks[index].count)
      for (offset, file) in chunks[index].enumerated() { append(file, index + offset == 0, &piece) }
      return index == chunks.count - 1 ? piece + tail : piece
    }
  }

  /// Files in the order of an archive sorted by the bytes of their paths, some at a time. A header is always among them.
  static func sortedChunks(of files: FileList) -> [Slice<FileList>] {
    groups.flatMap { isInGroup -> [Slice<FileList>] in
      // In the archive each group stands together, in the order of paths.
      var rest = files.drop { !isInGroup($0.member) }.prefix { isInGroup($0.member) }
      var chunks: [Slice<FileList>] = []
      while !rest.isEmpty {
        chunks.append(rest.prefix(pieceFileCount))
        rest = rest.dropFirst(pieceFileCount)
      }
      return chunks
    }
  }

  /// The order of paths.
  private static let groups: [@Sendable (ArchiveMember) -> Bool] = [
    { if case .gitFile = $0 { true } else { false } }, { $0 == .document(.checkpoint) },
    { if case .document(.record) = $0 { true } else { false } },
    { if case .document(.slot) = $0 { true } else { false } },
    { if case .document(.trash) = $0 { true } else { false } }, { $0 == .document(.header) },
  ]
}

// The text, in the compact form.
extension BackupListWriter {
  private var textHead: [UInt8] { Array("{\"created_at\":\"\(head.createdAt)\",\"files\":[".utf8) }

  /// What follows ``text``.
  func textEnd(mac: [UInt8]) -> [UInt8] {
    Array(
      ("],\"format\":\(BackupList.format),\"header_revision\":\(head.headerRevision),\"mac\":\"\(Base64.encode(mac))\","
        + "\"root\":\"\(head.root)\",\"vault\":\"\(head.vault)\"}").utf8)
  }

  /// Appends what stands in the list for a file.
  static func appendText(of file: BackupList.File, to text: inout [UInt8]) {
    text.append("{\"path\":\"")
    file.member.appendVaultPath(to: &text)
    text.append("\",\"sha256\":\"")
    file.sha256.appendHex(to: &text)
    text.append("\",\"size\":")
    text.append(decimal: file.byteCount)
    text.append(UInt8(ascii: "}"))
  }

  private static func entryTextByteCount(_ file: BackupList.File) -> Int {
    let fixed = "{\"path\":\"\",\"sha256\":\"\",\"size\":}".utf8.count + 64
    return fixed + file.member.vaultPathByteCount + [UInt8].digitCount(of: file.byteCount)
  }
}

// The tree (format 1, section 1.2).
extension BackupListWriter {
  private var treeHead: [UInt8] {
    [6] + Self.u32(6) + Self.name("created_at") + Self.string(head.createdAt) + Self.name("files") + [5]
      + Self.u32(files.count)
  }

  private var treeTail: [UInt8] {
    Self.name("format") + Self.number(BackupList.format) + Self.name("header_revision")
      + Self.number(head.headerRevision) + Self.name("root") + Self.string(head.root) + Self.name("vault")
      + Self.string(head.vault)
  }

  private static func appendTree(of file: BackupList.File, to tree: inout [UInt8]) {
    tree += pathHead
    tree.appendCount(file.member.vaultPathByteCount)
    file.member.appendVaultPath(to: &tree)
    tree += hashHead
    file.sha256.appendHex(to: &tree)
    tree += sizeHead
    tree.appendCount([UInt8].digitCount(of: file.byteCount))
    tree.append(decimal: file.byteCount)
  }

  // An entry up to the count of its path's bytes; from its path on up to the hash; from there up to the count of digits.
  private static let pathHead = [6] + u32(3) + name("path") + [4]
  private static let hashHead = name("sha256") + [4] + u32(64)
  private static let sizeHead = name("size") + [3]

  private var treeByteCount: Int {
    let fixed = Self.pathHead.count + 4 + Self.hashHead.count + 64 + Self.sizeHead.count + 4
    let entries = files.reduce(0) { count, file in
      count + fixed + file.member.vaultPathByteCount + [UInt8].digitCount(of: file.byteCount)
    }
    return treeHead.count + entries + treeTail.count
  }

  private static func u32(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendCount(number)
    return bytes
  }

  private static func name(_ name: String) -> [UInt8] { u32(name.utf8.count) + Array(name.utf8) }
  private static func string(_ text: String) -> [UInt8] { [4] + name(text) }
  private static func number(_ number: Int) -> [UInt8] { [3] + name(String(number)) }
}
