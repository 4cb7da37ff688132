internal import VaultDocument
package import VaultStorage

/// Changes on their way into the table of what is staged, where they wait for the statements that make them.
final class StagedChanges {
  /// How much goes to the server at once.
  private static let piece = (changeCount: 2000, byteCount: 8 << 20)

  private let store: PostgresStore
  private let lock: PostgresLock
  private let batch = Identifier.random()
  private var counts = ChangeRows.Counts()
  private var isEmpty = true

  init(in store: PostgresStore, under lock: PostgresLock) { (self.store, self.lock) = (store, lock) }

  var source: ChangeSource { .staged(batch: batch, counts) }

  /// Changes in portions that are not too large for a server, or for its transaction log.
  static func pieces(of changes: [StoreChange]) -> [[StoreChange]] {
    var (pieces, size): ([[StoreChange]], Int) = ([[]], 0)
    for change in changes {
      let byteCount = (change.expected?.count ?? 0) + (change.replacement?.count ?? 0)
      let last = pieces.count - 1
      if pieces[last].count >= piece.changeCount || size + byteCount > piece.byteCount, !pieces[last].isEmpty {
        pieces.append([change])
        size = byteCount
      } else {
        pieces[last].append(change)
        size += byteCount
      }
    }
    return pieces
  }

  func append(_ changes: [StoreChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    let rows = ChangeRows(changes, live: lock.live)
    let (source, columns) = (ChangeSource.values(rows), "live, place, id, part, old, old_size, new, new_size")
    isEmpty = false
    try store.fill(
      "\(store.schema.staged) (vault, batch, \(columns))", copying: rows.copied(vault: store.vault, batch: batch),
      orSelecting: "$1, $10::uuid, \(columns) FROM \(source.table(store.schema))",
      [.id(store.vault)] + source.values + [.id(batch)], under: lock)
    counts.removed += rows.counts.removed
    counts.replaced += rows.counts.replaced
    counts.added += rows.counts.added
  }

  /// Deletes them; what is left after a fault is deleted by the next who locks.
  func clear() {
    guard !isEmpty else { return }
    isEmpty = true
    try? store.clear(
      "DELETE FROM \(store.schema.staged) WHERE vault = $1 AND batch = $2", [.id(store.vault), .id(batch)])
  }
}

extension PostgresStore {
  /// Adds rows to a table: by COPY, or by one statement where the server has no COPY for this role, as with row
  /// security (PostgreSQL manual, COPY, Notes).
  ///
  /// - Parameters:
  ///   - table: with the columns that the rows have.
  ///   - bytes: the rows as COPY takes them.
  ///   - selection: the same rows as what follows SELECT.
  func fill(
    _ table: String, copying bytes: [UInt8], orSelecting selection: String, _ values: @autoclosure () -> [SQLValue],
    under lock: PostgresLock
  ) throws(StoreError) {
    let connection = try pool.take()
    defer { pool.give(connection) }
    try inServer { () throws(ServerFault) in
      do throws(ServerFault) {
        try connection.transaction(waiting: lock.patience) { () throws(ServerFault) in
          try connection.copy("COPY \(table) FROM STDIN (FORMAT binary)", bytes)
        }
      } catch {
        guard error.isUnsupported else { throw error }
        try connection.transaction(waiting: lock.patience) { () throws(ServerFault) in
          _ = try connection.run(
            "INSERT INTO \(table) SELECT \(selection)", values(), patience: PostgresConnection.longPatience)
        }
      }
    }
  }

  public func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    PostgresBatch(of: self, under: requireExclusive(lock))
  }
}

/// Compares what is expected with each piece, and makes all changes by three statements.
private final class PostgresBatch: StoreBatch {
  private let store: PostgresStore
  // Held as long as the batch is under way.
  private let lock: PostgresLock
  private let staged: StagedChanges
  private var plan = BatchPlan()
  private var isEnded = false

  init(of store: PostgresStore, under lock: PostgresLock) {
    (self.store, self.lock) = (store, lock)
    staged = StagedChanges(in: store, under: lock)
  }

  deinit { abandon() }

  func stage(_ changes: [StoreChange]) throws(StoreError) {
    let writes = try plan.writes(of: changes)
    for piece in StagedChanges.pieces(of: changes) {
      try store.requireExpected(.values(ChangeRows(piece, live: lock.live)))
    }
    for piece in StagedChanges.pieces(of: writes) { try staged.append(piece) }
  }

  func commit() throws(StoreError) {
    defer { abandon() }
    try store.commit(staged.source, guards: nil, under: lock)
  }

  func abandon() {
    guard !isEnded else { return }
    isEnded = true
    staged.clear()
  }
}
