internal import Synchronization
public import VaultStorage
internal import VaultSystem

/// A lock on a vault: rows of the table `locks`, locked by a transaction that stays open. The server ends it with its
/// connection, so a stale lock cannot exist.
///
/// A writer has also raised the vault's `fence`: when its connection was lost and somebody else came, its next write
/// finds another fence and is refused.
final class PostgresLock: StoreLock {
  let kind: LockKind
  /// The fence that a writer writes under; 0 of a reader.
  let fence: Int64
  private let connection: Mutex<PostgresConnection?>
  private let pool: ConnectionPool
  private let store: ObjectIdentifier
  private let liveSet: Mutex<Int64>

  init(_ kind: LockKind, _ connection: PostgresConnection, of store: PostgresStore, _ held: (fence: Int64, live: Int64))
  {
    (self.kind, self.pool, self.store, fence) = (kind, store.pool, ObjectIdentifier(store), held.fence)
    self.connection = Mutex(connection)
    liveSet = Mutex(held.live)
  }

  deinit { release() }

  /// The set of live records.
  var live: Int64 {
    get { liveSet.withLock { $0 } }
    set { liveSet.withLock { $0 = newValue } }
  }

  func isExclusive(of store: PostgresStore) -> Bool {
    kind == .exclusive && self.store == ObjectIdentifier(store) && connection.withLock { $0 != nil }
  }

  func release() {
    guard let connection = connection.withLock({ $0.take() }) else { return }
    // With a connection that is lost the lock is gone, too.
    do throws(ServerFault) { try connection.run("ROLLBACK") } catch { return }
    pool.give(connection)
  }
}

extension PostgresStore {
  /// The rows of `locks`: the lock, and the gate that a writer holds while it waits, so that readers let it go first.
  private enum Gate {
    static let lock = 0
    static let waiting = 1
  }

  public func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    if let snapshot { return try snapshot.lock(kind) }
    guard kind != .snapshot else { return try moment() }
    let connection = try takenForLock()
    do throws(StoreError) {
      try wait(for: kind, connection, timeout, isWanted, onWait)
      guard kind == .exclusive else { return PostgresLock(kind, connection, of: self, (0, 0)) }
      let lock = PostgresLock(kind, connection, of: self, try raiseFence())
      return lock
    } catch {
      if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
      throw error
    }
  }

  /// A connection with the transaction begun that will hold the lock.
  private func takenForLock() throws(StoreError) -> PostgresConnection {
    let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"
    for connection in [try pool.take(), try pool.fresh()] {
      do throws(ServerFault) {
        try connection.run(begin)
        // However long the work takes, it is not idle.
        try connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        return connection
      } catch {
        guard error.isLost else { throw StoreError(error) }
      }
    }
    throw StoreError(.ioFailed, reason: "the connection to the database was lost")
  }

  private func wait(
    for kind: LockKind, _ connection: PostgresConnection, _ timeout: Duration, _ isWanted: () -> Bool,
    _ onWait: (Int32?) -> Void
  ) throws(StoreError) {
    let system = LiveFileOperations()
    var wait = LockWait(start: system.now(), timeout: timeout, path: address.canonicalText)
    var hasGate = false
    while true {
      do throws(ServerFault) {
        switch kind {
        case .exclusive:
          if !hasGate { hasGate = try isTaken(Gate.waiting, "UPDATE", connection) }
          if hasGate, try isTaken(Gate.lock, "UPDATE", connection) { return }
        case .shared, .snapshot:
          if try isOpen(Gate.waiting, connection), try isTaken(Gate.lock, "SHARE", connection) { return }
        }
      } catch {
        throw StoreError(error, writing: true)
      }
      var holder: LockHolder?
      var isKnown = false
      do throws(StoreError) {
        let step = try wait.nextStep(
          now: system.now(),
          holder: {
            if !isKnown { holder = self.holder() }
            isKnown = true
            return holder?.process
          }, isWanted: isWanted, onWait: onWait)
        system.sleep(step)
      } catch {
        throw holder.map { $0.inTheWay(of: address) } ?? error
      }
    }
  }

  /// Locks a row until the transaction ends, if nobody is in the way.
  private func isTaken(_ gate: Int, _ strength: String, _ connection: PostgresConnection) throws(ServerFault) -> Bool {
    try connection.row(
      "SELECT l.gate FROM \(schema.locks) AS l WHERE l.vault = $1 AND l.gate = \(gate) FOR \(strength) SKIP LOCKED",
      [.id(vault)]) != nil
  }

  /// Whether nobody is in the way of a shared lock on a row, which is given back at once.
  private func isOpen(_ gate: Int, _ connection: PostgresConnection) throws(ServerFault) -> Bool {
    try connection.run("SAVEPOINT looked")
    let isOpen = try isTaken(gate, "SHARE", connection)
    try connection.run("ROLLBACK TO SAVEPOINT looked")
    return isOpen
  }

  /// The writer that holds the lock; nil for readers, and where nobody has it.
  func holder() -> LockHolder? {
    let row = try? pool.with { connection throws(ServerFault) -> String? in
      // A row that only readers hold can be locked so. The statement is a transaction of its own.
      let isOpen = try isTaken(Gate.lock, "KEY SHARE", connection)
      guard !isOpen else { return nil }
      return try connection.row("SELECT v.holder FROM \(schema.vaults) AS v WHERE v.vault = $1", [.id(vault)])?.text(0)
    }
    guard let text = row ?? nil else { return nil }
    return LockHolder(text)
  }

  /// Shuts out every writer before, and clears away what one that died has left.
  private func raiseFence() throws(StoreError) -> (fence: Int64, live: Int64) {
    let statement = """
      UPDATE \(schema.vaults) AS v SET fence = v.fence + 1, holder = $2 WHERE v.vault = $1
      RETURNING v.fence, v.live, current_setting('synchronous_commit') = 'off',
        EXISTS (SELECT 1 FROM \(schema.staged) AS s WHERE s.vault = $1)
        OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > v.live)
        OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > 0 AND d.live < v.live)
      """
    let values: [SQLValue] = [.id(vault), .text(LockHolder.current.text)]
    let held = try pool.with(writing: true) { connection throws(ServerFault) -> (Int64, Int64, Bool, Bool)? in
      guard let row = try connection.row(statement, values) else { return nil }
      return (try row.number(0), try row.number(1), try row.isTrue(2), try row.isTrue(3))
    }
    guard let (fence, live, isUnsafe, isLittered) = held else {
      throw StoreError(.changedUnderneath, reason: "the vault is no longer in the database")
    }
    guard !isUnsafe else {
      throw StoreError(
        .ioFailed, reason: "the database would answer before a change is durable: synchronous_commit is off")
    }
    // What cannot be cleared now is cleared by the next.
    if isLittered { try? clearLeftovers(live: live) }
    return (fence, live)
  }

  private func clearLeftovers(live: Int64) throws(StoreError) {
    try pool.with(writing: true) { connection throws(ServerFault) in
      let patience = PostgresConnection.longPatience
      try connection.run("DELETE FROM \(schema.staged) WHERE vault = $1", [.id(vault)], patience: patience)
      try connection.run(
        "DELETE FROM \(schema.documents) WHERE vault = $1 AND live > 0 AND live <> $2", [.id(vault), .number(live)],
        patience: patience)
    }
  }

  func requireExclusive(_ lock: any StoreLock) -> PostgresLock {
    guard let lock = lock as? PostgresLock, lock.isExclusive(of: self) else {
      preconditionFailure("writing needs an exclusive lock of the same store")
    }
    return lock
  }
}
