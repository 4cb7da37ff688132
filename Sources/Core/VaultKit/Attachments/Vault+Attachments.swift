internal import Synchronization
public import VaultDocument
public import VaultSealing
package import VaultStorage
internal import VaultTrust

/// A content to attach to a record.
public struct AttachmentSource: Sendable {
  /// The name of the new attachment.
  public let name: String
  /// Gives the next bytes; empty at the end.
  public let next: @Sendable () throws(VaultError) -> [UInt8]

  /// A content given piece by piece, from its beginning.
  public init(name: String, next: @escaping @Sendable () throws(VaultError) -> [UInt8]) {
    (self.name, self.next) = (name, next)
  }

  /// A content in memory, which is given once.
  public init(name: String, bytes: [UInt8]) {
    let rest = Mutex(bytes[...])
    self.init(name: name) {
      rest.withLock { rest in
        let piece = rest.prefix(1 << 16)
        rest = rest.dropFirst(piece.count)
        return Array(piece)
      }
    }
  }
}

extension Vault {
  /// Attaches contents of up to a gibibyte to a record, all or none. Each is sealed into a separate file while it is
  /// read, and the record, which names them, is written last.
  ///
  /// The vault is locked meanwhile. A process that dies leaves at most files that no record names.
  ///
  /// - Returns: the new attachments, in the given order.
  /// - Throws: ``VaultError`` `.usage` if the vault's store keeps no attachments; `.inputRefused` for an invalid name,
  ///   or a content over a gibibyte; `.alreadyExists` for a name that the record has, or that is given twice; the
  ///   errors of a source; and like ``add(_:)``.
  @discardableResult
  public nonisolated(nonsending) func attach(
    _ sources: [AttachmentSource], to id: RecordID
  ) async throws(VaultError) -> [Attachment] {
    for source in sources where !Attachment.isGood(name: source.name) { throw .badName(id) }
    return try await writing { lock throws(VaultError) in
      let store = try attachmentStore()
      let old = try verifiedRecord(id)
      try old.requireRoom(for: sources.map(\.name))
      try requireExtension(lock)
      var written: [Attachment] = []
      do throws(VaultError) {
        for source in sources {
          written.append(
            try AttachmentStream.write(
              named: source.name, to: store, under: lock,
              key: { id throws(SealingError) in try old.verified.attachmentKey(of: id) }, next: source.next))
        }
        try replace(old, attachments: old.envelope.attachments + written, lock)
      } catch {
        if !error.mayBeStored(in: store) {
          try? removeUnnamed(written.map(\.id), of: id, from: store, lock)
        }
        throw error
      }
      return written
    }
  }

  /// Removes attachments of a record for good: the record changes first, then their files are deleted.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember` if the record does not have one, and like ``add(_:)``.
  public nonisolated(nonsending) func detach(_ ids: [AttachmentID], from id: RecordID) async throws(VaultError) {
    try await writing { lock throws(VaultError) in
      let store = try attachmentStore()
      let old = try verifiedRecord(id)
      let attachments = old.envelope.attachments
      guard ids.allSatisfy({ id in attachments.contains { $0.id == id } }) else {
        throw VaultError(.noSuchMember, "has no such attachment", record: id)
      }
      try replace(old, attachments: attachments.filter { !ids.contains($0.id) }, lock)
      // Versions in the trash, and files that stay after an error, are left to the repair.
      try removeUnnamed(ids, of: id, from: store, lock)
    }
  }

  /// Opens an attachment of a record and gives it to `body`, piece by piece. Each piece is authentic and in its place,
  /// but some may be missing until this has returned, so do not use them before.
  ///
  /// - Parameter isCheckedFirst: whether the file is read once and compared before the first piece is given out.
  /// - Throws: ``VaultError`` `.damaged` if the file is missing or is not the one that the record names, and the errors
  ///   of `body`.
  public nonisolated(nonsending) func read(
    _ attachment: Attachment, of record: OpenRecord, checkingFirst isCheckedFirst: Bool = false,
    _ body: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    let key = try inSealing(record: record.id) { () throws(SealingError) in
      try record.verified.attachmentKey(of: attachment.id)
    }
    try await working { () throws in
      if isCheckedFirst { try AttachmentStream.check(attachment, in: store, readingAll: true) }
      try AttachmentStream.open(attachment, from: store, key: key, body)
    }
  }
}

extension RecordStore {
  /// The store as one that keeps attachments, or an error.
  package func keepingAttachments() throws(VaultError) -> any AttachmentStore {
    guard let store = self as? any AttachmentStore else { throw .noAttachmentStore }
    guard try inStore({ () throws(StoreError) in try store.keepsAttachments() }) else { throw .noAttachmentTable }
    return store
  }
}

extension Vault {
  package func keepsAttachments() throws(VaultError) -> Bool {
    guard let store = store as? any AttachmentStore else { return false }
    return try inStore { () throws(StoreError) in try store.keepsAttachments() }
  }

  package func attachmentStore() throws(VaultError) -> any AttachmentStore { try store.keepingAttachments() }

  /// Notes in the header that there are attachments, so that no program takes the vault without them for complete. The
  /// caller holds the lock and stores records afterwards. Unless the header has the note already, the root key must be
  /// in this process.
  package func requireExtension(_ lock: any StoreLock) throws(VaultError) {
    let old = header.requirements
    let new = Requirements.names(old, naming: Requirements.attachments, true)
    guard new != old else { return }
    let root = keyring.current
    try inSealing { () throws(SealingError) in try root.requireHere() }
    do throws(VaultError) {
      try replaceHeader(by: header.changed(requirements: new, root: root), root: root, lock)
    } catch {
      // The commit of the record comes later, and covers this one as well.
      if error.code != .mayBeLost { throw error }
    }
  }

  /// Refuses a version of a record whose attachments are gone or have another size. Their contents are not compared.
  package func requireAttachments(of record: OpenRecord) throws(VaultError) {
    for attachment in record.attachments {
      let place = StoreLocation.attachment(attachment.id)
      let file = try inStore { () throws(StoreError) in try store.reader(of: place) }
      guard file?.byteCount == attachment.storedByteCount else {
        throw VaultError(
          .inputRefused, "is missing here, but the record needs this attachment", file: place.relativePath,
          record: record.id,
          remedies: ["restore the whole backup to another place, and take the attachment from there"])
      }
    }
  }

  /// Writes the next revision of a record with other attachments and no other change.
  private func replace(
    _ old: OpenRecord, attachments: [Attachment], _ lock: any StoreLock
  ) throws(VaultError) {
    var draft = EnvelopeDraft(next: old.verified, now: currentTime())
    draft.attachments = attachments
    let bytes = try sealedBytes(old.stored, draft: draft, keys: old.verified.keys, in: .record(old.id))
    try apply([StoreChange(.record(old.id), from: old.bytes, to: bytes)], lock)
  }

  /// Deletes files of a record that neither its live version nor the one in the trash names.
  package func removeUnnamed(
    _ ids: [AttachmentID], of id: RecordID, from store: any AttachmentStore, _ lock: any StoreLock
  ) throws(VaultError) {
    let versions = [try locked.read(id), try readTrash(id)].compactMap { $0 }
    let named = versions.map(NamedAttachments.init(in:))
    // An unreadable version may name any file.
    guard named.allSatisfy(\.isReadable) else { return }
    let unnamed = ids.filter { id in !named.contains { $0.ids.contains(id) } }
    try inStore(record: id) { () throws(StoreError) in try store.removeAttachments(unnamed, under: lock) }
  }
}

/// The attachments that the file of a record names, unverified.
package struct NamedAttachments: Sendable {
  package let attachments: [Attachment]
  /// Whether the file is a record that this program can read.
  package let isReadable: Bool

  package var ids: Set<AttachmentID> { Set(attachments.map(\.id)) }

  /// Stands for a file that is not a record.
  package static let unreadable = NamedAttachments([], isReadable: false)

  private init(_ attachments: [Attachment], isReadable: Bool) {
    (self.attachments, self.isReadable) = (attachments, isReadable)
  }

  package init(in bytes: [UInt8]) {
    let envelope = (try? JSONParser.parse(bytes)).flatMap { try? RecordEnvelope(of: $0) }
    self = envelope.map(NamedAttachments.init) ?? .unreadable
  }

  package init(_ envelope: RecordEnvelope) { self.init(envelope.attachments, isReadable: true) }

  /// Reads a file, which may be unreadable.
  package init<Failure: Error>(in bytes: Result<[UInt8], Failure>) {
    self = (try? bytes.get()).map(NamedAttachments.init(in:)) ?? .unreadable
  }
}

extension OpenRecord {
  /// The attachments of the record, by id.
  public var attachments: [Attachment] { envelope.attachments }

  fileprivate func requireRoom(for names: [String]) throws(VaultError) {
    let all = attachments.map(\.name) + names
    guard all.count <= Attachment.maximumCount else {
      throw VaultError(.inputRefused, "cannot have more than \(Attachment.maximumCount) attachments", record: id)
    }
    var used: Set<[UInt8]> = []
    for (index, name) in all.enumerated() where !used.insert(Array(name.utf8)).inserted {
      let isOfFiles = names.prefix(max(0, index - attachments.count)).contains { $0.utf8.elementsEqual(name.utf8) }
      throw VaultError(
        .alreadyExists,
        isOfFiles
          ? "two of the files have the name \"\(name)\"" : "the record already has an attachment \"\(name)\"",
        record: id)
    }
  }
}

extension VaultError {
  fileprivate static func badName(_ id: RecordID) -> VaultError {
    VaultError(
      .inputRefused, "the name of an attachment must have 1 to 255 bytes, no slash and no control character", record: id
    )
  }

  /// The error for a store that keeps no attachments.
  fileprivate static let noAttachmentStore = VaultError(
    .usage, "the store of the vault cannot keep attachments", file: VaultHeader.fileName,
    remedies: ["vaults in a folder or a database keep attachments; a small file can be a record of the kind `file`"])

  /// The error for a database whose tables an earlier program made.
  fileprivate static let noAttachmentTable = VaultError(
    .usage, "the tables of the database have no room for attachments", file: VaultHeader.fileName,
    remedies: [.addAttachmentTable])
}
