internal import VaultCare
internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

extension RepairPlanner {
  /// Plans to restore the file that a record names, if a history has it: the record verified, and holds the hash of the
  /// file.
  func planAttachment(_ id: AttachmentID, fault: VaultFault, fingerprint: String) throws(VaultError) -> RepairStep {
    let leaving = RepairStep(
      .leave, fault.file, record: fault.record, reason: fault.reason, remedies: fault.remedies(fingerprint))
    guard let attachment = fault.record.flatMap({ named(id, in: $0) }) else { return leaving }
    for history in histories {
      guard let found = try history.version(of: attachment) else { continue }
      return RepairStep(
        .restore, fault.file, record: fault.record, reason: fault.reason, detail: "from \(found.origin)",
        change: .restoreAttachment(attachment, from: history))
    }
    return leaving
  }

  /// The attachment in a verified record.
  private func named(_ id: AttachmentID, in record: RecordID) -> Attachment? {
    for place in StoreLocation.places(of: record) {
      guard !faults.contains(where: { $0.file == place.relativePath }), let bytes = bytes(at: place) else { continue }
      if let found = NamedAttachments(in: bytes).attachments.first(where: { $0.id == id }) { return found }
    }
    return nil
  }
}

extension FileHistory {
  /// The newest version with the content of an attachment; nil if there is no such version.
  func version(of attachment: Attachment) throws(VaultError) -> FileVersion? {
    var found: Result<FileVersion?, VaultError> = .success(nil)
    forEachVersion(of: StoreLocation.attachment(attachment.id).relativePath) { version in
      guard version.bytes.count == attachment.storedByteCount else { return true }
      found = Result { () throws(VaultError) in
        let hash = try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(version.bytes.span.bytes) }
        return hash == attachment.sha256 ? version : nil
      }
      if case .success(nil) = found { return true }
      return false
    }
    return try found.get()
  }
}

extension Vault {
  /// Writes the file of an attachment again from a history.
  ///
  /// - Parameter folder: takes the present entry of its place; called only if there is an entry.
  func restore(
    _ attachment: Attachment, from history: any FileHistory, _ lock: any StoreLock,
    aside folder: () throws(VaultError) -> AsideFolder
  ) throws(VaultError) {
    let place = StoreLocation.attachment(attachment.id)
    guard let version = try history.version(of: attachment), let directory = store as? DirectoryStore else {
      throw VaultError(
        .changedUnderneath, "is no longer in the history", file: place.relativePath)
    }
    if directory.isOccupied(place) {
      let name = place.relativePath.split(separator: "/").joined(separator: "-")
      let folder = try folder()
      try inStore { () throws(StoreError) in try directory.setAside(place, in: folder, as: name, under: lock) }
    }
    let file = try SealedFile(try inStore { () throws(StoreError) in try directory.writer(of: place, under: lock) })
    try file.append(version.bytes)
    try file.finish(as: attachment)
  }
}

extension DirectoryStore {
  /// Whether anything exists at a place, a regular file or not.
  fileprivate func isOccupied(_ place: StoreLocation) -> Bool {
    do throws(StoreError) {
      return try reader(of: place) != nil
    } catch {
      return true
    }
  }
}
