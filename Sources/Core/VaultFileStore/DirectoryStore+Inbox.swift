package import VaultDocument
package import VaultStorage
internal import VaultSystem

extension DirectoryStore: InboxStore {
  package func deposits() throws(StoreError) -> [DepositID] {
    try identifiers(in: .inbox, seeing: nil)
  }

  package func removeDeposits(_ ids: [DepositID], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    var refusal: StoreError?
    try PendingWrites.during { () throws(StoreError) in
      _ = try withDirectory(.inbox) { (directory) throws(StoreError) in
        for place in ids.map(StoreLocation.inbox) {
          do throws(StoreError) {
            _ = try files.callIfPresent(at: place.relativePath) { (system) throws(Errno) in
              try system.removeFile(place.fileName, in: directory)
            }
          } catch {
            // Such as a folder, which keeps no other entry from being removed.
            refusal = refusal ?? error
          }
        }
        try files.sync(directory, at: StoreDirectory.inbox.path)
      }
    }
    written.note(ids.lazy.map { .inbox($0) }, madeOrRemoved: !ids.isEmpty)
    if let refusal { throw refusal }
  }
}
