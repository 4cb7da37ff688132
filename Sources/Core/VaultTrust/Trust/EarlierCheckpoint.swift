internal import VaultDocument
internal import VaultSealing

/// A `checkpoint.json`, the form of checkpoints before format 1 was final (docs/format-v1.md, Changes): one object
/// whose member `records` is the list, with a MAC over all of it.
///
/// It is read so that no vault with an unfinished reseal from that time is lost; new checkpoints are lists.
struct EarlierCheckpoint {
  static let fileName = "checkpoint.json"
  static let listName = "records"

  let head: ListHead
  let entries: VersionList

  /// Whether a file with this beginning has this form: a list begins with an object on one line, without records.
  static func begins(_ piece: [UInt8]) -> Bool {
    guard piece.starts(with: "{\n".utf8) || piece.starts(with: "{\r\n".utf8) else { return false }
    return piece.prefix(1024).firstRange(of: Array("\"\(listName)\"".utf8)) != nil
  }

  /// - Parameters:
  ///   - beginning: the first piece of the file.
  ///   - next: gives the next one; empty at its end.
  init(beginning: [UInt8], _ next: () throws(VaultError) -> [UInt8]) throws(VaultError) {
    var bytes = beginning
    while true {
      let piece = try next()
      if piece.isEmpty { break }
      bytes += piece
    }
    guard case .object(let document) = try parseDocument(bytes, limits: .exchange, file: Self.fileName) else {
      throw VaultError(.damaged, "is not an object", file: Self.fileName)
    }
    head = try ListHead(whole: document, file: Self.fileName)
    entries = try Self.entries(of: head.members)
  }

  private static func entries(of members: MemberReader) throws(VaultError) -> VersionList {
    guard case .object(let items)? = members[listName] else { throw members.damaged(listName) }
    var entries: [RecordVersion] = []
    for (name, value) in items {
      guard let id = RecordID(parsing: name), case .array(let parts) = value, parts.count == 2,
        let entry = RecordVersion(id: id, parts[0], parts[1])
      else { throw members.damaged(name) }
      entries.append(entry)
    }
    entries.sort { $0.id < $1.id }
    var list = VersionList.Builder()
    for entry in entries { list.append(entry) }
    return list.finish()
  }
}
