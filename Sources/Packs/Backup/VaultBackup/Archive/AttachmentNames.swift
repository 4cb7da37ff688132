internal import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage

/// The files of attachments that the records of an archive name, live and removed. It takes no key: what a record says
/// of them counts as much as the record.
///
/// In memory are some 200 bytes for each.
final class AttachmentNames {
  private var named: [AttachmentID: BackupList.File] = [:]
  /// Those that were not there so far.
  private var missing: Set<AttachmentID> = []
  /// Whether there is a record that cannot be read: it may name any.
  private var hasUnreadable = false

  /// Takes what a record names.
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

  /// Those that belong into an archive, ascending: all that are named, and where a record cannot be read all that are
  /// there. What else is there an interruption has left.
  func wanted(of held: [AttachmentID]) -> [AttachmentID] {
    (hasUnreadable ? missing.union(held) : missing).sorted()
  }

  /// Takes a file that must be the one that is named.
  func take(_ file: BackupList.File) throws(VaultError) {
    guard case .document(.attachment(let id)) = file.member else { return }
    guard let expected = named[id] else {
      if hasUnreadable { return }
      throw VaultError(.damaged, "is an attachment that no record names", file: file.member.vaultPath)
    }
    guard file == expected else { throw .notAsNamed(.attachment(id)) }
    missing.remove(id)
  }

  /// Requires that each was there; to be asked for at the end.
  func requireAll() throws(VaultError) {
    if let first = missing.min() { throw .missing(.attachment(first)) }
  }
}

extension NamedAttachments {
  /// What a record names; nil where its bytes show, quicker than parsing them, that it names nothing.
  static func ifAny(in bytes: [UInt8]) -> NamedAttachments? {
    // The name of the member, or an escape, by which a letter of it could be spelled.
    guard bytes.span.contains("attachments") || bytes.span.contains("\\u") else { return nil }
    return NamedAttachments(in: bytes)
  }
}

extension BackupList.File {
  /// The file that a record names.
  fileprivate init(_ attachment: Attachment) {
    self.init(
      .document(.attachment(attachment.id)), byteCount: attachment.storedByteCount, sha256: attachment.sha256)
  }
}
