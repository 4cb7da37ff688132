package import VaultDocument

/// The metadata of a folder or a document, available without opening it. Equal stamps mean equal content, unless it
/// changed twice within one tick of the store's clock.
package struct StoreStamp: BitwiseCopyable, Hashable, Sendable {
  package let inode: UInt64
  package let byteCount: Int
  /// The modification time, which anybody may have set, in nanoseconds since 1970.
  package let modified: Int64
  /// The time of the last change of anything, by the system's own clock, in nanoseconds since 1970.
  package let changed: Int64

  package init(inode: UInt64, byteCount: Int, modified: Int64, changed: Int64) {
    self.inode = inode
    self.byteCount = byteCount
    self.modified = modified
    self.changed = changed
  }
}

/// A store that tells, without reading, whether its records may have changed, so that a cache of them can be validated.
///
/// Adding, replacing or removing a record changes the stamp of its folder. Writing into a record's file changes only
/// the stamp of that file.
package protocol StampedStore: RecordStore {
  /// Whether a batch is committed but not in place yet; stamps then belong to neither state.
  func hasPendingBatch() throws(StoreError) -> Bool

  /// The stamps of the 256 folders of records, by number; nil for a missing folder.
  func folderStamps() throws(StoreError) -> [StoreStamp?]

  /// Whether the stamp of a folder changes with each change of its records. Then the stamps of the records are not
  /// read.
  var foldersTellChanges: Bool { get }

  /// The stamps of live records, in the order of `ids`; nil for a missing record.
  ///
  /// - Parameter ids: fastest if they are sorted.
  func recordStamps(of ids: [RecordID]) throws(StoreError) -> [StoreStamp?]
}

extension StampedStore {
  package var foldersTellChanges: Bool { false }
}
