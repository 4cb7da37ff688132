package import VaultDocument
package import VaultStorage

extension PostgresStore: StampedStore {
  /// Each transaction shows either the old state or the new one.
  package func hasPendingBatch() throws(StoreError) -> Bool { false }

  /// A folder gets another mark with each change of a record.
  package var foldersTellChanges: Bool { true }

  package func folderStamps() throws(StoreError) -> [StoreStamp?] {
    if let stamps = readers.ahead.stamps() { return stamps.all }
    var stamps = FolderStamps()
    try readers.with { connection throws(ServerFault) in
      stamps = FolderStamps()
      try connection.rows(
        FolderStamps.statement(schema, "v.vault = $1"), [.id(vault)],
        each: { row throws(ServerFault) in try stamps.take(row) })
    }
    return stamps.all
  }

  package func recordStamps(of ids: [RecordID]) throws(StoreError) -> [StoreStamp?] {
    let statement = """
      SELECT d.id, d.live, d.size, d.changed FROM \(schema.documents) AS d
      WHERE d.vault = $1 AND d.live = \(liveSet) AND d.place = \(StoreLocation.Place.record) AND d.id = ANY ($2)
        AND d.part = 0
      """
    guard !ids.isEmpty else { return [] }
    let found = try readers.with { connection throws(ServerFault) in
      var stamps: [Identifier: StoreStamp] = [:]
      try connection.rows(
        statement, [.id(vault), .ids(ids)],
        each: { row throws(ServerFault) in
          stamps[try row.id(0)] = StoreStamp(
            inode: UInt64(bitPattern: try row.number(1)), byteCount: Int(try row.number(2)), modified: 0,
            changed: try row.number(3))
        })
      return stamps
    }
    return ids.map { found[$0] }
  }
}

/// The state of each folder of records.
struct FolderStamps {
  private(set) var all = [StoreStamp?](repeating: nil, count: 256)

  static func statement(_ schema: PostgresSchema, _ condition: String) -> String {
    """
    SELECT v.live, f.folder, f.changed, f.mark FROM \(schema.vaults) AS v
    LEFT JOIN \(schema.folders) AS f ON f.vault = v.vault WHERE \(condition)
    """
  }

  mutating func take(_ row: SQLRow) throws(ServerFault) {
    guard try row.optionalBytes(1) != nil else { return }
    let (folder, live, mark) = (Int(try row.place(1)), try row.number(0), try row.number(3))
    guard all.indices.contains(folder) else { throw .malformed }
    all[folder] = StoreStamp(
      inode: UInt64(bitPattern: live ^ mark), byteCount: 0, modified: 0, changed: try row.number(2))
  }
}
