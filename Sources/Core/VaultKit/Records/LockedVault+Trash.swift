public import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// One removed record of a list.
public struct TrashedRecord: Sendable {
  /// The record, as in a list.
  public let summary: RecordSummary
  /// The time of removal.
  public let deletedAt: Timestamp

  /// The id of the record.
  public var id: RecordID { summary.id }

  init(_ record: StoredRecord, deletedAt: Timestamp) {
    summary = RecordSummary(record)
    self.deletedAt = deletedAt
  }

  /// The order of lists: the last removed first, equal times by id.
  static func isBefore(_ left: TrashedRecord, _ right: TrashedRecord) -> Bool {
    left.deletedAt != right.deletedAt ? left.deletedAt > right.deletedAt : left.id < right.id
  }
}

extension LockedVault {
  /// The removed records, the latest first, unverified.
  ///
  /// - Parameter leavingOut: gets the error of each unreadable file; nil throws the first of them.
  /// - Throws: ``VaultError`` if the trash cannot be read as a folder.
  public func trash(leavingOut: ((VaultError) -> Void)? = nil) throws(VaultError) -> [TrashedRecord] {
    try listedRows(of: listedTrash(), leavingOut: leavingOut)
  }

  /// The removed records, the latest first, unverified, and the errors of unreadable files.
  package func listedTrash() throws(VaultError) -> Listed<TrashedRecord> {
    var records: [TrashedRecord] = []
    var faults: [VaultError] = []
    try forEachTrashedFile { id, bytes in
      do throws(VaultError) {
        records.append(try trashedRecord(bytes.get(), id))
      } catch {
        faults.append(error)
      }
    }
    return (records.sorted(by: TrashedRecord.isBefore), faults)
  }

  /// The id of the one removed record that `text` means: a full id, else an exact name in any case, else the beginning
  /// of one id, at least 4 characters.
  ///
  /// A full id is accepted even if its file is damaged; otherwise unreadable files are skipped.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.ambiguousRecord` with the candidates.
  public func resolveTrashed(_ text: String) throws(VaultError) -> RecordID {
    do throws(VaultError) {
      if let id = RecordID(parsing: text) {
        guard try inStore({ () throws(StoreError) in try store.trashed().contains(id) }) else { throw .noSuchRecord }
        return id
      }
      let match = NameMatch(text)
      let records = try listedTrash().records.map(\.summary)
      var named = records.filter { match.names($0.name) }
      for match in match.qualified where named.isEmpty {
        named = records.filter { match.names($0.name) && match.isTag(of: trashedTags(of: $0.id)) }
      }
      return try Self.only(named.isEmpty ? records.filter { match.isPrefix(of: $0.id) } : named).id
    } catch {
      guard error.code == .noSuchRecord else { throw error }
      throw VaultError(.noSuchRecord, "the trash has no such record", remedies: [.listTrash])
    }
  }

  private func trashedTags(of id: RecordID) -> [String] {
    let file = StoreLocation.trash(id).relativePath
    let bytes = (try? readTrashed(id)) ?? nil
    return bytes.flatMap { try? StoredRecord(parsing: $0, file: file, id: id, kinds: kinds, isTrashed: true).tags }
      ?? []
  }

  /// The readable ones of these records, live or removed, in the order of their ids, unverified.
  package func summaries(of ids: Set<RecordID>) -> [RecordSummary] {
    ids.sorted().compactMap { id in
      if let record = try? record(id) { return RecordSummary(record) }
      return (try? readTrashed(id)).flatMap { bytes in bytes.flatMap { try? trashedRecord($0, id).summary } }
    }
  }

  /// Reads every readable removed record, in the order of ids, unverified.
  ///
  /// - Throws: ``VaultError`` such as `.ioFailed` if the trash cannot be listed.
  public func forEachTrashedRecord(_ body: (StoredRecord) -> Void) throws(VaultError) {
    try forEachTrashedFile { id, bytes in
      guard let bytes = try? bytes.get() else { return }
      let file = StoreLocation.trash(id).relativePath
      if let record = try? StoredRecord(parsing: bytes, file: file, id: id, kinds: kinds, isTrashed: true) {
        body(record)
      }
    }
  }

  /// Nothing is verified. `body` gets the bytes or the error of each file of the trash in the order of ids.
  package func forEachTrashedFile(_ body: (RecordID, Result<[UInt8], VaultError>) -> Void) throws(VaultError) {
    for id in try inStore({ () throws(StoreError) in try store.trashed() }) {
      do throws(VaultError) {
        if let bytes = try readTrashed(id) { body(id, .success(bytes)) }
      } catch {
        body(id, .failure(error))
      }
    }
  }

  /// The bytes of a file of the trash; nil if there is no file.
  func readTrashed(_ id: RecordID) throws(VaultError) -> [UInt8]? { try bytes(of: id, at: .trash(id)) }

  private func trashedRecord(_ bytes: [UInt8], _ id: RecordID) throws(VaultError) -> TrashedRecord {
    let file = StoreLocation.trash(id).relativePath
    let record = try StoredRecord(parsing: bytes, file: file, id: id, kinds: kinds, isTrashed: true)
    guard let deletedAt = record.envelope.deletedAt else { throw .notRemoved(file: file, id) }
    return TrashedRecord(record, deletedAt: deletedAt)
  }
}
