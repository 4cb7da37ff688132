internal import Synchronization
internal import VaultDocument
internal import VaultStorage

/// Data of one moment that was read before it was requested: a reader of a folder will read the next ones, and a
/// statement for each of 256 takes longer than reading the records of many vaults.
final class RecordPrefetch: Sendable {
  /// The most records that are read ahead, and the largest size of one.
  static let (recordCount, byteCount) = (512, 8 << 10)

  /// The most ids that are listed at once.
  static let idCount = 32_768

  /// The remaining ids of consecutive folders, and the number in each folder.
  private struct Listing {
    var ids: [UInt8: [RecordID]] = [:]
    var counts: [UInt8: Int] = [:]
  }

  private struct Run {
    var bytes: [RecordID: [UInt8]] = [:]
    var ids: ClosedRange<RecordID>?

    /// Nil if some of them are not there.
    mutating func take(_ ids: [RecordID]) -> [[UInt8]]? {
      let found = ids.compactMap { bytes.removeValue(forKey: $0) }
      return found.count == ids.count ? found : nil
    }
  }

  private let listing = Mutex(Listing())
  /// The latest ones, because threads read in different places.
  private let runs = Mutex<[Run]>([])
  private static let runCount = 4

  /// The ids of a folder, ascending.
  ///
  /// - Parameter list: gives the ids from a folder to another one, ascending, up to a limit; nil for all.
  func ids(
    of folder: UInt8, _ list: (ClosedRange<UInt8>, _ limit: Int?) throws(StoreError) -> [RecordID]
  ) throws(StoreError) -> [RecordID] {
    var fault: StoreError?
    // Other threads wait meanwhile, because they would list the same.
    let found: [RecordID] = listing.withLock { listing in
      if let known = listing.ids.removeValue(forKey: folder) { return known }
      do throws(StoreError) {
        let found = try list(folder...0xFF, Self.idCount)
        // The last folder may go on after the limit.
        let isCut = found.count >= Self.idCount
        let end = isCut ? found.last.map { Int($0.folder) } ?? 256 : 256
        let whole = Int(folder) < end ? folder...UInt8(end - 1) : folder...folder
        let ids = Dictionary(
          grouping: Int(folder) < end ? found : try list(whole, nil), by: \.folder)
        for folder in whole { listing.counts[folder] = ids[folder]?.count ?? 0 }
        for folder in whole.dropFirst() { listing.ids[folder] = ids[folder] ?? [] }
        return ids[folder] ?? []
      } catch {
        fault = error
        return []
      }
    }
    if let fault { throw fault }
    return found
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
    let found: [[UInt8]]? = runs.withLock { runs in
      if let index = runs.firstIndex(where: { $0.ids?.contains(first) == true && $0.ids?.contains(last) == true }) {
        return runs[index].take(ids)
      }
      do throws(StoreError) {
        let records = try read(first)
        var run = Run(bytes: Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.bytes) }))
        run.ids = records.last.map { first...max(first, $0.id) }
        defer { runs = [run] + runs.prefix(Self.runCount - 1) }
        return run.take(ids)
      } catch {
        fault = error
        return nil
      }
    }
    if let fault { throw fault }
    return found
  }
}
