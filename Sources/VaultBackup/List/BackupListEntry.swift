internal import VaultDocument
internal import VaultKit

extension BackupList {
  /// How much there is of files in a list.
  struct Sizes: Equatable, Sendable {
    private(set) var fileCount = 0
    /// Bytes of the entries in the compact form, without commas.
    private(set) var textByteCount = 0
    /// Bytes of the entries in the canonical encoding.
    private(set) var treeByteCount = 0

    mutating func add(_ file: File) {
      let byteCount = file.member.vaultPathByteCount + [UInt8].digitCount(of: file.byteCount)
      fileCount += 1
      textByteCount += File.fixedTextByteCount + byteCount
      treeByteCount += File.fixedTreeByteCount + byteCount
    }
  }
}

// The text, in the compact form.
extension BackupList.File {
  fileprivate static let fixedTextByteCount = "{\"path\":\"\",\"sha256\":\"\",\"size\":}".utf8.count + 64

  /// Appends what stands in the list for a file.
  func appendText(to text: inout [UInt8]) {
    text.append("{\"path\":\"")
    member.appendVaultPath(to: &text)
    text.append("\",\"sha256\":\"")
    sha256.appendHex(to: &text)
    text.append("\",\"size\":")
    text.append(decimal: byteCount)
    text.append(UInt8(ascii: "}"))
  }

  /// Reads the entry of a live record at the start of `text` if it is written as this program writes it, which nearly
  /// all are: without making a document of each.
  ///
  /// - Returns: the file, and how many bytes the entry has; nil for any other entry, and one that is not all there.
  static func record(at start: Int, of text: Span<UInt8>) -> (file: Self, byteCount: Int)? {
    let (path, hash, size) = (start + 9, start + 9 + 52 + 12, start + 9 + 52 + 12 + 64 + 9)
    guard text.has("{\"path\":\"", at: start), text.has("\",\"sha256\":\"", at: path + 52),
      text.has("\",\"size\":", at: hash + 64), let member = ArchiveMember(recordAt: path, of: text),
      let sha256 = FileHash(hexAt: hash, of: text)
    else { return nil }
    var (byteCount, end) = (0, size)
    while end < text.count, end - size < 9, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[end]) {
      byteCount = byteCount * 10 + Int(text[end] - UInt8(ascii: "0"))
      end += 1
    }
    guard text.has("}", at: end), end - size == [UInt8].digitCount(of: byteCount) else { return nil }
    return (Self(member, byteCount: byteCount, sha256: sha256), end + 1 - start)
  }
}

// The tree (format 1, section 1.2, Trees).
extension BackupList.File {
  // An entry up to the count of its path's bytes; from its path on up to the hash; from there up to the count of
  // digits.
  private static let pathHead = [6] + [UInt8](count: 3) + [UInt8](name: "path") + [4]
  private static let hashHead = [UInt8](name: "sha256") + [4] + [UInt8](count: 64)
  private static let sizeHead = [UInt8](name: "size") + [3]

  fileprivate static let fixedTreeByteCount = pathHead.count + 4 + hashHead.count + 64 + sizeHead.count + 4

  /// Appends the canonical encoding of what stands in the list for a file.
  func appendTree(to tree: inout [UInt8]) {
    tree += Self.pathHead
    tree.appendCount(member.vaultPathByteCount)
    member.appendVaultPath(to: &tree)
    tree += Self.hashHead
    sha256.appendHex(to: &tree)
    tree += Self.sizeHead
    tree.appendCount([UInt8].digitCount(of: byteCount))
    tree.append(decimal: byteCount)
  }
}

extension BackupList.File {
  /// Reads an entry of the array of files, in any form of JSON.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  init(parsing bytes: [UInt8]) throws(VaultError) {
    let name = ArchiveMember.listName
    guard case .object(let document) = try parseDocument(bytes, file: name) else {
      throw MemberReader(JSONObject(), file: name).damaged("files")
    }
    let members = MemberReader(document, file: name, path: "files.")
    try members.allowOnly(["path", "sha256", "size"])
    guard let member = try ArchiveMember(vaultPath: members.text("path")),
      let digits = try? Hex.decode(members.text("sha256")), let hash = FileHash(digits)
    else { throw members.damaged("path") }
    self.init(member, byteCount: try members.integer("size"), sha256: hash)
  }
}
