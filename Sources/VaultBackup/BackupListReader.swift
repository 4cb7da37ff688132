internal import VaultDocument
internal import VaultKit

/// Reads `backup.json` as its bytes come, in any form of JSON, and compares it with the files of the archive: of a large list
/// no more is in memory than one entry, and what stands around the array of files.
///
/// The text is cut at the commas of each array in the outermost object, and at its ends. Every entry, and what is left of the
/// text with empty arrays, is then read as a document by itself: all of it is JSON just when each of these is.
struct BackupListReader {
  private var expected: [Slice<FileList>]
  /// The next file as this program writes it; empty once there is none.
  private var nextText: [UInt8] = []
  private var nextFile: BackupList.File?
  /// What stands around the entries.
  private var frame: [UInt8] = []
  private var entry: [UInt8] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether the position is in an array of the outermost object; then, whether a comma was there.
  private var isInArray = false
  private var hasComma = false
  /// Whether the entry before the position was skipped: it is the next file's.
  private var isSkipped = false
  /// The first fault of an entry, told after the format's number was looked at.
  private var fault: VaultError?

  // Both far above what a list of format 1 can have.
  private static let frameByteLimit = 64 << 10
  private static let entryByteLimit = 4 << 10

  /// - Parameter files: what the list has to name, in the order of the archive.
  init(expecting files: FileList) {
    expected = BackupListWriter.sortedChunks(of: files).reversed()
    advance()
  }

  /// Takes the next bytes.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  mutating func take(_ bytes: [UInt8]) throws(VaultError) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if let count = skip(in: bytes, at: index) {
        index += count
      } else if isInString {
        takeInString(bytes[index])
        index += 1
      } else {
        take(bytes[index])
        index += 1
      }
    }
    guard frame.count <= Self.frameByteLimit else {
      throw MemberReader(JSONObject(), file: ArchiveMember.listName).damaged("files")
    }
  }

  /// The byte count of an entry that is all here, and is the next file's as this program writes it, which need not be read.
  private mutating func skip(in bytes: [UInt8], at start: Int) -> Int? {
    guard isInArray, depth == 2, entry.isEmpty, !isSkipped, fault == nil, !nextText.isEmpty,
      start + nextText.count < bytes.endIndex, bytes[start] == nextText[0]
    else { return nil }
    let next = bytes[start + nextText.count]
    guard next == UInt8(ascii: ",") || next == UInt8(ascii: "]"), bytes.has(nextText, at: start) else { return nil }
    isSkipped = true
    return nextText.count
  }

  private mutating func takeInString(_ byte: UInt8) {
    append(byte)
    isInString = isEscaped || byte != UInt8(ascii: "\"")
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      if depth == 2, byte == UInt8(ascii: "[") {
        append(byte)
        (isInArray, hasComma) = (true, false)
        return
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if isInArray, depth == 1 {
        if hasComma || !entry.isEmpty || isSkipped { endEntry() }
        isInArray = false
      }
    case UInt8(ascii: ",") where isInArray && depth == 2:
      hasComma = true
      return endEntry()
    case 0x20, 0x0A, 0x0D, 0x09:
      // One is as good as many; before an entry none is needed.
      if isInArray ? entry.isEmpty || entry.last == 0x20 : frame.last == 0x20 { return }
      return append(0x20)
    default: break
    }
    append(byte)
  }

  private mutating func append(_ byte: UInt8) {
    if !isInArray {
      frame.append(byte)
    } else if entry.count <= Self.entryByteLimit {
      entry.append(byte)
    }
  }

  private mutating func endEntry() {
    defer { entry.removeAll(keepingCapacity: true) }
    guard fault == nil else { return }
    do throws(VaultError) { try compare() } catch { fault = error }
    advance()
    isSkipped = false
  }

  /// The entry has to name the next file.
  private func compare() throws(VaultError) {
    guard !isSkipped else { return }
    guard let nextFile, try BackupList.File(parsing: entry) == nextFile else { throw .listOfOtherFiles }
  }

  private mutating func advance() {
    nextText.removeAll(keepingCapacity: true)
    while let last = expected.indices.last, expected[last].isEmpty { expected.removeLast() }
    nextFile = expected.indices.last.flatMap { expected[$0].popFirst() }
    if let nextFile { BackupListWriter.appendText(of: nextFile, to: &nextText) }
  }

  /// What the list says besides its files, once all of its bytes were taken.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  consuming func finish() throws(VaultError) -> BackupList {
    let list = try BackupList(withoutFiles: frame)
    if let fault { throw fault }
    guard nextFile == nil else { throw .listOfOtherFiles }
    return list
  }
}

extension VaultError {
  fileprivate static var listOfOtherFiles: VaultError {
    VaultError(
      .damaged, "names other files than are there", file: ArchiveMember.listName,
      hints: ["it was not made so by this program: take another backup"])
  }
}
