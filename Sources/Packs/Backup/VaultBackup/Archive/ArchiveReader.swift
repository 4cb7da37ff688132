internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

struct ArchiveFile: Sendable {
  let member: ArchiveMember
  let bytes: [UInt8]
}

enum ArchivePart: Sendable {
  case file(ArchiveFile)
  /// A piece of a large file. An empty file has no pieces.
  case piece(ArchivePiece)
}

/// A piece of a file that ``ArchiveMember/isLarge``.
struct ArchivePiece: Sendable {
  let member: ArchiveMember
  let bytes: [UInt8]
  let isLast: Bool
}

/// Reads an archive strictly. Only one file, or one piece of a large file, is in memory (format 1, section 14.1,
/// Archive).
///
/// The age file authenticates each part. The archive is complete only after ``next()`` has returned nil.
final class ArchiveReader {
  private let age: AgeReader
  let path: String
  private var piece: [UInt8] = []
  private var offset = 0
  private var last: ArchiveMember?
  /// The remaining bytes of a large file and the zeros after them; nil outside a large file.
  private var large: (member: ArchiveMember, rest: Int, padding: Int)?
  private(set) var isAtEnd = false
  /// The time of all files, in seconds since 1970.
  private var modified = 0

  init(_ age: AgeReader, path: String) { (self.age, self.path) = (age, path) }

  /// The time of all files, which is when the archive claims to have been made.
  func time() throws(VaultError) -> Timestamp {
    do throws(DocumentError) {
      return try Timestamp(secondsSinceEpoch: Int64(modified))
    } catch {
      throw damaged("has an invalid time")
    }
  }

  /// The next file, or a piece of a large one; nil at the end of the archive and of the age file.
  func next() throws(VaultError) -> ArchivePart? {
    guard !isAtEnd else { return nil }
    if let large { return .piece(try nextPiece(of: large)) }
    let block = try read(TarHeader.byteCount)
    guard block.contains(where: { $0 != 0 }) else {
      try finish()
      return nil
    }
    let header = try header(block)
    let member = try member(header)
    let padding = TarHeader.padding(after: header.fileByteCount)
    guard !member.isLarge else {
      return .piece(try nextPiece(of: (member, header.fileByteCount, padding)))
    }
    let bytes = try read(header.fileByteCount)
    try readPadding(padding)
    return .file(ArchiveFile(member: member, bytes: bytes))
  }

  private func nextPiece(
    of file: (member: ArchiveMember, rest: Int, padding: Int)
  ) throws(VaultError) -> ArchivePiece {
    let bytes = file.rest > 0 ? Array(try readSome(file.rest)) : []
    let rest = file.rest - bytes.count
    large = rest > 0 ? (file.member, rest, file.padding) : nil
    if rest == 0 { try readPadding(file.padding) }
    return ArchivePiece(member: file.member, bytes: bytes, isLast: rest == 0)
  }

  private func readPadding(_ count: Int) throws(VaultError) {
    guard try read(count).allSatisfy({ $0 == 0 }) else { throw damaged("has data between two files") }
  }

  private func header(_ block: [UInt8]) throws(VaultError) -> TarHeader {
    do throws(TextFault) { return try TarHeader(parsing: block) } catch { throw damaged(error.reason) }
  }

  private func member(_ header: TarHeader) throws(VaultError) -> ArchiveMember {
    guard let member = ArchiveMember(path: header.name[...]) else {
      throw damaged("has a file that does not belong in a vault")
    }
    if let last, !(last < member) { throw damaged("has files twice or in the wrong order", member) }
    guard last != nil || member == .document(.header) else { throw damaged("does not begin with the header") }
    guard last == nil || header.modified == modified else { throw damaged("has files with different times", member) }
    modified = header.modified
    guard header.fileByteCount <= member.byteLimit else { throw damaged("has a file over its size limit", member) }
    last = member
    return member
  }

  /// Reads the second block of zeros, after which nothing may follow.
  private func finish() throws(VaultError) {
    guard try read(TarHeader.byteCount).allSatisfy({ $0 == 0 }) else { throw damaged("does not end correctly") }
    guard last != nil else { throw damaged("does not contain a vault") }
    guard offset == piece.count, try nextPiece() == nil else { throw damaged("has data after its end") }
    isAtEnd = true
  }

  /// Reads bytes. Memory grows with the bytes that arrive, not with the size that a header claims.
  private func read(_ count: Int) throws(VaultError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(count, AgeContent.chunkByteCount))
    while bytes.count < count { bytes += try readSome(count - bytes.count) }
    return bytes
  }

  /// From one byte up to `count` bytes.
  private func readSome(_ count: Int) throws(VaultError) -> ArraySlice<UInt8> {
    if offset == piece.count {
      guard let next = try nextPiece() else { throw damaged("is cut off in the middle of a file") }
      (piece, offset) = (next, 0)
    }
    let start = offset
    offset = min(piece.count, start + count)
    return piece[start..<offset]
  }

  private func nextPiece() throws(VaultError) -> [UInt8]? {
    try inAge(file: path) { () throws(AgeError) in try age.next() }
  }

  private func damaged(_ reason: String, _ member: ArchiveMember? = nil) -> VaultError {
    let place = member.map { ": " + $0.path } ?? ""
    return VaultError(
      .damaged, reason + place, file: path,
      remedies: ["this program does not make such backups: anybody who knows the recipient can have made it"])
  }
}
