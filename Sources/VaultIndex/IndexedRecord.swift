package import VaultDocument
package import VaultStorage

/// The stamp of a folder or a file, and when it was read.
package struct IndexMark: Sendable {
  /// Nil for a folder that is not there.
  package let stamp: StoreStamp?
  /// When what the stamp stands for was read, after the stamp was taken, in nanoseconds since 1970.
  package let readAt: Int64

  /// - Parameter readAt: the time before anything was read.
  package init(_ stamp: StoreStamp?, readAt: Timestamp) {
    self.init(stamp, readAt: readAt.secondsSinceEpoch &* 1_000_000_000 &+ Int64(readAt.nanoseconds))
  }

  private init(_ stamp: StoreStamp?, readAt: Int64) {
    self.stamp = stamp
    self.readAt = readAt
  }

  /// Whether what was read under the mark is what is there, by a stamp taken now.
  ///
  /// What had changed just before it was read may have changed once more within the same tick of the file system's
  /// clock, under the same stamp: it is read again, as git does with what it calls racy.
  package func isCurrent(_ stamp: StoreStamp?) -> Bool {
    guard self.stamp == stamp else { return false }
    guard let stamp else { return true }
    let latest = max(stamp.modified, stamp.changed)
    let (age, isOverflown) = readAt.subtractingReportingOverflow(latest)
    return !isOverflown && age > Self.tick(of: stamp)
  }

  /// How long two changes can have the same time: two seconds where a time is of whole seconds, else two hundredths.
  private static func tick(of stamp: StoreStamp) -> Int64 {
    let isWhole = stamp.modified % 1_000_000_000 == 0 || stamp.changed % 1_000_000_000 == 0
    return isWhole ? 2_000_000_000 : 20_000_000
  }
}

extension IndexMark {
  static let byteCount = 40

  /// Five numbers of 8 bytes, the lowest byte first; those of nothing are 0.
  var bytes: [UInt8] {
    [UInt8](capacity: Self.byteCount) { output in
      for number in [
        stamp?.inode ?? 0, UInt64(stamp?.byteCount ?? 0), UInt64(bitPattern: stamp?.modified ?? 0),
        UInt64(bitPattern: stamp?.changed ?? 0), UInt64(bitPattern: readAt),
      ] {
        for shift in 0..<8 { output.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
      }
    }
  }

  @unsafe init(_ bytes: UnsafeRawBufferPointer) throws(IndexFailure) {
    guard bytes.count == Self.byteCount else { throw .damaged }
    func number(_ index: Int) -> UInt64 {
      UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
    guard let byteCount = Int(exactly: number(1)) else { throw .damaged }
    let stamp = StoreStamp(
      inode: number(0), byteCount: byteCount, modified: Int64(bitPattern: number(2)),
      changed: Int64(bitPattern: number(3)))
    self.init(stamp.inode == 0 ? nil : stamp, readAt: Int64(bitPattern: number(4)))
  }
}

/// One record as a list shows it.
package struct IndexRow: Sendable {
  package let id: RecordID
  package let kind: String
  package let name: String
  package let revision: Int
  package let createdAt: Timestamp
  package let updatedAt: Timestamp

  package init(
    id: RecordID, kind: String, name: String, revision: Int, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    (self.id, self.kind, self.name, self.revision) = (id, kind, name, revision)
    (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
  }
}

extension IndexRow {
  /// All of it but the id in one piece, which is read faster than a dozen columns: the mark, five numbers, the size of
  /// the kind's name and it, the name; and a sum of these and the id, so that no damage is shown.
  func bytes(_ mark: IndexMark) -> [UInt8] {
    let numbers = [
      Int64(revision), createdAt.secondsSinceEpoch, Int64(createdAt.nanoseconds), updatedAt.secondsSinceEpoch,
      Int64(updatedAt.nanoseconds),
    ]
    var bytes = mark.bytes
    for number in numbers { bytes.append(littleEndian: number) }
    // A kind's name has at most 64 bytes (format 1, section 12, Limits).
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: kind.utf8.count))
    bytes += kind.utf8
    bytes += name.utf8
    bytes.append(littleEndian: unsafe bytes.withUnsafeBytes { unsafe StoredRow.checksum($0, of: id) })
    return bytes
  }
}

/// A look at what `IndexRow.bytes` has written.
@safe struct StoredRow {
  private static let fixedByteCount = IndexMark.byteCount + 5 * 8 + 2
  /// Of a row without kind and name, with the sum.
  static let minimumByteCount = fixedByteCount + 8

  let id: RecordID
  private let content: UnsafeRawBufferPointer
  private let kindEnd: Int

  /// Looks at bytes, which must live as long as this.
  ///
  /// - Throws: ``IndexFailure`` `.damaged`.
  @unsafe init(_ id: RecordID, _ bytes: UnsafeRawBufferPointer) throws(IndexFailure) {
    let end = bytes.count - 8
    guard end >= Self.fixedByteCount else { throw .damaged }
    let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<end])
    guard unsafe bytes.number(at: end, as: UInt64.self) == Self.checksum(content, of: id) else { throw .damaged }
    let kindEnd = unsafe Self.fixedByteCount + Int(bytes.number(at: Self.fixedByteCount - 2, as: UInt16.self))
    guard kindEnd <= end else { throw .damaged }
    (self.id, self.kindEnd) = (id, kindEnd)
    unsafe self.content = content
  }

  var mark: IndexMark {
    get throws(IndexFailure) {
      try unsafe IndexMark(UnsafeRawBufferPointer(rebasing: content[..<IndexMark.byteCount]))
    }
  }

  var revision: Int { Int(number(0)) }
  var createdAt: Timestamp { get throws(IndexFailure) { try time(1) } }
  var updatedAt: Timestamp { get throws(IndexFailure) { try time(3) } }

  // The sum has vouched for them: what was written was text.
  var kind: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: content[Self.fixedByteCount..<kindEnd])
  }
  var name: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: content[kindEnd...]) }

  private func number(_ index: Int) -> Int64 {
    unsafe content.number(at: IndexMark.byteCount + 8 * index, as: Int64.self)
  }

  private func time(_ index: Int) throws(IndexFailure) -> Timestamp {
    guard let nanoseconds = Int32(exactly: number(index + 1)),
      let time = try? Timestamp(secondsSinceEpoch: number(index), nanoseconds: nanoseconds)
    else { throw .damaged }
    return time
  }

  fileprivate static func checksum(_ bytes: UnsafeRawBufferPointer, of id: RecordID) -> UInt64 {
    var sum = Checksum()
    unsafe sum.add(bytes)
    sum.add(id.halves.0)
    sum.add(id.halves.1)
    return sum.value
  }
}

extension UnsafeRawBufferPointer {
  /// The number at an offset, its lowest byte first; the caller has checked that it is there.
  @unsafe func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
    Number(littleEndian: unsafe loadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }
}

/// What is known of one file.
package enum IndexedRecord: Sendable {
  /// A record, under which mark it was read, and its readable values.
  case record(IndexRow, IndexMark, RecordText)
  /// A file whose content is not kept, be it damaged or not to be copied: it is read each time.
  case watched(RecordID, IndexMark)

  package var id: RecordID {
    switch self {
    case .record(let row, _, _): row.id
    case .watched(let id, _): id
    }
  }
}
