#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
package import VaultDocument

/// The index of one vault: one file for each folder of records, with the data that was read and its stamps.
///
/// It is a cache: nothing in it is secret, only data with a valid stamp is trusted, and it may be deleted at any time.
/// The last process that read a folder replaces its file as a whole. A file that is damaged, cut off, or of another
/// vault, version or sort of machine has another sum, and is ignored.
package final class RecordIndex: Sendable {
  /// Raised whenever the content or form of the index changes.
  private static let version: UInt8 = 3

  /// The beginning of a file; entries, strings and texts follow.
  private struct Header: BitwiseCopyable {
    var sum: UInt64 = 0
    let mark: IndexMark
    let entryCount, stringByteCount, textByteCount: Int
    let textSum: UInt64

    /// The size of the whole file, if each count is below that size.
    var byteCount: Int {
      MemoryLayout<Self>.size + entryCount * MemoryLayout<IndexedFolder.Entry>.stride + stringByteCount + textByteCount
    }
  }

  private let path: String
  private let directory: Int32
  private let seed: Checksum

  /// Opens the index of a vault, whose place is created if missing.
  ///
  /// - Parameter identity: the vault and the settings of the reader; another identity has another index.
  package init(at place: IndexPlace, identity: [UInt8]) throws(TextFault) {
    path = place.path
    directory = try place.open()
    var seed = Checksum()
    seed.add([Self.version] + identity)
    self.seed = seed
  }

  deinit { _ = close(directory) }

  /// The indexed content of one of the 256 folders; nil if it is not indexed.
  package func folder(_ number: UInt8, withTexts: Bool) -> IndexedFolder? {
    guard var file = IndexFile.opened(Self.name(number), in: directory), let size = file.ownByteCount,
      let header = file.next(1, of: Header.self)?.first,
      [header.entryCount, header.stringByteCount, header.textByteCount].allSatisfy((0...size).contains),
      header.byteCount == size,
      let entries = file.next(header.entryCount, of: IndexedFolder.Entry.self),
      let strings = file.next(header.stringByteCount, of: UInt8.self),
      sum(header, number: number, entries: entries, strings: strings) == header.sum
    else { return nil }
    guard withTexts else { return IndexedFolder(header.mark, entries: entries, strings: strings, texts: nil) }
    guard let texts = file.next(header.textByteCount, of: UInt8.self), sum(texts) == header.textSum else { return nil }
    return IndexedFolder(header.mark, entries: entries, strings: strings, texts: texts)
  }

  /// Stores the content of a folder, including texts, unless another process is writing it.
  package func keep(_ folder: IndexedFolder, as number: UInt8) throws(TextFault) {
    let (name, texts) = (Self.name(number), folder.texts ?? [])
    var header = Header(
      mark: folder.mark, entryCount: folder.entries.count, stringByteCount: folder.strings.count,
      textByteCount: texts.count, textSum: sum(texts))
    header.sum = sum(header, number: number, entries: folder.entries, strings: folder.strings)
    guard var file = try IndexFile.made(name + ".new", in: directory) else { return }
    // Not synced: a file that a power cut damages has another sum.
    guard file.append([header]), file.append(folder.entries), file.append(folder.strings), file.append(texts),
      IndexFile.rename(name + ".new", to: name, in: directory)
    else {
      IndexFile.remove(name + ".new", in: directory)
      throw TextFault("\(path) cannot be written")
    }
  }

  static func name(_ folder: UInt8) -> String { Hex.encode([folder]) }

  /// The sum of the parts that every query reads.
  private func sum(
    _ header: Header, number: UInt8, entries: [IndexedFolder.Entry], strings: [UInt8]
  ) -> UInt64 {
    var (sum, header) = (seed, header)
    header.sum = UInt64(number)
    sum.add([header])
    sum.add(entries)
    sum.add(strings)
    return sum.value
  }

  private func sum(_ texts: [UInt8]) -> UInt64 {
    var sum = seed
    sum.add(texts)
    return sum.value
  }
}
