internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage

/// Makes `backup.json` piece by piece: of a large vault neither its tree nor its text is ever in memory as a whole.
struct BackupListWriter {
  /// The files in the order of the archive.
  let files: [BackupList.File]
  let header: VaultHeader
  let createdAt: Timestamp

  /// Files in one piece.
  private static let pieceFileCount = 512

  /// The MAC of the list.
  func mac(by vault: Vault) throws(VaultError) -> [UInt8] {
    try vault.backupListMAC(
      treeByteCount: treeByteCount,
      tree: pieces(treeHead, treeTail) { file, _, tree in appendTree(of: file, to: &tree) })
  }

  /// How many bytes the list has.
  var byteCount: Int {
    let entries = files.reduce(0) { $0 + Self.entryTextByteCount($1) } + files.count - 1
    return textHead.count + entries + textTail(mac: [UInt8](repeating: 0, count: 32)).count
  }

  /// The bytes of the list, in its compact form, in pieces.
  func text(mac: [UInt8]) -> some Sequence<[UInt8]> {
    pieces(textHead, textTail(mac: mac)) { file, isFirst, text in
      if !isFirst { text.append(UInt8(ascii: ",")) }
      appendText(of: file, to: &text)
    }
  }

  /// What comes before, of and after the files.
  private func pieces(
    _ head: [UInt8], _ tail: [UInt8], _ append: @escaping (BackupList.File, _ isFirst: Bool, inout [UInt8]) -> Void
  ) -> some Sequence<[UInt8]> {
    let chunks = sortedChunks
    return chunks.indices.lazy.map { index in
      var piece = index == 0 ? head : []
      for (offset, file) in chunks[index].enumerated() { append(file, index + offset == 0, &piece) }
      return index == chunks.count - 1 ? piece + tail : piece
    }
  }

  /// The files sorted by the bytes of their paths, some at a time. A header is always among them.
  private var sortedChunks: [ArraySlice<BackupList.File>] {
    Self.groups.flatMap { isInGroup -> [ArraySlice<BackupList.File>] in
      // In the archive each group stands together, in the order of paths.
      var rest = files.drop { !isInGroup($0.member) }.prefix { isInGroup($0.member) }
      var chunks: [ArraySlice<BackupList.File>] = []
      while !rest.isEmpty {
        chunks.append(rest.prefix(Self.pieceFileCount))
        rest = rest.dropFirst(Self.pieceFileCount)
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
  private var textHead: [UInt8] { Array("{\"created_at\":\"\(createdAt.text)\",\"files\":[".utf8) }

  private func textTail(mac: [UInt8]) -> [UInt8] {
    Array(
      ("],\"format\":\(BackupList.format),\"header_revision\":\(header.revision),\"mac\":\"\(Base64.encode(mac))\","
        + "\"root\":\"\(header.root.id.description)\",\"vault\":\"\(header.vaultID.text)\"}").utf8)
  }

  private func appendText(of file: BackupList.File, to text: inout [UInt8]) {
    text += "{\"path\":\"".utf8
    text += file.member.vaultPath.utf8
    text += "\",\"sha256\":\"".utf8
    file.sha256.appendHex(to: &text)
    text += "\",\"size\":".utf8
    text += String(file.byteCount).utf8
    text.append(UInt8(ascii: "}"))
  }

  private static func entryTextByteCount(_ file: BackupList.File) -> Int {
    let fixed = "{\"path\":\"\",\"sha256\":\"\",\"size\":}".utf8.count + 64
    return fixed + file.member.vaultPathByteCount + String(file.byteCount).utf8.count
  }
}

// The tree (format 1, section 1.2).
extension BackupListWriter {
  private var treeHead: [UInt8] {
    [6] + Self.u32(6) + Self.name("created_at") + Self.string(createdAt.text) + Self.name("files") + [5]
      + Self.u32(files.count)
  }

  private var treeTail: [UInt8] {
    Self.name("format") + Self.number(BackupList.format) + Self.name("header_revision") + Self.number(header.revision)
      + Self.name("root") + Self.string(header.root.id.description) + Self.name("vault")
      + Self.string(header.vaultID.text)
  }

  private func appendTree(of file: BackupList.File, to tree: inout [UInt8]) {
    tree.append(6)
    tree += Self.u32(3)
    tree += Self.pathName
    tree += Self.u32(file.member.vaultPathByteCount)
    tree += file.member.vaultPath.utf8
    tree += Self.hashName
    file.sha256.appendHex(to: &tree)
    tree += Self.sizeName
    tree += Self.number(file.byteCount)
  }

  // Names with the head of their values.
  private static let pathName = name("path") + [4]
  private static let hashName = name("sha256") + [4] + u32(64)
  private static let sizeName = name("size")

  private var treeByteCount: Int {
    // Type and count; three names with their counts; three values with type and count.
    let fixed = 5 + (4 + 4) + (4 + 6) + (4 + 4) + 3 * 5 + 64
    let entries = files.reduce(0) { count, file in
      count + fixed + file.member.vaultPathByteCount + String(file.byteCount).utf8.count
    }
    return treeHead.count + entries + treeTail.count
  }

  private static func u32(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  private static func name(_ name: String) -> [UInt8] { u32(name.utf8.count) + Array(name.utf8) }
  private static func string(_ text: String) -> [UInt8] { [4] + name(text) }
  private static func number(_ number: Int) -> [UInt8] { [3] + name(String(number)) }
}
