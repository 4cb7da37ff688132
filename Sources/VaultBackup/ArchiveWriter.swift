internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// Writes an archive of a vault into an age file, one piece after the other; in memory is one at a time, and the list.
final class ArchiveWriter {
  private(set) var files = FileList()
  private let age: AgeWriter
  private let modified: Int
  private var last: ArchiveMember?

  /// Begins the age file.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` for recipients, `.diskFull`, `.ioFailed`.
  init(to key: BackupKey, time: Timestamp, write: @escaping AgeWrite) throws(VaultError) {
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
      files.append(file)
    }
    try write(segment.bytes)
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
    for piece in list.text { try write(piece) }
    try write(list.textEnd(mac: await mac.get()))
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
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func finish() throws(VaultError) {
    var end = segment
    end.appendEnd()
    try write(end.bytes)
    try inAge { () throws(AgeError) in try age.finish() }
  }

  private func write(_ bytes: [UInt8]) throws(VaultError) {
    try inAge { () throws(AgeError) in try age.append(RawSpan(_elements: bytes.span)) }
  }
}
