import Synchronization
import VaultDocument
import VaultExchange
import VaultKit
import VaultSealing

/// A file of an entry that exceeds the limit of a value, and becomes an attachment of the record.
struct FileToAttach: Sendable {
  /// The refusal for a record with another attachment of the same name, which would be lost.
  static let otherIsThere = "the vault has another attachment of this name: `vault detach` removes that one"
  /// The refusal for an entry that was matched to its record only by content.
  static let unsure = "no value identifies the record of this entry, so its files are not compared"

  let name: String
  let bytes: [UInt8]

  init(_ attachment: ImportedAttachment) {
    (name, bytes) = (attachment.name, (try? Base64.decode(attachment.text)) ?? [])
  }

  func isTaken(in record: OpenRecord) -> Bool { named(in: record) != nil }

  fileprivate func named(in record: OpenRecord) -> Attachment? {
    record.attachments.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  fileprivate var source: AttachmentSource { AttachmentSource(name: name, bytes: bytes) }
}

extension ForeignImport {
  func attach(_ files: [FileToAttach], to id: RecordID) async throws {
    try await vault.attach(files.map(\.source), to: id)
  }

  /// The files of an entry that its record lacks, by name and content.
  func missing(_ files: [FileToAttach], in old: OpenRecord) async throws -> [FileToAttach] {
    var missing: [FileToAttach] = []
    for file in files where try await !has(file, old) { missing.append(file) }
    return missing
  }

  private func has(_ file: FileToAttach, _ record: OpenRecord) async throws -> Bool {
    guard let attachment = file.named(in: record), attachment.byteCount == file.bytes.count else { return false }
    let state = Mutex((offset: 0, isSame: true))
    let bytes = file.bytes
    try await vault.read(attachment, of: record) { piece in
      state.withLock { state in
        state.isSame = state.isSame && bytes.dropFirst(state.offset).starts(with: piece)
        state.offset += piece.count
      }
    }
    return state.withLock { $0.isSame }
  }
}

extension ForeignImport {
  /// The member in the lines of attached files.
  static let filesMember = "attachments"

  /// The lines of an entry, with those of some members refused. If its files have no lines of their own, as in an
  /// archive, the line of the entry is refused.
  mutating func lines(
    of record: ImportedRecord, refusing paths: [String], _ reason: String
  ) throws -> [LedgerLine] {
    let lines = record.lines.map { $0.kept(paths, reason) }
    let isOwn = record.lines.contains { $0.outcome == .mapped(to: Self.filesMember) }
    if paths.contains(Self.filesMember), !isOwn {
      try report.refuse(record.place, field: Self.filesMember, reason)
    }
    return lines
  }
}

extension ImportedRecord {
  /// The record without the files that the vault cannot store.
  func fitting(_ vault: Vault) throws(VaultError) -> ImportedRecord {
    guard !attachments.isEmpty, try !vault.keepsAttachments() else { return self }
    return ImportedRecord(
      place: place, kind: kind, members: members, externalID: externalID, isWholeFile: isWholeFile,
      lines: try lines.fitting(vault))
  }
}

extension [LedgerLine] {
  /// The lines, with files refused that the vault cannot store.
  func fitting(_ vault: Vault) throws(VaultError) -> [LedgerLine] {
    let hasFiles = contains { $0.outcome == .mapped(to: ForeignImport.filesMember) }
    guard hasFiles, try !vault.keepsAttachments() else { return self }
    return map { line in
      guard line.outcome == .mapped(to: ForeignImport.filesMember) else { return line }
      return LedgerLine(line.place, .refused("the store of the vault does not keep attachments"))
    }
  }
}
