package import VaultDocument

/// What a store tells of a folder or a document without opening it: two equal stamps are of the same content, unless it
/// changed twice within one tick of the store's clock.
package struct StoreStamp: BitwiseCopyable, Hashable, Sendable {
  /// Which file it is.
  package let inode: UInt64
  /// Its size.
  package let byteCount: Int
  /// When its content was written last, as anybody may have set it, in nanoseconds since 1970.
  package let modified: Int64
  /// When anything of it changed last, by the system's own clock, in the same way.
  package let changed: Int64

  /// A stamp of these four.
  package init(inode: UInt64, byteCount: Int, modified: Int64, changed: Int64) {
    self.inode = inode
    self.byteCount = byteCount
    self.modified = modified
    self.changed = changed
  }
}

/// A store that tells, without reading, whether its records may have changed: what a cache of them is validated by.
///
/// Whoever adds, replaces or removes a record changes the stamp of its folder, and whoever writes into a record's file
/// the stamp of that file alone.
package protocol StampedStore: RecordStore {
  /// Whether a batch is committed and not in place yet: then stamps are of neither state.
  func hasPendingBatch() throws(StoreError) -> Bool

  /// The stamps of the 256 folders of records, by their numbers; nil for one that is not there.
  func folderStamps() throws(StoreError) -> [StoreStamp?]

  /// The stamps of live records, in the order of `ids`; nil for one that is not there.
  ///
  /// - Parameter ids: fastest when they are sorted.
  func recordStamps(of ids: [RecordID]) throws(StoreError) -> [StoreStamp?]
}
