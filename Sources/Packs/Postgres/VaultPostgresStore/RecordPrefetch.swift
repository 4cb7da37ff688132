internal import Synchronization
internal import VaultDocument
internal import VaultStorage

/// What was read of one moment before it was asked for: who reads a folder will read the next ones, and a statement for
/// each of 256 takes longer than the records of many a vault.
final class RecordPrefetch: Sendable {
  /// So many records are read ahead at most, none of them larger than this.
  static let (recordCount, byteCount) = (512, 8 << 10)

  /// Ids of folders that follow one another, as far as they were not asked for, and how many each folder has.
  private struct Listing {
    var ids: [UInt8: [RecordID]] = [:]
    var counts: [UInt8: Int] = [:]
  }

  /// Records that follow one another, as far as they were not asked for.
  private struct Run {
    var bytes: [RecordID: [UInt8]] = [:]
    var ids: ClosedRange<RecordID>?
  }

  private let listing = Mutex(Listing())
  private let run = Mutex(Run())

  /// The ids of a folder, ascending.
  ///
  /// - Parameter list: those of some folders, ascending.
  func ids(
    of folder: UInt8, _ list: (ClosedRange<UInt8>) throws(StoreError) -> [RecordID]
  ) throws(StoreError) -> [RecordID] {
    if let known = listing.withLock({ $0.ids.removeValue(forKey: folder) }) { return known }
    let folders = folder...(folder | 15)
    let found = Dictionary(grouping: try list(folders), by: \.folder)
    return listing.withLock { listing in
      for folder in folders { listing.counts[folder] = found[folder]?.count ?? 0 }
      listing.ids = Dictionary(uniqueKeysWithValues: folders.dropFirst().map { ($0, found[$0] ?? []) })
      return found[folder] ?? []
    }
  }

  /// The bytes of all records of a folder; nil where not all of it is asked for, or some of it is not to be had so.
  ///
  /// - Parameter read: the records from an id on, as many as there may be, and without those that are too large.
  func bytes(
    of ids: [RecordID], inFolder folder: UInt8,
    _ read: (RecordID) throws(StoreError) -> [(id: RecordID, bytes: [UInt8])]
  ) throws(StoreError) -> [[UInt8]]? {
    guard let first = ids.first, let last = ids.last, listing.withLock({ $0.counts[folder] == ids.count }) else {
      return nil
    }
    var fault: StoreError?
    // Others wait meanwhile, for what they would ask, too.
    let found: [[UInt8]]? = run.withLock { run in
      if run.ids?.contains(last) != true {
        do throws(StoreError) {
          let records = try read(first)
          run = Run(bytes: Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.bytes) }))
          run.ids = records.last.map { first...max(first, $0.id) }
        } catch {
          fault = error
        }
      }
      let found = ids.compactMap { run.bytes.removeValue(forKey: $0) }
      return found.count == ids.count ? found : nil
    }
    if let fault { throw fault }
    return found
  }
}
