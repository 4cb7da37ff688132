package import VaultDocument
package import VaultStorage

/// Deposits have a table of their own, so that a role can add some without reading or changing anything else.
extension PostgresStore: InboxStore {
  package func deposits() throws(StoreError) -> [DepositID] {
    let statement = "SELECT d.id FROM \(schema.deposits) AS d WHERE d.vault = $1 ORDER BY d.id"
    return try readers.with { connection throws(ServerFault) in
      var ids: [DepositID] = []
      guard try connection.hasTable(schema.deposits) else { return ids }
      try connection.rows(statement, [.id(vault)], each: { row throws(ServerFault) in ids.append(try row.id(0)) })
      return ids
    }
  }

  func readDeposit(_ id: DepositID) throws(StoreError) -> [UInt8]? {
    let place = StoreLocation.inbox(id)
    let statement = """
      SELECT CASE WHEN octet_length(d.bytes) <= \(place.byteLimit) THEN d.bytes END FROM \(schema.deposits) AS d
      WHERE d.vault = $1 AND d.id = $2
      """
    let found = try readers.with(path: place.relativePath) { connection throws(ServerFault) -> [UInt8]?? in
      guard try connection.hasTable(schema.deposits), let row = try connection.row(statement, [.id(vault), .id(id)])
      else { return .some(nil) }
      guard let bytes = try row.optionalBytes(0) else { return nil }
      return .some(bytes)
    }
    guard let found else {
      throw StoreError(.tooLarge, reason: "the document is over its size limit", path: place.relativePath)
    }
    return found
  }

  /// Without the vault's lock, which a role that may only deposit cannot take.
  package func deposit(_ bytes: [UInt8], as id: DepositID, timeout: Duration) throws(StoreError) {
    let place = StoreLocation.inbox(id)
    try StoreChange.put(place, bytes).requireSize()
    let insertion = [
      SQLStatement("SELECT 1 / CASE WHEN current_setting('synchronous_commit') = 'off' THEN 0 ELSE 1 END"),
      SQLStatement(insertion, [.id(vault), .id(id), .document(bytes)]),
    ]
    var attempts = 0
    let isInDoubt: Bool
    do throws(StoreError) {
      isInDoubt = try pool.with(path: place.relativePath, writing: true) { connection throws(ServerFault) -> Bool in
        attempts += 1
        return try self.commit(insertion, connection)
      }
    } catch {
      if error.serverFault?.isRefusal == true { throw .notDurable }
      if error.serverFault?.isLost == true, attempts > 0 { throw .outcomeUnknown(besides: error) }
      guard error.serverFault?.state == "23505" else { throw error }
      guard attempts > 1 else {
        throw StoreError(.alreadyExists, reason: "is already there", path: place.relativePath)
      }
      // The first attempt was stored, and its answer was lost, which could have said more about the standbys.
      isInDoubt = try pool.with { connection throws(ServerFault) in
        try connection.row("SELECT current_setting('synchronous_standby_names') <> ''")?.isTrue(0) ?? true
      }
    }
    if isInDoubt { throw .mayBeLost }
  }

  private var insertion: String { "INSERT INTO \(schema.deposits) (vault, id, bytes) VALUES ($1, $2, $3)" }

  package func removeDeposits(_ ids: [DepositID], under lock: any StoreLock) throws(StoreError) {
    let lock = requireExclusive(lock)
    guard !ids.isEmpty else { return }
    try writing(under: lock) { connection, _ throws(StoreError) in
      _ = try inServer { () throws(ServerFault) in
        try connection.run(
          "DELETE FROM \(schema.deposits) WHERE vault = $1 AND id = ANY ($2)", [.id(vault), .ids(ids)],
          patience: PostgresConnection.longPatience)
      }
    }
  }

  /// Makes a change of one deposit for the holder of the lock.
  func change(_ id: DepositID, _ change: StoreChange, under lock: PostgresLock) throws(StoreError) {
    guard try readDeposit(id) == change.expected else {
      throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: change.location.relativePath)
    }
    if change.expected != nil { try removeDeposits([id], under: lock) }
    guard let bytes = change.replacement else { return }
    try writing(under: lock) { connection, _ throws(StoreError) in
      _ = try inServer { () throws(ServerFault) in
        try connection.run(insertion, [.id(vault), .id(id), .document(bytes)])
      }
    }
  }
}
