internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// A file out of an archive.
struct ArchiveFile: Sendable {
  let member: ArchiveMember
  let bytes: [UInt8]
}

/// What comes next in an archive.
enum ArchivePart: Sendable {
  case file(ArchiveFile)
  /// Bytes of a file that grows with the vault, some at a time; of an empty one, none.
  case piece(ArchivePiece)
}

/// Bytes of a file that ``ArchiveMember/isLarge``.
struct ArchivePiece: Sendable {
  let member: ArchiveMember
  let bytes: [UInt8]
  let isLast: Bool
}

/// Reads an archive strictly, one file after the other; in memory is one at a time, and of a large one a piece (format
/// 1, section 14.1, Archive).
///
/// What it gives out is authentic in its age file, and complete only once ``next()`` has returned nil.
final class ArchiveReader {
  private let age: AgeReader
  /// The path of the backup, for errors.
  let path: String
  private var piece: [UInt8] = []
  private var offset = 0
  private var last: ArchiveMember?
  /// How many bytes of a large file are still to come, and how many zeros after them; nil where none has begun.
  private var large: (member: ArchiveMember, rest: Int, padding: Int)?
  private(set) var isAtEnd = false
  /// The time that its files have, in seconds since 1970.
  private var modified = 0

  init(_ age: AgeReader, path: String) { (self.age, self.path) = (age, path) }

  /// The time that its files have: when it was made, as far as it says.
  func time() throws(VaultError) -> Timestamp {
    do throws(DocumentError) {
      return try Timestamp(secondsSinceEpoch: Int64(modified))
    } catch {
      throw damaged("has a time that does not exist")
    }
  }

  /// The next file, or a part of a large one; nil at the end of the archive and of the age file.
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
    guard try read(count).allSatisfy({ $0 == 0 }) else { throw damaged("has something between two files") }
  }

  private func header(_ block: [UInt8]) throws(VaultError) -> TarHeader {
    do throws(TextFault) { return try TarHeader(parsing: block) } catch { throw damaged(error.reason) }
  }

  private func member(_ header: TarHeader) throws(VaultError) -> ArchiveMember {
    guard let member = ArchiveMember(path: header.name[...]) else {
      throw damaged("holds a file that does not belong into a vault")
    }
    if let last, !(last < member) { throw damaged("holds its files twice or in another order", member) }
    guard last != nil || member == .document(.header) else { throw damaged("does not begin with the header") }
    guard last == nil || header.modified == modified else { throw damaged("has files of several times", member) }
    modified = header.modified
    guard header.fileByteCount <= member.byteLimit else { throw damaged("holds a file over its size limit", member) }
    last = member
    return member
  }

  /// The second block of zeros, and nothing more.
  private func finish() throws(VaultError) {
    guard try read(TarHeader.byteCount).allSatisfy({ $0 == 0 }) else { throw damaged("is not ended as it should be") }
    guard last != nil else { throw damaged("holds no vault") }
    guard offset == piece.count, try nextPiece() == nil else { throw damaged("goes on after its end") }
    isAtEnd = true
  }

  /// Takes memory as bytes come, not as a header promises them.
  private func read(_ count: Int) throws(VaultError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(count, AgeContent.chunkByteCount))
    while bytes.count < count { bytes += try readSome(count - bytes.count) }
    return bytes
  }

  /// At least one byte, and at most so many.
  private func readSome(_ count: Int) throws(VaultError) -> ArraySlice<UInt8> {
    if offset == piece.count {
      guard let next = try nextPiece() else { throw damaged("ends in the middle of a file") }
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
      remedies: ["it is no backup as this program makes them: whoever has its recipient can have made it"])
  }
}
