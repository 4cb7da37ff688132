import Synchronization
import VaultDocument
import VaultStorage

/// A store without replacements that leaves out the first requested record when reading, but still lists it, like a
/// mistake that skips records.
final class ForgetfulStore: ForwardingStore {
  let store: any RecordStore
  let forgets = Mutex(false)

  init(_ store: any RecordStore) { self.store = store }

  private func isForgotten(_ id: RecordID) throws(StoreError) -> Bool {
    guard forgets.withLock({ $0 }) else { return false }
    for folder in try store.recordFolders() {
      if let first = try store.records(inFolder: folder).first { return first == id }
    }
    return false
  }

  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    if case .record(let id) = location, try isForgotten(id) { return nil }
    return try store.read(location)
  }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    var known: [RecordID] = []
    for id in ids where try !isForgotten(id) { known.append(id) }
    try store.read(known, inFolder: folder, body)
  }
}
