internal import VaultCrypto
package import VaultDocument
package import VaultKit
package import VaultSealing
package import VaultStorage
package import VaultTrust

/// Compares the attachments in a store with those that its records name, live and removed; it needs no key.
package struct AttachmentCheck {
  package private(set) var faults: [VaultFault] = []
  /// The attachments that no record names, ascending; nil if an unreadable record may name any.
  package private(set) var unnamed: [AttachmentID]?

  private let files: any RecordStore
  private let isReadingAll: Bool
  private var held: Set<AttachmentID> = []

  /// Checks the files at once, and collects their faults. Errors that say nothing about a file, such as a lack of
  /// memory, are thrown.
  ///
  /// - Parameters:
  ///   - files: the store; with a malformed journal, the files without it.
  ///   - names: the attachments that its records name; only these are checked.
  ///   - isReadingAll: whether each file is read to its end. Each chunk is then opened if its record verified;
  ///     otherwise the hash is compared. Without it, only sizes are compared.
  package init(of files: any RecordStore, _ names: GatheredAttachments, readingAll isReadingAll: Bool)
    throws(VaultError)
  {
    (self.files, self.isReadingAll) = (files, isReadingAll)
    do throws(StoreError) {
      held = Set(try files.heldAttachments())
    } catch {
      faults.append(VaultFault(VaultError.Code(error), error.reason, file: error.path ?? StoreLocation.attachmentsPath))
      return
    }
    for (record, attachments, keys) in names.byRecord {
      for attachment in attachments { try check(attachment, of: record, keys) }
    }
    unnamed = names.areComplete ? held.subtracting(names.ids).sorted() : nil
  }

  package var notes: [String] {
    guard let count = unnamed?.count, count > 0 else { return [] }
    return [
      "no record names \(count) file\(count == 1 ? "" : "s") in attachments/: an interrupted change has left "
        + (count == 1 ? "it" : "them")
    ]
  }

  private mutating func check(
    _ attachment: Attachment, of record: RecordID, _ keys: AttachmentKeys?
  ) throws(VaultError) {
    let file = StoreLocation.attachment(attachment.id).relativePath
    guard held.contains(attachment.id) else {
      let reason = VaultError.missing(.attachment(attachment.id)).reason
      return faults.append(VaultFault(.missingAttachment, reason, file: file, record: record))
    }
    do throws(VaultError) {
      if isReadingAll, let keys {
        let content = try OpenedAttachment(attachment, from: files, key: keys.key(of: attachment))
        while try !content.next().isEmpty {}
      } else {
        try AttachmentStream.check(attachment, in: files, readingAll: isReadingAll)
      }
    } catch {
      faults.append(
        try VaultFault(error, code: error.code == .damaged ? .damagedAttachment : nil, file: file, record: record))
    }
  }
}

/// Makes the keys of a verified record's attachments when they are needed, because locked memory has no room for the
/// keys of all records.
package struct AttachmentKeys: Sendable {
  private let keyring: Keyring
  private let record: RecordID
  private let wrapped: WrappedKey

  /// Nil for a record without attachments.
  package init?(_ record: RecordEnvelope, _ keyring: Keyring) {
    guard !record.attachments.isEmpty else { return nil }
    (self.keyring, self.record, wrapped) = (keyring, record.id, record.wrappedKey)
  }

  func key(of attachment: Attachment) throws(VaultError) -> SecretBytes {
    try inSealing(record: record) { () throws(SealingError) in
      try keyring.rootEvenIfWaiting(hint: wrapped.rootHint).attachmentKey(of: attachment.id, record: record, wrapped)
    }
  }
}

/// The attachments that records name, live and removed, collected during a check of their files.
package struct GatheredAttachments: Sendable {
  /// The records with attachments, in the order in which they came.
  private(set) var byRecord: [(record: RecordID, attachments: [Attachment], keys: AttachmentKeys?)] = []
  /// Whether all records were there and readable.
  private(set) var areComplete = true

  var ids: Set<AttachmentID> { Set(byRecord.lazy.flatMap(\.attachments).map(\.id)) }

  package init() {}

  /// The attachments of all records in a store, which are read for it. An unreadable record or folder only makes
  /// `areComplete` false.
  package init(in files: any RecordStore) {
    do throws(StoreError) {
      for folder in try files.recordFolders() {
        try files.readRecords(inFolder: folder) { id, bytes in
          take(bytes, of: id)
          return true
        }
      }
      for id in try files.trashed() {
        take(Result { () throws(StoreError) in try files.read(.trash(id)) ?? [] }, of: id)
      }
    } catch {
      areComplete = false
    }
  }

  private mutating func take(_ bytes: Result<[UInt8], StoreError>, of record: RecordID) {
    take(NamedAttachments(in: bytes), of: record)
  }

  /// - Parameter keys: opens the attachments; nil if the record did not verify, or its key is missing.
  package mutating func take(_ named: NamedAttachments, of record: RecordID, _ keys: AttachmentKeys? = nil) {
    guard named.isReadable else { return areComplete = false }
    if !named.attachments.isEmpty { byRecord.append((record, named.attachments, keys)) }
  }

  /// Notes that the header does not require the extension that these records need, so another program could copy the
  /// vault without their attachments.
  package func notes(requirements: [String]) -> [String] {
    guard !byRecord.isEmpty, !requirements.contains(Requirements.attachments) else { return [] }
    return [
      "\(VaultHeader.fileName) does not say that the vault has attachments, so an older program would leave them out: "
        + "attaching another file corrects that"
    ]
  }

  /// Notes that there may be unseen records.
  package mutating func miss() { areComplete = false }
}
