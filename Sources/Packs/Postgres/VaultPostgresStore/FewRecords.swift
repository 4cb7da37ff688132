internal import VaultStorage

/// All records of a vault that has few of them, and whether removed records of the same ids exist.
struct FewRecords {
  /// As many records as a vault has before an index is worthwhile.
  private static let countLimit = 256

  private var changes: [StoreChange] = []
  private var isWhole = true
  /// The records, and the places of removed ones that are known to be empty.
  private(set) var documents: [StoreLocation: Result<[UInt8]?, StoreError>] = [:]

  /// The statement, which answers without rows if there are more records or bytes.
  ///
  /// - Parameters:
  ///   - vault: an expression for the number of the vault.
  ///   - byteCount: the most bytes of all records; nil for no limit.
  static func statement(_ schema: PostgresSchema, of vault: String, upTo byteCount: Int? = nil) -> String {
    """
    WITH few AS (
      SELECT d.vault, d.id, d.size, d.bytes FROM \(schema.documents) AS d
      WHERE d.vault = \(vault) AND d.live = (SELECT v.live FROM \(schema.vaults) AS v WHERE v.vault = \(vault))
        AND d.place = \(StoreLocation.Place.record) AND d.part = 0
      ORDER BY d.id LIMIT \(countLimit + 1))
    SELECT few.id, CASE WHEN few.size <= \(RecordPrefetch.byteCount) AND octet_length(few.bytes) = few.size
      THEN few.bytes END,
      EXISTS (SELECT 1 FROM \(schema.documents) AS t WHERE t.vault = few.vault AND t.live = 0
        AND t.place = \(StoreLocation.Place.trash) AND t.id = few.id)
    FROM few WHERE (SELECT count(*) FROM few) <= \(countLimit)
    \(byteCount.map { "AND (SELECT sum(few.size) FROM few) <= \($0)" } ?? "") ORDER BY few.id
    """
  }

  mutating func take(_ row: SQLRow) throws(ServerFault) {
    guard changes.count < Self.countLimit else { throw .tooMuch }
    guard let bytes = try row.optionalBytes(1), bytes.count <= RecordPrefetch.byteCount else {
      isWhole = false
      return
    }
    let id = try row.id(0)
    changes.append(.put(.record(id), bytes))
    documents[.record(id)] = .success(bytes)
    if try !row.isTrue(2) { documents[.trash(id)] = .success(nil) }
  }

  /// A store of the records; nil if the answer has not all of them.
  func store() throws(StoreError) -> (any RecordStore)? {
    guard isWhole, !changes.isEmpty else { return nil }
    let records = MemoryStore()
    try records.apply(changes)
    return records
  }
}
