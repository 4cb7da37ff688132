internal import Synchronization
internal import VaultDocument
internal import VaultStorage

/// Data of one moment that was read before it was requested: a reader of a folder will read the next ones, and a
/// statement for each of 256 takes longer than reading the records of many vaults.
final class RecordPrefetch: Sendable {
  /// The most records that are read ahead, and the largest size of one.
  static let (recordCount, byteCount) = (512, 8 << 10)

  /// The remaining ids of consecutive folders, and the number in each folder.
  private struct Listing {
    var ids: [UInt8: [RecordID]] = [:]
    var counts: [UInt8: Int] = [:]
  }

  private struct Run {
    var bytes: [RecordID: [UInt8]] = [:]
    var ids: ClosedRange<RecordID>?
  }

  private let listing = Mutex(Listing())
  private let run = Mutex(Run())

  /// The ids of a folder, ascending.
  ///
  /// - Parameter list: gives those of some folders, ascending.
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

  /// The bytes of all records of a folder; nil if only some of them are requested, or some cannot be read ahead.
  ///
  /// - Parameter read: gives the records from an id on, up to the limit, except those that are too large.
  func bytes(
    of ids: [RecordID], inFolder folder: UInt8,
    _ read: (RecordID) throws(StoreError) -> [(id: RecordID, bytes: [UInt8])]
  ) throws(StoreError) -> [[UInt8]]? {
    guard let first = ids.first, let last = ids.last, listing.withLock({ $0.counts[folder] == ids.count }) else {
      return nil
    }
    var fault: StoreError?
    // Other threads wait meanwhile, because they would read the same.
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
