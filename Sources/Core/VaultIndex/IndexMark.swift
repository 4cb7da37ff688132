package import VaultDocument
package import VaultStorage

/// The stamp of a folder or a file, and the time of reading it: five numbers, stored as they stand in memory.
package struct IndexMark: BitwiseCopyable, Sendable {
  private static let missing = StoreStamp(inode: 0, byteCount: 0, modified: 0, changed: 0)

  private let stamp: StoreStamp
  /// In nanoseconds since 1970.
  private let readAt: Int64

  /// - Parameters:
  ///   - stamp: nil for a missing folder.
  ///   - readAt: the time before anything was read.
  package init(_ stamp: StoreStamp?, readAt: Timestamp) {
    self.stamp = stamp ?? Self.missing
    self.readAt = readAt.secondsSinceEpoch &* 1_000_000_000 &+ Int64(readAt.nanoseconds)
  }

  /// Whether data read under this mark is current, given a stamp taken now.
  ///
  /// A file that changed just before it was read may have changed again within the same tick of the file system's
  /// clock, under the same stamp. Such a file is read again, as git does with racy files.
  package func isCurrent(_ stamp: StoreStamp?) -> Bool {
    guard isOf(stamp) else { return false }
    guard let stamp else { return true }
    let (age, isOverflown) = readAt.subtractingReportingOverflow(max(stamp.modified, stamp.changed))
    return !isOverflown && age > tick
  }

  /// Whether this is the stamp, no matter how long before the reading the last change was.
  package func isOf(_ stamp: StoreStamp?) -> Bool { self.stamp == stamp ?? Self.missing }

  /// How long two changes can have the same time: two seconds if times are whole seconds, else two hundredths.
  private var tick: Int64 {
    let isWhole = stamp.modified % 1_000_000_000 == 0 || stamp.changed % 1_000_000_000 == 0
    return isWhole ? 2_000_000_000 : 20_000_000
  }
}
