internal import VaultCrypto
internal import VaultDocument
internal import VaultKit

/// Consecutive files of an archive, with their lines of the list. Segments can be made on any core.
struct ArchiveSegment: Sendable {
  /// The time of all files of the archive, in seconds since 1970.
  let modified: Int
  private(set) var bytes: [UInt8] = []
  private(set) var files: [BackupList.File] = []

  init(modified: Int) { self.modified = modified }

  mutating func reserveCapacity(byteCount: Int, fileCount: Int) {
    bytes.reserveCapacity(byteCount)
    files.reserveCapacity(fileCount)
  }

  mutating func append(_ member: ArchiveMember, _ content: [UInt8]) throws(VaultError) {
    try appendHead(member, byteCount: content.count)
    files.append(try BackupList.File(member, content))
    bytes += content
    appendPadding(after: content.count)
  }

  mutating func appendHead(_ member: ArchiveMember, byteCount: Int) throws(VaultError) {
    guard byteCount <= member.byteLimit else {
      throw VaultError(.damaged, "is over its size limit", file: member.vaultPath)
    }
    TarHeader.append(fileByteCount: byteCount, modified: modified, to: &bytes) { member.appendPath(to: &$0) }
  }

  mutating func appendPadding(after byteCount: Int) {
    bytes.append(contentsOf: repeatElement(0, count: TarHeader.padding(after: byteCount)))
  }

  /// Appends the two blocks of zeros that end an archive.
  mutating func appendEnd() { bytes.append(contentsOf: repeatElement(0, count: 2 * TarHeader.byteCount)) }
}

extension TarHeader {
  /// The number of zeros that fill the last block of a file.
  static func padding(after byteCount: Int) -> Int { (byteCount + 511) / 512 * 512 - byteCount }
}
