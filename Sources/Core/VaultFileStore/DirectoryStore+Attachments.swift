public import VaultDocument
public import VaultStorage
internal import VaultSystem

extension DirectoryStore: AttachmentStore {
  public func attachments() throws(StoreError) -> [AttachmentID] {
    var ids: [AttachmentID] = []
    for entry in try entries(of: .attachments) {
      guard let folder = StoreDirectory.attachmentFolder(named: entry) else { continue }
      ids += try identifiers(in: folder, seeing: nil)
    }
    return ids.sorted()
  }

  public func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    try PendingWrites.during { () throws(StoreError) in
      for (folder, ids) in Dictionary(grouping: ids, by: \.folder).sorted(by: { $0.key < $1.key }) {
        try removeAttachments(ids, inFolder: folder)
      }
    }
    written.note(ids.lazy.map { .attachment($0) }, madeOrRemoved: !ids.isEmpty)
  }

  private func removeAttachments(_ ids: [AttachmentID], inFolder number: UInt8) throws(StoreError) {
    let folder = StoreDirectory.attachmentFolder(number)
    _ = try withDirectory(folder) { (directory) throws(StoreError) in
      for id in ids {
        _ = try files.callIfPresent(at: folder.path(of: id.text)) { (system) throws(Errno) in
          try system.removeFile(id.text, in: directory)
        }
      }
      try files.sync(directory, at: folder.path)
    }
  }

  /// Entries that do not belong among the attachments, as paths.
  func strayAttachments() throws(StoreError) -> [String] {
    var strays: [String] = []
    for entry in try entries(of: .attachments) where !entry.isHidden {
      guard let folder = StoreDirectory.attachmentFolder(named: entry) else {
        strays.append(StoreDirectory.attachments.path(of: entry.printableName))
        continue
      }
      strays += try strayEntries(ofFolder: folder)
    }
    return strays
  }
}

extension StoreDirectory {
  /// The attachment folder that an entry of `attachments/` names.
  static func attachmentFolder(named entry: DirectoryEntry) -> StoreDirectory? {
    folder(named: entry)?.number.map { .attachmentFolder($0) }
  }
}
