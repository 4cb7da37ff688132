internal import VaultDocument
internal import VaultSealing
internal import VaultStorage

/// Compares the attachments that a store holds with those that its records name, live and removed; it takes no key.
struct AttachmentCheck {
  private(set) var faults: [VaultFault] = []
  /// Those that no record names, ascending; nil where a record cannot be read, which may name any.
  private(set) var unnamed: [AttachmentID]?

  private let files: any RecordStore
  private let isReadingAll: Bool
  private var held: Set<AttachmentID> = []
  private var named: Set<AttachmentID> = []
  private var areRecordsReadable = true

  /// - Parameters:
  ///   - files: the store; with a malformed journal, the files as they are without it.
  ///   - isReadingAll: whether the hash of each is compared, and not its size alone.
  /// - Throws: ``VaultError`` of what says nothing about a file.
  init(
    of files: any RecordStore, _ scope: VerificationScope = VerificationScope(), readingAll isReadingAll: Bool
  ) throws(VaultError) {
    (self.files, self.isReadingAll) = (files, isReadingAll)
    do throws(StoreError) {
      held = Set(try files.heldAttachments())
    } catch {
      faults.append(VaultFault(VaultError.Code(error), error.reason, file: error.path ?? StoreLocation.attachmentsPath))
      return
    }
    var records: [NamedAttachments.OfRecord] = []
    do throws(StoreError) { records = try readRecords() } catch { areRecordsReadable = false }
    for record in records where scope.contains(record.id.folder) {
      for attachment in record.attachments { try check(attachment, of: record.id) }
    }
    unnamed = areRecordsReadable ? held.subtracting(named).sorted() : nil
  }

  /// What is nothing wrong but worth knowing.
  var notes: [String] {
    guard let count = unnamed?.count, count > 0 else { return [] }
    return [
      "no record names \(count) file\(count == 1 ? "" : "s") in attachments/: what was interrupted has left "
        + (count == 1 ? "it" : "them")
    ]
  }

  private mutating func readRecords() throws(StoreError) -> [NamedAttachments.OfRecord] {
    var records: [NamedAttachments.OfRecord] = []
    func take(_ id: RecordID, _ bytes: Result<[UInt8], StoreError>) -> NamedAttachments? {
      (try? bytes.get()).map(NamedAttachments.init(in:))
    }
    for folder in try files.recordFolders() {
      try files.readRecords(inFolder: folder) { id, bytes in
        note(take(id, bytes), id, &records)
        return true
      }
    }
    for id in try files.trashed() {
      let bytes = Result { () throws(StoreError) in try files.read(.trash(id)) ?? [] }
      note(take(id, bytes), id, &records)
    }
    return records
  }

  private mutating func note(_ found: NamedAttachments?, _ id: RecordID, _ records: inout [NamedAttachments.OfRecord]) {
    guard let found, found.isReadable else { return areRecordsReadable = false }
    named.formUnion(found.ids)
    if !found.attachments.isEmpty { records.append(NamedAttachments.OfRecord(id: id, attachments: found.attachments)) }
  }

  private mutating func check(_ attachment: Attachment, of record: RecordID) throws(VaultError) {
    let file = StoreLocation.attachment(attachment.id).relativePath
    guard held.contains(attachment.id) else {
      let reason = VaultError.missing(.attachment(attachment.id)).reason
      return faults.append(VaultFault(.missingAttachment, reason, file: file, record: record))
    }
    do throws(VaultError) {
      try AttachmentStream.check(attachment, in: files, readingAll: isReadingAll)
    } catch {
      faults.append(
        try VaultFault(error, code: error.code == .damaged ? .damagedAttachment : nil, file: file, record: record))
    }
  }
}

extension NamedAttachments {
  /// What one record names.
  struct OfRecord {
    let id: RecordID
    let attachments: [Attachment]
  }
}
