internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage

/// The attachments that the records of an archive name, live and removed. No key is needed, because an entry is as
/// authentic as its record.
///
/// Each takes about 200 bytes of memory.
final class AttachmentNames {
  private var named: [AttachmentID: BackupList.File] = [:]
  /// The attachments whose files were not seen yet.
  private var missing: Set<AttachmentID> = []
  /// Whether a record cannot be read. Such a record may name any attachment.
  private var hasUnreadable = false

  func take(_ names: NamedAttachments?) throws(VaultError) {
    guard let names else { return }
    if !names.isReadable { hasUnreadable = true }
    for attachment in names.attachments {
      let file = BackupList.File(attachment)
      let other = named.updateValue(file, forKey: attachment.id)
      guard other == nil || other == file else { throw .notAsNamed(.attachment(attachment.id)) }
      missing.insert(attachment.id)
    }
  }

  /// The attachments for an archive, ascending: all that are named, or all that exist if a record cannot be read. An
  /// interruption left the others.
  func wanted(of held: [AttachmentID]) -> [AttachmentID] {
    (hasUnreadable ? missing.union(held) : missing).sorted()
  }

  /// Takes a file, which must match the named one.
  func take(_ file: BackupList.File) throws(VaultError) {
    guard case .document(.attachment(let id)) = file.member else { return }
    guard let expected = named[id] else {
      if hasUnreadable { return }
      throw VaultError(.damaged, "is an attachment that no record names", file: file.member.vaultPath)
    }
    guard file == expected else { throw .notAsNamed(.attachment(id)) }
    missing.remove(id)
  }

  /// Requires that each attachment was seen. Call it at the end.
  func requireAll() throws(VaultError) {
    if let first = missing.min() { throw .missing(.attachment(first)) }
  }
}

extension NamedAttachments {
  /// The attachments of a record; nil if a search, which is faster than parsing, finds nothing.
  static func ifAny(in bytes: [UInt8]) -> NamedAttachments? {
    // An escape could spell a letter of the member's name.
    guard bytes.span.contains("attachments") || bytes.span.contains("\\u") else { return nil }
    return NamedAttachments(in: bytes)
  }
}

extension BackupList.File {
  fileprivate init(_ attachment: Attachment) {
    self.init(
      .document(.attachment(attachment.id)), byteCount: attachment.storedByteCount, sha256: attachment.sha256)
  }
}
