internal import VaultDocument
package import VaultStorage

/// Changes that are collected in the table of staged changes until the statements apply them.
final class StagedChanges {
  /// The most changes and bytes that are sent at once.
  private static let piece = (changeCount: 2000, byteCount: 8 << 20)

  private let store: PostgresStore
  private let lock: PostgresLock
  private let batch = Identifier.random()
  private var counts = ChangeRows.Counts()
  private var isEmpty = true

  init(in store: PostgresStore, under lock: PostgresLock) { (self.store, self.lock) = (store, lock) }

  var source: ChangeSource { .staged(batch: batch, counts) }

  /// Splits changes into portions that are not too large for a server, or for its transaction log.
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

  /// Deletes them; the next lock holder deletes the rest after a fault.
  func clear() {
    guard !isEmpty else { return }
    isEmpty = true
    try? store.clear(
      "DELETE FROM \(store.schema.staged) WHERE vault = $1 AND batch = $2", [.id(store.vault), .id(batch)])
  }
}

extension PostgresStore {
  /// Adds rows to a table by COPY, or by one statement if the server does not allow COPY for this role, as with row
  /// security (PostgreSQL manual, COPY, Notes).
  ///
  /// - Parameters:
  ///   - table: with the columns of the rows.
  ///   - bytes: the rows in the binary form of COPY.
  ///   - selection: the same rows as the text after SELECT.
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

/// Compares the expected content with each piece, and makes all changes by three statements.
private final class PostgresBatch: StoreBatch {
  private let store: PostgresStore
  // Held while the batch is in progress.
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
