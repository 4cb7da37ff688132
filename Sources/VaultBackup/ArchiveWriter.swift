internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage

/// Writes an archive of a vault into an age file, one file after the other; in memory is one at a time, and the list.
final class ArchiveWriter {
  private(set) var files: [BackupList.File] = []
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

  /// Appends a file; the order is that of ``ArchiveMember``.
  ///
  /// - Throws: ``VaultError`` `.damaged` for one over its limit, `.diskFull`, `.ioFailed`.
  func append(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
    precondition(last.map { $0 < member } ?? true, "an archive has its files in order")
    last = member
    guard bytes.count <= member.byteLimit else {
      throw VaultError(
        .damaged, "is over its size limit", file: member.vaultPath, hints: [VaultError.lastGoodVersionHint])
    }
    if member != .list { files.append(try BackupList.File(member, bytes)) }
    let header = TarHeader(name: member.path, fileByteCount: bytes.count, modified: modified)
    try write(header.block)
    try write(bytes)
    try write(Self.zeros.prefix(TarHeader.padding(after: bytes.count)))
  }

  /// Ends the archive and the age file.
  ///
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func finish() throws(VaultError) {
    try write(Self.zeros + Self.zeros)
    try inAge { () throws(AgeError) in try age.finish() }
  }

  private static let zeros = [UInt8](repeating: 0, count: TarHeader.byteCount)[...]

  private func write(_ bytes: ArraySlice<UInt8>) throws(VaultError) {
    try inAge { () throws(AgeError) in try age.append(RawSpan(_elements: bytes.span)) }
  }

  private func write(_ bytes: [UInt8]) throws(VaultError) {
    try inAge { () throws(AgeError) in try age.append(RawSpan(_elements: bytes.span)) }
  }
}

extension TarHeader {
  /// How many zeros follow a file, up to a whole block.
  static func padding(after byteCount: Int) -> Int { (byteCount + 511) / 512 * 512 - byteCount }
}
