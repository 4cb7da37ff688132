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
  /// What had changed just before it was read may have changed once more within the same tick of the file system's clock,
  /// under the same stamp: it is read again, as git does with what it calls racy.
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
  private static let byteCount = 40

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
  package let mark: IndexMark
  package let kind: String
  package let name: String
  package let revision: Int
  package let createdAt: Timestamp
  package let updatedAt: Timestamp

  package init(
    id: RecordID, mark: IndexMark, kind: String, name: String, revision: Int, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    (self.id, self.mark, self.kind, self.name) = (id, mark, kind, name)
    (self.revision, self.createdAt, self.updatedAt) = (revision, createdAt, updatedAt)
  }
}

/// What is known of one file.
package enum IndexedRecord: Sendable {
  /// A record, and its readable values.
  case record(IndexRow, RecordText)
  /// A file whose content is not kept, be it damaged or not to be copied: it is read each time.
  case watched(RecordID, IndexMark)

  package var id: RecordID {
    switch self {
    case .record(let row, _): row.id
    case .watched(let id, _): id
    }
  }
}
