package import VaultDocument
package import VaultStorage
internal import VaultSystem

extension DirectoryStore: InboxStore {
  package func deposits() throws(StoreError) -> [DepositID] {
    try identifiers(in: .inbox, seeing: nil)
  }

  package func removeDeposits(_ ids: [DepositID], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    try PendingWrites.during { () throws(StoreError) in
      _ = try withDirectory(.inbox) { (directory) throws(StoreError) in
        for place in ids.map(StoreLocation.inbox) {
          _ = try files.callIfPresent(at: place.relativePath) { (system) throws(Errno) in
            try system.removeFile(place.fileName, in: directory)
          }
        }
        try files.sync(directory, at: StoreDirectory.inbox.path)
      }
    }
    written.note(ids.lazy.map { .inbox($0) }, madeOrRemoved: !ids.isEmpty)
  }
}
