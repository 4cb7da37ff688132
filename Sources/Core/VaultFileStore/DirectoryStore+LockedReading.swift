public import VaultDocument
public import VaultStorage
internal import VaultSystem

extension DirectoryStore {
  public func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try readLocked(ids, inFolder: folder, noting: { _, _ in }, body)
  }

  /// Like `readLocked(_:inFolder:_:)`; `note` gets the status of each file.
  func readLocked(
    _ ids: [RecordID], inFolder folder: UInt8, noting note: (RecordID, FileStatus) -> Void,
    _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    // Leftovers of a crashed process stay if readers may not write.
    guard try overlay() == nil else { return try read(ids, inFolder: folder, noting: note, body) }
    let before = try recordsStatus()
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    _ = try withDirectory(.folder(folder)) { (directory) throws(StoreError) in
      Self.forEach(ids, body: body) { (id) throws(StoreError) in
        let place = StoreLocation.record(id)
        return try files.contents(
          of: place.fileName, in: directory, limit: place.byteLimit, by: &buffer, noting: { note(id, $0) },
          at: place.relativePath)
      }
    }
    let after = try recordsStatus()
    guard before?.inode == after?.inode, before?.changed == after?.changed else {
      let records = StoreDirectory.records.path
      throw StoreError(.changedUnderneath, reason: "was replaced while it was being read", path: records)
    }
  }
}

extension FileSystem {
  /// Like `contents(of:in:limit:)`, through one buffer for many files: clearing new memory for each file costs more
  /// than a copy. A file larger than the buffer is read separately.
  fileprivate func contents(
    of name: String, in directory: Int32, limit: Int, by buffer: inout [UInt8], noting note: (FileStatus) -> Void,
    at path: @autoclosure () -> String
  ) throws(StoreError) -> [UInt8]? {
    guard let file = try openIfPresent(name, in: directory, as: .reading, at: path()) else { return nil }
    let status = try regularStatus(of: file.descriptor, at: path())
    note(status)
    guard status.byteCount < buffer.count else {
      return try contents(of: file.descriptor, status, limit: limit, at: path())
    }
    let count = try fill(&buffer, from: file.descriptor, enough: status.byteCount, at: path())
    guard count <= status.byteCount else {
      throw StoreError(.changedUnderneath, reason: "the file changed while it was being read", path: path())
    }
    return Array(buffer[..<count])
  }
}
