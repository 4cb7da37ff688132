internal import VaultAge
internal import VaultCare
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// Writes an archive of a vault into an age file. Only one piece is in memory.
final class ArchiveWriter {
  private let tally: FileTally
  private var lines = SpilledBytes.Builder()
  private let age: AgeWriter
  private let modified: Int
  private var last: ArchiveMember?

  init(to key: BackupKey, time: Timestamp, write: @escaping AgeWrite) throws(VaultError) {
    tally = try FileTally()
    age = try inAge { () throws(AgeError) in try key.writer(write) }
    modified = min(max(0, Int(time.secondsSinceEpoch)), TarHeader.maximumNumber)
  }

  /// An empty segment, to be filled and appended.
  var segment: ArchiveSegment { ArchiveSegment(modified: modified) }

  /// Appends a file. Files must arrive in the order of ``ArchiveMember``.
  func append(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
    var segment = segment
    try segment.append(member, bytes)
    try append(segment)
  }

  /// Appends files. Files must arrive in the order of ``ArchiveMember``.
  func append(_ segment: ArchiveSegment) throws(VaultError) {
    for file in segment.files {
      advance(to: file.member)
      try take(file)
    }
    try write(segment.bytes)
  }

  private func take(_ file: BackupList.File) throws(VaultError) { lines.append(try tally.take(file)) }

  func count(of kind: ArchiveMember.Kind) -> Int { tally.count(of: kind) }

  /// Appends a large file from `pieces`, and returns its entry of the list. Files must arrive in the order of
  /// ``ArchiveMember``.
  ///
  /// - Parameter byteCount: the total size of the pieces.
  @discardableResult
  func append(
    _ member: ArchiveMember, byteCount: Int,
    pieces: (_ take: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) -> Void
  ) throws(VaultError) -> BackupList.File {
    advance(to: member)
    var start = segment
    try start.appendHead(member, byteCount: byteCount)
    try write(start.bytes)
    let large = try LargeFile(member)
    try pieces { bytes throws(VaultError) in
      try large.take(bytes)
      try write(bytes)
    }
    let file = try large.finish()
    guard file.byteCount == byteCount else {
      throw VaultError(
        .changedUnderneath, "the file changed while it was read", file: member.vaultPath,
        remedies: ["another program is changing the vault's folder: wait until it ends, and try again"])
    }
    try take(file)
    var end = segment
    end.appendPadding(after: byteCount)
    try write(end.bytes)
    return file
  }

  /// Appends the list of all files if there is a `key` to authenticate it, and ends the archive and the age file.
  ///
  /// Returns a summary of the files, without the list.
  func finish(_ list: (members: JSONObject, key: BackupListKey)?) throws(VaultError) -> FileSummary {
    let files = try tally.finish()
    if let list {
      let head = ListHead(list.members, itemHash: files.hash, file: ArchiveMember.listName)
      try append(listWith: list.key.authenticated(head))
    }
    var end = segment
    end.appendEnd()
    try write(end.bytes)
    try inAge { () throws(AgeError) in try age.finish() }
    return files
  }

  private func append(listWith head: ListHead) throws(VaultError) {
    let (line, lines) = (head.line, lines.finish())
    let byteCount = line.count + lines.count
    advance(to: .list)
    var start = segment
    try start.appendHead(.list, byteCount: byteCount)
    try write(start.bytes + line)
    try lines.forEachPiece { piece throws(VaultError) in try write(piece) }
    var end = segment
    end.appendPadding(after: byteCount)
    try write(end.bytes)
  }

  private func advance(to member: ArchiveMember) {
    precondition(last.map { $0 < member } ?? true, "an archive has its files in order")
    last = member
  }

  private func write(_ bytes: [UInt8]) throws(VaultError) {
    try inAge { () throws(AgeError) in try age.append(RawSpan(_elements: bytes.span)) }
  }
}
