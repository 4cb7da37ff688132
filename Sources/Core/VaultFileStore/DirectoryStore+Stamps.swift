package import VaultDocument
public import VaultStorage
internal import VaultSystem

extension DirectoryStore: StampedStore {
  public func hasPendingBatch() throws(StoreError) -> Bool { try journalStatus() != nil }

  package func folderStamps() throws(StoreError) -> [StoreStamp?] {
    let stamps = try withDirectory(.records) { (records) throws(StoreError) in
      var stamps: [StoreStamp?] = []
      stamps.reserveCapacity(256)
      for number in UInt8.min...UInt8.max {
        let folder = StoreDirectory.folder(number)
        let status = try status(of: folder.name, in: records, at: folder.path)
        guard status.map({ $0.kind == .directory }) ?? true else {
          throw StoreError(.notADirectory, reason: "is not a folder", path: folder.path)
        }
        stamps.append(status.map(StoreStamp.init))
      }
      return stamps
    }
    return stamps ?? [StoreStamp?](repeating: nil, count: 256)
  }

  package func recordStamps(of ids: [RecordID]) throws(StoreError) -> [StoreStamp?] {
    let stamps = try withDirectory(.records) { (records) throws(StoreError) in
      var stamps: [StoreStamp?] = []
      stamps.reserveCapacity(ids.count)
      var rest = ids[...]
      while let first = rest.first {
        let run = rest.prefix { $0.folder == first.folder }
        rest = rest.dropFirst(run.count)
        try appendStamps(of: run, in: .folder(first.folder), below: records, to: &stamps)
      }
      return stamps
    }
    return stamps ?? [StoreStamp?](repeating: nil, count: ids.count)
  }

  private func appendStamps(
    of ids: ArraySlice<RecordID>, in folder: StoreDirectory, below records: Int32, to stamps: inout [StoreStamp?]
  ) throws(StoreError) {
    guard let file = try files.openIfPresent(folder.name, in: records, as: .directory, at: folder.path) else {
      stamps.append(contentsOf: repeatElement(nil, count: ids.count))
      return
    }
    for id in ids {
      let location = StoreLocation.record(id)
      let status = try status(of: location.fileName, in: file.descriptor, at: location.relativePath)
      stamps.append(status.map(StoreStamp.init))
    }
  }

  private func status(
    of name: String, in directory: Int32, at path: @autoclosure () -> String
  ) throws(StoreError) -> FileStatus? {
    try files.callIfPresent(at: path()) { (system) throws(Errno) in
      try system.status(of: name, in: directory, followingLink: false)
    }
  }
}

extension StoreStamp {
  fileprivate init(_ status: FileStatus) {
    self.init(inode: status.inode, byteCount: status.byteCount, modified: status.modified, changed: status.changed)
  }
}
