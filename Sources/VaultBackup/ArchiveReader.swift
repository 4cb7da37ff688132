internal import VaultAge
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// A file out of an archive.
struct ArchiveFile: Sendable {
  let member: ArchiveMember
  /// What is in it; of the list, nothing.
  let bytes: [UInt8]
}

/// Reads an archive strictly, one file after the other; in memory is one at a time (format 1, section 14.1).
///
/// What it gives out is authentic in its age file, and complete only once ``next()`` has returned nil.
final class ArchiveReader {
  private let age: AgeReader
  /// The path of the backup, for errors.
  private let path: String
  private var piece: [UInt8] = []
  private var offset = 0
  private var last: ArchiveMember?
  private var isAtEnd = false
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

  /// The next file; nil at the end of the archive and of the age file.
  ///
  /// - Parameter takeList: is given the bytes of the list, some at a time.
  /// - Throws: ``VaultError`` `.damaged` for whatever this program would not have written, `.ioFailed`; what `takeList` throws.
  func next(
    takeList: (ArraySlice<UInt8>) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) -> ArchiveFile? {
    guard !isAtEnd else { return nil }
    let block = try read(TarHeader.byteCount)
    guard block.contains(where: { $0 != 0 }) else {
      try finish()
      return nil
    }
    let header = try header(block)
    let member = try member(header)
    var bytes: [UInt8] = []
    if member == .list {
      try read(header.fileByteCount, takeList)
    } else {
      bytes = try read(header.fileByteCount)
    }
    guard try read(TarHeader.padding(after: header.fileByteCount)).allSatisfy({ $0 == 0 }) else {
      throw damaged("has something between two files")
    }
    return ArchiveFile(member: member, bytes: bytes)
  }

  private func header(_ block: [UInt8]) throws(VaultError) -> TarHeader {
    do throws(TarFault) {
      return try TarHeader(parsing: block)
    } catch {
      switch error {
      case .notUstar: throw damaged("holds no archive of this program")
      case .notAFile: throw damaged("holds something that is no regular file")
      case .malformed: throw damaged("has a file header of another form")
      }
    }
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
    try read(count) { bytes += $0 }
    return bytes
  }

  private func read(_ count: Int, _ take: (ArraySlice<UInt8>) throws(VaultError) -> Void) throws(VaultError) {
    var rest = count
    while rest > 0 {
      if offset == piece.count {
        guard let next = try nextPiece() else { throw damaged("ends in the middle of a file") }
        (piece, offset) = (next, 0)
      }
      let end = min(piece.count, offset + rest)
      try take(piece[offset..<end])
      rest -= end - offset
      offset = end
    }
  }

  private func nextPiece() throws(VaultError) -> [UInt8]? {
    try inAge(file: path) { () throws(AgeError) in try age.next() }
  }

  private func damaged(_ reason: String, _ member: ArchiveMember? = nil) -> VaultError {
    let place = member.map { ": " + $0.path } ?? ""
    return VaultError(
      .damaged, reason + place, file: path,
      hints: ["it is no backup as this program makes them: whoever has its recipient can have made it"])
  }
}
