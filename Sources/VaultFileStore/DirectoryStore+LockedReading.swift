package import VaultDocument
package import VaultStorage

extension DirectoryStore {
  /// As `read(_:inFolder:_:)`, for who holds a lock: nobody commits a batch or replaces the records meanwhile, so that is
  /// looked for once, and not with each record.
  ///
  /// - Throws: `StoreError` as `read(_:inFolder:_:)`; `.changedUnderneath` when somebody who went past the lock has replaced
  ///   the records all the same.
  package func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    // What a process that died has left stays for readers who may not write.
    guard try overlay() == nil else { return try read(ids, inFolder: folder, body) }
    let before = try recordsStatus()
    _ = try withDirectory(.folder(folder)) { (directory) throws(StoreError) in
      Self.forEach(ids, body) { (id) throws(StoreError) in try readFile(.record(id), in: directory) }
    }
    let after = try recordsStatus()
    guard before?.inode == after?.inode, before?.changed == after?.changed else {
      let records = StoreDirectory.records.path
      throw StoreError(.changedUnderneath, reason: "was replaced while it was read", path: records)
    }
  }
}
