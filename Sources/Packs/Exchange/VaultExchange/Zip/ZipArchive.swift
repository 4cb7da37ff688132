/// A zip file that is read as a whole, with strict limits.
///
/// Refused before anything is decompressed: names that lead outside, links, sealed, repeated or overlapping entries,
/// and sizes out of proportion. Decompression stops at the size that the entry declares.
struct ZipArchive {
  struct Limits {
    var entryCount = 10_000
    var entryByteCount = 256 << 20
    var totalByteCount = 1 << 30
    /// How many times larger an entry may become, after its first mebibyte.
    var ratio = 200
  }

  private struct Entry {
    let name: String
    let isPacked: Bool
    let checksum: UInt32
    let packedCount: Int
    let count: Int
    let offset: Int
  }

  private let bytes: [UInt8]
  private var entries: [String: Entry] = [:]
  /// The paths of the files in file order, without folders.
  private(set) var names: [String] = []

  static func begins(_ head: [UInt8]) -> Bool { head.starts(with: [0x50, 0x4B, 3, 4]) }

  /// The name of the first file in its own header; nil if the header is cut off.
  static func firstName(_ head: [UInt8]) -> String? {
    guard begins(head), head.count >= 30 else { return nil }
    let count = integer(head, offset: 26, count: 2)
    return head.count >= 30 + count ? String(validating: head[30..<30 + count], as: UTF8.self) : nil
  }

  init(_ bytes: [UInt8], limits: Limits = Limits()) throws(ExchangeError) {
    self.bytes = bytes
    let end = try Self.end(of: bytes)
    let count = Self.integer(bytes, offset: end + 10, count: 2)
    var offset = Self.integer(bytes, offset: end + 16, count: 4)
    guard count <= limits.entryCount else { throw ExchangeError(.tooLarge, "has too many files") }
    guard count != 0xFFFF, offset != 0xFFFF_FFFF else {
      throw ExchangeError(.unsupported, "is a 64-bit zip file, which is not supported")
    }
    var total = 0
    for _ in 0..<count {
      let entry = try entry(at: &offset, before: end)
      try Self.check(entry, limits)
      total += entry.count
      guard total <= limits.totalByteCount else { throw ExchangeError(.tooLarge, "is too large when it is unpacked") }
      guard entries.updateValue(entry, forKey: entry.name) == nil else {
        throw ExchangeError(.malformed, "has the same file twice")
      }
      if !entry.name.hasSuffix("/") { names.append(entry.name) }
    }
    try checkOverlap(before: end)
  }

  /// The bytes of a file; nil if there is no file of this name.
  func file(_ name: String) throws(ExchangeError) -> [UInt8]? {
    guard let entry = entries[name] else { return nil }
    let start = try dataStart(of: entry)
    let packed = Array(bytes[start..<start + entry.packedCount])
    let data = entry.isPacked ? try Inflate.raw(packed, limit: entry.count) : packed
    guard data.count == entry.count, try Inflate.crc32(data) == entry.checksum else {
      throw ExchangeError(.malformed, "has a damaged file")
    }
    return data
  }

  /// The start of the end record, which a comment may follow.
  private static func end(of bytes: [UInt8]) throws(ExchangeError) -> Int {
    var index = bytes.count - 22
    let last = max(0, index - 0xFFFF)
    while index >= last {
      let isRecord = bytes[index] == 0x50 && integer(bytes, offset: index, count: 4) == 0x0605_4B50
      if isRecord, index + 22 + integer(bytes, offset: index + 20, count: 2) == bytes.count { return index }
      index -= 1
    }
    throw ExchangeError(.malformed, "is not a zip file, or is truncated")
  }

  /// The directory entry at an offset. Moves the offset past it.
  private func entry(at offset: inout Int, before end: Int) throws(ExchangeError) -> Entry {
    guard offset + 46 <= end, Self.integer(bytes, offset: offset, count: 4) == 0x0201_4B50 else { throw Self.damaged }
    let nameCount = Self.integer(bytes, offset: offset + 28, count: 2)
    let restCount =
      Self.integer(bytes, offset: offset + 30, count: 2) + Self.integer(bytes, offset: offset + 32, count: 2)
    guard offset + 46 + nameCount + restCount <= end else { throw Self.damaged }
    let method = Self.integer(bytes, offset: offset + 10, count: 2)
    guard Self.integer(bytes, offset: offset + 8, count: 2) & 1 == 0 else {
      throw ExchangeError(.unsupported, "has an encrypted file")
    }
    guard method == 0 || method == 8 else {
      throw ExchangeError(.unsupported, "has a file that is compressed in an unknown way")
    }
    // On Unix the upper half is the file mode, in which 12 is a symbolic link.
    guard Self.integer(bytes, offset: offset + 38, count: 4) >> 28 != 0xA else {
      throw ExchangeError(.unsupported, "has a link, which is not supported")
    }
    guard let name = String(validating: bytes[offset + 46..<offset + 46 + nameCount], as: UTF8.self) else {
      throw ExchangeError(.invalidText, "has a file whose name is not UTF-8")
    }
    let entry = Entry(
      name: name, isPacked: method == 8, checksum: UInt32(Self.integer(bytes, offset: offset + 16, count: 4)),
      packedCount: Self.integer(bytes, offset: offset + 20, count: 4),
      count: Self.integer(bytes, offset: offset + 24, count: 4),
      offset: Self.integer(bytes, offset: offset + 42, count: 4))
    offset += 46 + nameCount + restCount
    return entry
  }

  private static func check(_ entry: Entry, _ limits: Limits) throws(ExchangeError) {
    let parts = entry.name.parts(separatedBy: "/").map(String.init)
    let isFolder = entry.name.hasSuffix("/")
    let isPlain = !(isFolder ? parts.dropLast() : parts[...]).contains { ["", ".", ".."].contains($0) }
    guard isPlain, !entry.name.contains("\\"), !entry.name.contains("\u{0}"), !entry.name.contains(":") else {
      throw ExchangeError(.malformed, "has a file whose name leads out of its folder")
    }
    guard entry.count <= limits.entryByteCount, entry.count <= entry.packedCount * limits.ratio + (1 << 20) else {
      throw ExchangeError(.tooLarge, "has a file that is too large when it is unpacked")
    }
    guard entry.isPacked || entry.count == entry.packedCount else { throw damaged }
  }

  /// Refuses entries that share bytes, because they make a small file decompress to a huge one.
  private func checkOverlap(before end: Int) throws(ExchangeError) {
    var last = 0
    for entry in entries.values.sorted(by: { $0.offset < $1.offset }) {
      guard entry.offset >= last else { throw ExchangeError(.malformed, "has files that overlap") }
      last = try dataStart(of: entry) + entry.packedCount
    }
    guard last <= end else { throw Self.damaged }
  }

  /// The start of an entry's bytes, after the local header, which repeats the name.
  private func dataStart(of entry: Entry) throws(ExchangeError) -> Int {
    let offset = entry.offset
    guard offset + 30 <= bytes.count, Self.integer(bytes, offset: offset, count: 4) == 0x0403_4B50 else {
      throw Self.damaged
    }
    let nameCount = Self.integer(bytes, offset: offset + 26, count: 2)
    let start = offset + 30 + nameCount + Self.integer(bytes, offset: offset + 28, count: 2)
    guard start + entry.packedCount <= bytes.count,
      bytes[offset + 30..<offset + 30 + nameCount].elementsEqual(entry.name.utf8)
    else { throw Self.damaged }
    return start
  }

  private static var damaged: ExchangeError { ExchangeError(.malformed, "is a damaged zip file") }

  /// A little-endian integer of `count` bytes.
  private static func integer(_ bytes: [UInt8], offset: Int, count: Int) -> Int {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
