internal import VaultDocument
internal import VaultKit

/// Reads `backup.json` as its bytes come, in any form of JSON, and compares it with the files of the archive: of a
/// large list no more is in memory than one entry, and what stands around the array of files.
///
/// The text is cut at the commas of each array in the outermost object, and at its ends. Every entry, and what is left
/// of the text with empty arrays, is then read as a document by itself: all of it is JSON just when each of these is.
struct BackupListReader {
  /// The files of the archive.
  private let expected: FileSummary
  private let found: FileTally
  /// How many kinds of files have begun.
  private var kindCount = 0
  /// What stands around the entries.
  private var frame: [UInt8] = []
  private var entry: [UInt8] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether the position is in an array of the outermost object; then, whether a comma was there.
  private var isInArray = false
  private var hasComma = false
  /// Whether the entry before the position was taken already.
  private var isTaken = false
  /// The first fault of an entry, told after the format's number was looked at.
  private var fault: VaultError?

  // Both far above what a list of format 1 can have.
  private static let frameByteLimit = 64 << 10
  private static let entryByteLimit = 4 << 10

  /// - Parameter files: what the list has to name.
  /// - Throws: ``VaultError`` `.internalFailure`.
  init(expecting files: FileSummary) throws(VaultError) { (expected, found) = (files, try FileTally()) }

  /// Takes the next bytes.
  ///
  /// - Parameter onFile: is given each file that the list names.
  /// - Throws: ``VaultError`` `.damaged`.
  mutating func take(_ bytes: [UInt8], onFile: (BackupList.File) -> Void = { _ in }) throws(VaultError) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if let count = takeRecord(of: bytes, at: index, onFile) {
        index += count
      } else if isInString {
        takeInString(bytes[index])
        index += 1
      } else {
        take(bytes[index], onFile)
        index += 1
      }
    }
    guard frame.count <= Self.frameByteLimit else {
      throw MemberReader(JSONObject(), file: ArchiveMember.listName).damaged("files")
    }
  }

  /// Takes an entry that is all here, and as this program writes it; the byte count of it, nil where there is none.
  private mutating func takeRecord(
    of bytes: [UInt8], at start: Int, _ onFile: (BackupList.File) -> Void
  ) -> Int? {
    guard isInArray, depth == 2, entry.isEmpty, !isTaken, fault == nil, bytes[start] == UInt8(ascii: "{"),
      let (file, count) = BackupList.File.record(at: start, of: bytes.span), start + count < bytes.endIndex
    else { return nil }
    let next = bytes[start + count]
    guard next == UInt8(ascii: ",") || next == UInt8(ascii: "]") else { return nil }
    take(file, onFile)
    isTaken = true
    return count
  }

  private mutating func takeInString(_ byte: UInt8) {
    append(byte)
    isInString = isEscaped || byte != UInt8(ascii: "\"")
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
  }

  private mutating func take(_ byte: UInt8, _ onFile: (BackupList.File) -> Void) {
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
        if hasComma || !entry.isEmpty || isTaken { endEntry(onFile) }
        isInArray = false
      }
    case UInt8(ascii: ",") where isInArray && depth == 2:
      hasComma = true
      return endEntry(onFile)
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

  private mutating func endEntry(_ onFile: (BackupList.File) -> Void) {
    if !isTaken, fault == nil {
      do throws(VaultError) {
        let file = try BackupList.File(parsing: entry)
        take(file, onFile)
      } catch {
        fault = error
      }
    }
    entry.removeAll(keepingCapacity: true)
    isTaken = false
  }

  /// What of all this does not fit shows at the end.
  private mutating func take(_ file: BackupList.File, _ onFile: (BackupList.File) -> Void) {
    do throws(VaultError) {
      let listed = ArchiveMember.Kind.listed
      guard let kind = listed.firstIndex(of: file.member.kind), kind + 1 >= kindCount else {
        throw .listOfOtherFiles
      }
      kindCount = kind + 1
      try found.take(file)
      onFile(file)
    } catch {
      fault = error
    }
  }

  /// What the list says besides its files, once all of its bytes were taken.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  consuming func finish() throws(VaultError) -> BackupList {
    let list = try BackupList(withoutFiles: frame)
    if let fault { throw fault }
    guard try found.finish() == expected else { throw .listOfOtherFiles }
    return list
  }
}

extension VaultError {
  fileprivate static var listOfOtherFiles: VaultError {
    VaultError(
      .damaged, "names other files than are there", file: ArchiveMember.listName,
      remedies: ["it was not made so by this program: take another backup"])
  }
}
