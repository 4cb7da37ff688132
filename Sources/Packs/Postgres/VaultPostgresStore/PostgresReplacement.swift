internal import Synchronization
internal import VaultDocument
package import VaultStorage

extension PostgresStore {
  package func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? {
    let lock = requireExclusive(lock)
    var set: Int64 = 0
    // A number that no set ever had.
    do throws(StoreError) {
      try writing(under: lock) { _, generation throws(StoreError) in set = generation }
    } catch {
      // The commit that puts the set in place comes later, and covers this one as well.
      guard error.code == .mayBeLost else { throw error }
    }
    return PostgresReplacement(of: self, under: lock, set: set)
  }
}

/// Another set of live records, which replaces the old one when its number is written into the vault's row.
private final class PostgresReplacement: StoreReplacement {
  private let store: PostgresStore
  // Held while the replacement is in progress.
  private let lock: PostgresLock
  private let set: Int64
  private let old: Int64
  /// How many records were read, by folder.
  private let readCounts = Mutex([Int64](repeating: 0, count: 256))
  private let state = Mutex((hasRows: false, isCommitted: false))
  private let folders = Mutex<Set<UInt8>>([])
  /// Records that are not sent yet, and their size.
  private let waiting = Mutex((changes: [StoreChange](), byteCount: 0))

  init(of store: PostgresStore, under lock: PostgresLock, set: Int64) {
    (self.store, self.lock, self.set, old) = (store, lock, set, lock.live)
  }

  deinit { end() }

  func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    try store.read(ids, inFolder: folder) { id, bytes in
      if case .success = bytes { readCounts.withLock { $0[Int(folder)] += 1 } }
      return body(id, bytes)
    }
  }

  func stage(_ records: [(id: RecordID, bytes: [UInt8])]) throws(StoreError) {
    guard !records.isEmpty else { return }
    for record in records { try StoreChange(.record(record.id), from: nil, to: record.bytes).requireSize() }
    folders.withLock { $0.formUnion(records.map(\.id.folder)) }
    let full = waiting.withLock { waiting -> [StoreChange]? in
      waiting.changes += records.map { .put(.record($0.id), $0.bytes) }
      waiting.byteCount += records.reduce(0) { $0 + $1.bytes.count }
      let isFull = waiting.changes.count >= Self.piece.changeCount || waiting.byteCount >= Self.piece.byteCount
      guard isFull else { return nil }
      defer { waiting = ([], 0) }
      return waiting.changes
    }
    if let full { try send(full) }
  }

  /// As many records as are sent at once, and as many bytes.
  private static let piece = (changeCount: 2000, byteCount: 4 << 20)

  private func send(_ changes: [StoreChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    state.withLock { $0.hasRows = true }
    let rows = ChangeRows(changes, live: set)
    let source = ChangeSource.values(rows)
    try store.fill(
      "\(store.schema.documents) (vault, live, place, id, part, changed, size, bytes)",
      copying: rows.copied(vault: store.vault),
      orSelecting: "$1, live, place, id, part, live, new_size, new FROM \(source.table(store.schema))",
      [.id(store.vault)] + source.values, under: lock)
  }

  func commit() throws(StoreError) {
    try send(
      waiting.withLock { waiting in
        defer { waiting = ([], 0) }
        return waiting.changes
      })
    do throws(StoreError) {
      try exchange()
    } catch {
      if error.code == .mayBeLost { noteExchange() }
      // Rows that may already belong to the vault must not be deleted.
      if error.code == .outcomeUnknown { state.withLock { $0.hasRows = false } }
      throw error
    }
    noteExchange()
  }

  private func noteExchange() {
    lock.live = set
    state.withLock { $0.isCommitted = true }
  }

  /// Writes the number of the set into the vault's row.
  private func exchange() throws(StoreError) {
    let counts = readCounts.withLock { $0 }
    let marked = folders.withLock { $0.sorted() }
    try store.writing(under: lock) { connection, generation throws(StoreError) in
      try requireRead(counts, connection)
      let count = try inServer { () throws(ServerFault) in
        try connection.run(
          "UPDATE \(store.schema.vaults) SET live = $2 WHERE vault = $1 AND live = $3",
          [.id(store.vault), .number(set), .number(old)])
      }
      guard count == 1 else { throw Self.changed("records") }
      // Existing folders get another stamp from the number of the set.
      try inServer { () throws(ServerFault) in
        try connection.run(
          """
          INSERT INTO \(store.schema.folders) (vault, folder, changed, mark)
          SELECT $1, s.folder, $3, 0 FROM unnest($2::smallint[]) AS s (folder) ON CONFLICT DO NOTHING
          """, [.id(store.vault), .places(marked.map(Int16.init)), .number(generation)])
      }
    }
  }

  /// Refuses if a record came, went or changed since the replacement began, or was not read.
  private func requireRead(_ counts: [Int64], _ connection: PostgresConnection) throws(StoreError) {
    // By the first byte of the ids, so that only the index is read.
    let statement = """
      SELECT get_byte(uuid_send(d.id), 0), count(*), max(d.changed) FROM \(store.schema.documents) AS d
      WHERE d.vault = $1 AND d.live = $2 AND d.place = \(StoreLocation.Place.record) AND d.part = 0 GROUP BY 1
      """
    var found = [Int64](repeating: 0, count: 256)
    var changedFolder: Int?
    try inServer { () throws(ServerFault) in
      try connection.rows(
        statement, [.id(store.vault), .number(old)],
        each: { row throws(ServerFault) in
          let folder = try row.integer(0)
          guard found.indices.contains(folder) else { throw .malformed }
          found[folder] = try row.number(1)
          if try row.number(2) > set { changedFolder = folder }
        })
    }
    guard let folder = changedFolder ?? found.indices.first(where: { found[$0] != counts[$0] }) else { return }
    throw Self.changed("records/" + Hex.encode([UInt8(folder)]))
  }

  private static func changed(_ path: String) -> StoreError {
    StoreError(.changedUnderneath, reason: "was changed by someone else", path: path)
  }

  /// Few records are all deleted in the end by one statement; many of them would take too long.
  private static let fewCount = 65_536

  func clear(folder: UInt8) {
    guard state.withLock({ $0.isCommitted }), readCounts.withLock({ $0.reduce(0, +) }) > Self.fewCount else { return }
    delete(old, "AND place = \(StoreLocation.Place.record) AND get_byte(uuid_send(id), 0) = \(folder)")
  }

  func end() {
    let (hasRows, isCommitted) = state.withLock { state in
      defer { state.hasRows = false }
      return state
    }
    if hasRows || isCommitted { delete(isCommitted ? old : set, "") }
  }

  /// The next lock holder deletes the rest after a fault.
  private func delete(_ set: Int64, _ rest: String) {
    try? store.clear(
      "DELETE FROM \(store.schema.documents) WHERE vault = $1 AND live = $2 \(rest)",
      [.id(store.vault), .number(set)])
  }
}
