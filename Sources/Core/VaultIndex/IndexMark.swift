package import VaultDocument
package import VaultStorage

/// The stamp of a folder or a file, and when it was read: five numbers that are kept as they stand in memory.
package struct IndexMark: BitwiseCopyable, Sendable {
  private static let missing = StoreStamp(inode: 0, byteCount: 0, modified: 0, changed: 0)

  private let stamp: StoreStamp
  /// In nanoseconds since 1970.
  private let readAt: Int64

  /// - Parameters:
  ///   - stamp: nil for a folder that is not there.
  ///   - readAt: the time before anything was read.
  package init(_ stamp: StoreStamp?, readAt: Timestamp) {
    self.stamp = stamp ?? Self.missing
    self.readAt = readAt.secondsSinceEpoch &* 1_000_000_000 &+ Int64(readAt.nanoseconds)
  }

  /// Whether what was read under the mark is what is there, by a stamp taken now.
  ///
  /// What had changed just before it was read may have changed once more within the same tick of the file system's
  /// clock, under the same stamp: it is read again, as git does with what it calls racy.
  package func isCurrent(_ stamp: StoreStamp?) -> Bool {
    guard isOf(stamp) else { return false }
    guard let stamp else { return true }
    let (age, isOverflown) = readAt.subtractingReportingOverflow(max(stamp.modified, stamp.changed))
    return !isOverflown && age > tick
  }

  /// Whether this is the stamp, however long before it was read the last change was.
  package func isOf(_ stamp: StoreStamp?) -> Bool { self.stamp == stamp ?? Self.missing }

  /// How long two changes can have the same time: two seconds where a time is of whole seconds, else two hundredths.
  private var tick: Int64 {
    let isWhole = stamp.modified % 1_000_000_000 == 0 || stamp.changed % 1_000_000_000 == 0
    return isWhole ? 2_000_000_000 : 20_000_000
  }
}
