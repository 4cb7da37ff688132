package import VaultDocument
internal import VaultSealing
internal import VaultStorage

/// Sealed files of attachments that lie elsewhere: those with these ids, each from its beginning on, some bytes at a
/// time, and one after the other.
package typealias AttachmentFiles =
  @Sendable (
    _ ids: Set<AttachmentID>,
    _ take: (_ id: AttachmentID, _ bytes: [UInt8], _ isLast: Bool) throws(VaultError) -> Void
  ) throws(VaultError) -> Void

extension Vault {
  /// Copies files that records name and that are not here, or are not as named, byte for byte: they are of a data key
  /// that stays. It comes before the records are written.
  ///
  /// - Returns: those that were not here.
  /// - Throws: ``VaultError`` `.usage` where the vault's store keeps no attachments, `.damaged` for a file that is
  ///   another one, as writing does, and what `files` throws; nothing was added then.
  func copyAttachments(
    of records: [OpenRecord], from files: AttachmentFiles, _ lock: any StoreLock
  ) throws(VaultError) -> [AttachmentID] {
    var wanted: [AttachmentID: Attachment] = [:]
    for attachment in records.filter(keepsDataKey).flatMap(\.attachments) where try !isHere(attachment) {
      wanted[attachment.id] = attachment
    }
    guard !wanted.isEmpty else { return [] }
    let store = try attachmentStore()
    try requireExtension(lock)
    var copy = CopiedFiles(to: store, lock)
    do throws(VaultError) {
      try files(Set(wanted.keys)) { id, bytes, isLast throws(VaultError) in
        if let attachment = wanted[id] { try copy.take(bytes, of: attachment, isLast: isLast) }
      }
    } catch {
      try? store.removeAttachments(copy.added, under: lock)
      throw error
    }
    return copy.added
  }

  /// Whether a record of another state of this vault comes back with its data key, and so with its files as they are.
  private func keepsDataKey(_ record: OpenRecord) -> Bool {
    record.verified.keys.vaultID == header.vaultID && !isOfOtherRoot(record)
  }

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

/// Files on their way into the store, one after the other.
private struct CopiedFiles {
  private let store: any AttachmentStore
  private let lock: any StoreLock
  private var file: SealedFile?
  /// Those that were not there before.
  private(set) var added: [AttachmentID] = []

  init(to store: any AttachmentStore, _ lock: any StoreLock) { (self.store, self.lock) = (store, lock) }

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
    if mark == nil { added.append(attachment.id) }
  }
}
