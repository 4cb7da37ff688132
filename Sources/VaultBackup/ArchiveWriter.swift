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
  /// - Parameter hash: of the bytes, where it is known already.
  /// - Throws: ``VaultError`` `.damaged` for one over its limit, `.diskFull`, `.ioFailed`.
  func append(_ member: ArchiveMember, _ bytes: [UInt8], hash: FileHash? = nil) throws(VaultError) {
    try begin(member, byteCount: bytes.count)
    let known = if let hash { hash } else { try FileHash(of: bytes) }
    files.append(BackupList.File(member, byteCount: bytes.count, sha256: known))
    try write(bytes)
    try write(Self.zeros.prefix(TarHeader.padding(after: bytes.count)))
  }

  /// Appends the list of all files so far.
  ///
  /// - Throws: ``VaultError`` `.diskFull`, `.ioFailed`.
  func appendList(of header: VaultHeader, createdAt: Timestamp, by vault: Vault) throws(VaultError) {
    let list = BackupListWriter(files: files, header: header, createdAt: createdAt)
    let byteCount = list.byteCount
    try begin(.list, byteCount: byteCount)
    for piece in list.text(mac: try list.mac(by: vault)) { try write(piece) }
    try write(Self.zeros.prefix(TarHeader.padding(after: byteCount)))
  }

  private func begin(_ member: ArchiveMember, byteCount: Int) throws(VaultError) {
    precondition(last.map { $0 < member } ?? true, "an archive has its files in order")
    last = member
    guard byteCount <= member.byteLimit else {
      throw VaultError(
        .damaged, "is over its size limit", file: member.vaultPath, hints: [VaultError.lastGoodVersionHint])
    }
    try write(TarHeader(name: member.path, fileByteCount: byteCount, modified: modified).block)
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
