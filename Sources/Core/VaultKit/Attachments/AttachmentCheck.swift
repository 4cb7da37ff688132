internal import VaultCrypto
package import VaultDocument
package import VaultSealing
package import VaultStorage
internal import VaultTrust

/// Compares the attachments that a store holds with those that its records name, live and removed; it takes no key.
package struct AttachmentCheck {
  package private(set) var faults: [VaultFault] = []
  /// Those that no record names, ascending; nil where a record cannot be read, which may name any.
  package private(set) var unnamed: [AttachmentID]?

  private let files: any RecordStore
  private let isReadingAll: Bool
  private var held: Set<AttachmentID> = []

  /// - Parameters:
  ///   - files: the store; with a malformed journal, the files as they are without it.
  ///   - names: what its records name; only of those are the attachments looked at.
  ///   - isReadingAll: whether each file is read to its end: where its record verified each chunk is opened, elsewhere
  ///     the hash is compared. Otherwise only sizes are.
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

  /// What is nothing wrong but worth knowing.
  package var notes: [String] {
    guard let count = unnamed?.count, count > 0 else { return [] }
    return [
      "no record names \(count) file\(count == 1 ? "" : "s") in attachments/: what was interrupted has left "
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

/// Makes the keys of the attachments of a record that verified, when they are needed: locked memory has no room for the
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
      try keyring.recordRoot(hint: wrapped.rootHint).attachmentKey(of: attachment.id, record: record, wrapped)
    }
  }
}

/// The attachments that records name, live and removed, gathered while their files are looked at.
package struct GatheredAttachments: Sendable {
  /// Of each record that has any, as they came.
  private(set) var byRecord: [(record: RecordID, attachments: [Attachment], keys: AttachmentKeys?)] = []
  /// Whether all records were there and could be read.
  private(set) var areComplete = true

  var ids: Set<AttachmentID> { Set(byRecord.lazy.flatMap(\.attachments).map(\.id)) }

  /// None yet.
  package init() {}

  /// Of all records of a store, which are read for it.
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

  /// - Parameter keys: what opens them; nil where the record did not verify, or nobody has its key.
  package mutating func take(_ named: NamedAttachments, of record: RecordID, _ keys: AttachmentKeys? = nil) {
    guard named.isReadable else { return areComplete = false }
    if !named.attachments.isEmpty { byRecord.append((record, named.attachments, keys)) }
  }

  /// Says that the header does not name what these records need: another program could copy the vault without it.
  package func notes(requirements: [String]) -> [String] {
    guard !byRecord.isEmpty, !requirements.contains(Requirements.attachments) else { return [] }
    return [
      "\(VaultHeader.fileName) does not say that the vault has attachments, so an older program would leave them out: "
        + "the next file that is attached mends it"
    ]
  }

  /// There may be records that nobody has seen.
  package mutating func miss() { areComplete = false }
}
