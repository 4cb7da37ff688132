internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// Writes an archive of a vault into an age file, one piece after the other; in memory is one at a time, and the list.
final class ArchiveWriter {
  private(set) var files = FileList()
  private let tally: FileTally
  private let age: AgeWriter
  private let modified: Int
  private var last: ArchiveMember?

  /// Begins the age file.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` for recipients, `.diskFull`, `.ioFailed`.
  init(to key: BackupKey, time: Timestamp, write: @escaping AgeWrite) throws(VaultError) {
    tally = try FileTally()
    age = try inAge { () throws(AgeError) in try key.writer(write) }
    modified = min(max(0, Int(time.secondsSinceEpoch)), TarHeader.maximumNumber)
  }

  /// A segment without files, to be filled and appended.
  var segment: ArchiveSegment { ArchiveSegment(modified: modified) }

  /// Appends a file; the order is that of ``ArchiveMember``.
  ///
  /// - Throws: ``VaultError`` `.damaged` for one over its limit, `.diskFull`, `.ioFailed`.
  func append(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
    var segment = segment
    try segment.append(member, bytes)
    try append(segment)
  }

  /// Appends files; the order is that of ``ArchiveMember``.
  ///
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func append(_ segment: ArchiveSegment) throws(VaultError) {
    for file in segment.files {
      advance(to: file.member)
      try take(file)
    }
    try write(segment.bytes)
  }

  private func take(_ file: BackupList.File) throws(VaultError) {
    files.append(file)
    try tally.take(file)
  }

  /// Appends a large file that `pieces` gives piece by piece; the order is that of ``ArchiveMember``.
  ///
  /// - Parameter byteCount: the size of all pieces together.
  /// - Throws: ``VaultError`` `.damaged` for one over its limit, `.changedUnderneath` when the pieces have another
  ///   size, `.diskFull`, `.ioFailed`, and what `pieces` throws.
  func append(
    _ member: ArchiveMember, byteCount: Int,
    pieces: (_ take: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) -> Void
  ) throws(VaultError) {
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
        remedies: ["something else than this program changes the vault's folder: let it end, and try again"])
    }
    try take(file)
    var end = segment
    end.appendPadding(after: byteCount)
    try write(end.bytes)
  }

  /// Appends the list of all files so far.
  ///
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func appendList(_ head: BackupList.Head, by key: BackupListKey) async throws(VaultError) {
    let list = BackupListWriter(files: files, head: head)
    // Only the end of the text has to wait for it.
    async let mac = Result { () throws(VaultError) in try list.mac(by: key) }
    let byteCount = list.byteCount
    advance(to: .list)
    var start = segment
    try start.appendHead(.list, byteCount: byteCount)
    try write(start.bytes)
    try list.forEachPieceOfText { piece throws(VaultError) in try write(piece) }
    try write(head.textEnd(mac: await mac.get()))
    var end = segment
    end.appendPadding(after: byteCount)
    try write(end.bytes)
  }

  private func advance(to member: ArchiveMember) {
    precondition(last.map { $0 < member } ?? true, "an archive has its files in order")
    last = member
  }

  /// Ends the archive and the age file.
  ///
  /// - Returns: what was written, but for the list.
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func finish() throws(VaultError) -> FileSummary {
    var end = segment
    end.appendEnd()
    try write(end.bytes)
    try inAge { () throws(AgeError) in try age.finish() }
    return try tally.finish()
  }

  private func write(_ bytes: [UInt8]) throws(VaultError) {
    try inAge { () throws(AgeError) in try age.append(RawSpan(_elements: bytes.span)) }
  }
}
