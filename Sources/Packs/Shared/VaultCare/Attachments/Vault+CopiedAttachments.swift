package import VaultDocument
package import VaultKit
internal import VaultSealing
package import VaultStorage
package import VaultTrust

/// Sealed attachment files from another place: the files with these ids, one after the other, each from its beginning,
/// piece by piece.
package typealias AttachmentFiles =
  @Sendable (
    _ ids: Set<AttachmentID>,
    _ take: (_ id: AttachmentID, _ bytes: [UInt8], _ isLast: Bool) throws(VaultError) -> Void
  ) throws(VaultError) -> Void

extension RecordStore {
  /// The sealed attachment files of this store. Missing files are skipped.
  package var attachmentFiles: AttachmentFiles {
    { ids, take throws(VaultError) in
      for id in ids.sorted() {
        let place = StoreLocation.attachment(id)
        guard let reader = try inStore({ () throws(StoreError) in try self.reader(of: place) }) else { continue }
        var piece = try inStore { () throws(StoreError) in try reader.next() }
        while !piece.isEmpty {
          let next = try inStore { () throws(StoreError) in try reader.next() }
          try take(id, piece, next.isEmpty)
          piece = next
        }
      }
    }
  }
}

extension Vault {
  /// Copies, byte for byte, the attachment files that records of another state of this vault name and that are missing
  /// or different here. It must come before the records are written, and before records with another data key are
  /// sealed again. The caller runs it in `addingAttachments`, which removes copies after an error.
  package func copyAttachments(
    of records: [OpenRecord], from files: AttachmentFiles, _ lock: any StoreLock
  ) throws(VaultError) {
    var wanted: [AttachmentID: Attachment] = [:]
    let own = records.filter { $0.verified.keys.vaultID == header.vaultID }
    for attachment in own.flatMap(\.attachments) where try !isHere(attachment) { wanted[attachment.id] = attachment }
    guard !wanted.isEmpty else { return }
    let store = try attachmentStore()
    try requireExtension(lock)
    var copy = CopiedFiles(to: store, lock)
    try files(Set(wanted.keys)) { id, bytes, isLast throws(VaultError) in
      if let attachment = wanted[id] { try copy.take(bytes, of: attachment, isLast: isLast) }
    }
  }

  /// Runs a step that adds attachments to the store. If it fails, new attachments that no record names are removed,
  /// unless the step may have stored the records.
  package func addingAttachments<Result>(
    _ lock: any StoreLock, _ step: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let held = try inStore { () throws(StoreError) in try store.heldAttachments() }
    do throws(VaultError) {
      return try step()
    } catch {
      if !error.mayBeStored(in: store), let new = try? Set(store.heldAttachments()).subtracting(held), !new.isEmpty {
        _ = try? removeUnnamedAttachments(among: new, lock)
      }
      throw error
    }
  }

  /// Reads the whole file. False if the file is missing or is another one.
  private func isHere(_ attachment: Attachment) throws(VaultError) -> Bool {
    do throws(VaultError) {
      try AttachmentStream.check(attachment, in: store, readingAll: true)
      return true
    } catch {
      guard error.code == .damaged else { throw error }
      return false
    }
  }
}

/// Files that are being copied into the store, one after the other.
private struct CopiedFiles {
  private let store: any AttachmentStore
  private let lock: any StoreLock
  private var file: SealedFile?

  init(to store: any AttachmentStore, _ lock: any StoreLock) { (self.store, self.lock) = (store, lock) }

  /// Takes the pieces of one file after the other. The last piece puts its file in place, if the file has the expected
  /// hash.
  mutating func take(_ bytes: [UInt8], of attachment: Attachment, isLast: Bool) throws(VaultError) {
    let place = StoreLocation.attachment(attachment.id)
    let file: SealedFile
    if let current = self.file {
      file = current
    } else {
      file = try SealedFile(inStore { () throws(StoreError) in try store.writer(of: place, under: lock) })
    }
    self.file = isLast ? nil : file
    try file.append(bytes)
    guard isLast else { return }
    let mark = try inStore { () throws(StoreError) in try store.mark(of: place) }
    try file.finish(as: attachment, replacing: mark)
  }
}
