internal import Synchronization
package import VaultStorage
internal import VaultSystem

/// A lock on a vault: rows of the table `locks`, locked by a transaction that stays open. The server ends it with its
/// connection, or if its client sends nothing for a while, so a stale lock cannot exist.
///
/// A writer has also drawn a new `fence` for the vault. If its connection is lost and another writer takes over, its
/// next write finds another fence and is refused.
final class PostgresLock: StoreLock {
  let kind: LockKind
  /// The fence of a writer; 0 for a reader.
  let fence: Int64
  /// How long a change waits for rows that others hold.
  let patience: Duration
  private let transaction: HeldTransaction
  private let pool: ConnectionPool
  private let store: ObjectIdentifier
  private let liveSet: Mutex<Int64>

  init(
    _ kind: LockKind, _ connection: PostgresConnection, of store: PostgresStore, within patience: Duration,
    _ held: (fence: Int64, live: Int64) = (0, 0)
  ) {
    (self.kind, self.pool, self.store, fence) = (kind, store.pool, ObjectIdentifier(store), held.fence)
    self.patience = max(.seconds(1), patience, pool.patience.reconnecting)
    transaction = HeldTransaction(connection, store.pool.patience)
    liveSet = Mutex(held.live)
  }

  deinit { release() }

  /// The set of live records.
  var live: Int64 {
    get { liveSet.withLock { $0 } }
    set { liveSet.withLock { $0 = newValue } }
  }

  func isExclusive(of store: PostgresStore) -> Bool {
    kind == .exclusive && self.store == ObjectIdentifier(store) && transaction.isHeld
  }

  func release() { transaction.end(pool) }
}

extension PostgresStore {
  /// The rows of `locks`: the lock, and the gate that a waiting writer holds, so that new readers let it go first.
  private enum Gate {
    static let lock = 0
    static let waiting = 1
  }

  package func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    if let snapshot { return try snapshot.lock(kind) }
    guard kind != .snapshot else { return try moment() }
    let end = ContinuousClock.now + timeout
    while true {
      do throws(StoreError) {
        return try lockOnce(kind, timeout: timeout, until: end, isWanted: isWanted, onWait: onWait)
      } catch {
        // Nothing was changed yet, and if the server goes away, another may soon take its place.
        let isLost = error.serverFault?.isLost == true && error.serverFault?.isSilent == false
        guard isLost, ContinuousClock.now < end, isWanted() else { throw error }
        LiveFileOperations().sleep(.milliseconds(250))
      }
    }
  }

  private func lockOnce(
    _ kind: LockKind, timeout: Duration, until end: ContinuousClock.Instant, isWanted: () -> Bool,
    onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let (connection, _) = try pool.held(until: end) { connection throws(ServerFault) in
      try connection.begin(" ISOLATION LEVEL READ COMMITTED", waiting: max(.seconds(1), end - .now))
    }
    do throws(StoreError) {
      try wait(for: kind, connection, timeout: max(.zero, end - .now), isWanted: isWanted, onWait: onWait)
      guard kind == .exclusive else { return PostgresLock(kind, connection, of: self, within: timeout) }
      let held = try drawFence(within: max(.seconds(1), end - .now))
      return PostgresLock(kind, connection, of: self, within: timeout, held)
    } catch {
      if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
      throw error
    }
  }

  private func wait(
    for kind: LockKind, _ connection: PostgresConnection, timeout: Duration, isWanted: () -> Bool,
    onWait: (Int32?) -> Void
  ) throws(StoreError) {
    let system = LiveFileOperations()
    var wait = LockWait(
      start: system.now(), timeout: timeout, path: address.canonicalText,
      steps: .milliseconds(250) ... .milliseconds(1000))
    // Zero at first, because mostly the lock is free.
    var (hasGate, patience) = (false, Duration.zero)
    while true {
      if try isTaken(kind, connection: connection, within: patience, hasGate: &hasGate) { return }
      var holder: LockHolder?
      var isKnown = false
      do throws(StoreError) {
        patience = try wait.nextStep(
          now: system.now(),
          holder: {
            if !isKnown { holder = self.holder() }
            isKnown = true
            return holder?.process
          }, isWanted: isWanted, onWait: onWait)
      } catch {
        throw holder.map { $0.inTheWay(of: address) } ?? error
      }
    }
  }

  /// Tries to take the lock.
  private func isTaken(
    _ kind: LockKind, connection: PostgresConnection, within patience: Duration, hasGate: inout Bool
  ) throws(StoreError) -> Bool {
    switch kind {
    case .exclusive where patience == .zero:
      let taken = try inServer { () throws(ServerFault) in
        try free([Gate.lock, Gate.waiting], strength: "UPDATE", connection: connection)
      }
      hasGate = taken.contains(Gate.waiting)
      return taken.contains(Gate.lock)
    case .exclusive:
      if !hasGate { hasGate = try isTaken(Gate.waiting, strength: "UPDATE", connection: connection, within: patience) }
      guard hasGate else { return false }
      return try isTaken(Gate.lock, strength: "UPDATE", connection: connection, within: patience)
    case .shared, .snapshot:
      guard try isOpen(Gate.waiting, connection, within: patience) else { return false }
      return try isTaken(Gate.lock, strength: "SHARE", connection: connection, within: patience)
    }
  }

  /// Locks a row until the transaction ends. The server queues waiters in order, and the first gets the row as soon as
  /// it is free.
  private func isTaken(
    _ gate: Int, strength: String, connection: PostgresConnection, within patience: Duration
  ) throws(StoreError) -> Bool {
    guard patience > .zero else {
      return try inServer { () throws(ServerFault) in
        try !free([gate], strength: strength, connection: connection).isEmpty
      }
    }
    do throws(ServerFault) {
      try connection.run("SAVEPOINT waiting")
      // 0 would mean to wait forever.
      try connection.run("SET LOCAL lock_timeout = \(max(1, Int(patience / .milliseconds(1))))")
      if try connection.row(locking([gate], strength), [.id(vault)]) != nil { return true }
    } catch {
      guard error.isLockTimeout else { throw StoreError(error, writing: true) }
      try inServer { () throws(ServerFault) in try connection.run("ROLLBACK TO SAVEPOINT waiting") }
      return false
    }
    throw gone
  }

  /// Locks, until the transaction ends, those rows that nobody holds.
  private func free(
    _ gates: [Int], strength: String, connection: PostgresConnection
  ) throws(ServerFault) -> [Int] {
    var taken: [Int] = []
    try connection.rows(
      locking(gates, strength) + " SKIP LOCKED", [.id(vault)],
      each: { row throws(ServerFault) in
        taken.append(Int(try row.place(0)))
      })
    return taken
  }

  /// A vanished client is given up after a minute and a half: by the keep-alives of the connection and, because a proxy
  /// answers those, by the limit of an idle transaction.
  private func locking(_ gates: [Int], _ strength: String) -> String {
    """
    SELECT l.gate, set_config('idle_in_transaction_session_timeout', '\(pool.patience.lockLimit.milliseconds)', true),
      set_config('tcp_keepalives_idle', '30', true), set_config('tcp_keepalives_interval', '10', true),
      set_config('tcp_keepalives_count', '6', true) FROM \(schema.locks) AS l
    WHERE l.vault = $1 AND l.gate IN (\(gates.map(String.init).joined(separator: ", "))) FOR \(strength)
    """
  }

  private var gone: StoreError {
    StoreError(.changedUnderneath, reason: "the vault is no longer in the database")
  }

  /// Whether a shared lock on a row is available; it is released at once.
  private func isOpen(
    _ gate: Int, _ connection: PostgresConnection, within patience: Duration
  ) throws(StoreError) -> Bool {
    try inServer { () throws(ServerFault) in try connection.run("SAVEPOINT looked") }
    let isOpen = try isTaken(gate, strength: "SHARE", connection: connection, within: patience)
    try inServer { () throws(ServerFault) in try connection.run("ROLLBACK TO SAVEPOINT looked") }
    return isOpen
  }

  /// The writer that holds the lock; nil for readers, and if the lock is free.
  func holder() -> LockHolder? {
    let row = try? pool.with { connection throws(ServerFault) -> String? in
      // A row that only readers hold can be locked this way. The statement is a separate transaction.
      let isOpen = try !free([Gate.lock], strength: "KEY SHARE", connection: connection).isEmpty
      guard !isOpen else { return nil }
      return try connection.row("SELECT v.holder FROM \(schema.vaults) AS v WHERE v.vault = $1", [.id(vault)])?.text(0)
    }
    guard let text = row ?? nil else { return nil }
    return LockHolder(text)
  }

  /// Excludes every earlier writer, and clears the leftovers of a crashed one.
  ///
  /// Nothing waits here until that is durable: the first change will be, and with it everything before. A server that
  /// dies in between has an earlier fence, under which at most one writer continues, because fences are random.
  ///
  /// - Parameter patience: how long an earlier writer's unfinished change may continue after it is given up.
  private func drawFence(within patience: Duration) throws(StoreError) -> (fence: Int64, live: Int64) {
    let statement = """
      UPDATE \(schema.vaults) AS v SET fence = $3,
        holder = $2 || ' since ' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      WHERE v.vault = $1
      RETURNING v.fence, v.live, current_setting('synchronous_commit') = 'off',
        EXISTS (SELECT 1 FROM \(schema.staged) AS s WHERE s.vault = $1)
        OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > v.live)
        OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > 0 AND d.live < v.live),
        set_config('synchronous_commit', 'off', true)
      """
    let values: [SQLValue] = [.id(vault), .text(LockHolder.current.text), .number(.random(in: 1 ... .max))]
    let held: (Int64, Int64, Bool, Bool)?
    do throws(StoreError) {
      held = try pool.with(writing: true) { connection throws(ServerFault) -> (Int64, Int64, Bool, Bool)? in
        // The server itself ends the wait; this limit is for a server that does not answer at all.
        let longest = patience + .seconds(2)
        // The limit is a separate statement, because a locked table is waited for before a statement begins.
        return try connection.transaction(waiting: patience) { () throws(ServerFault) -> (Int64, Int64, Bool, Bool)? in
          guard let row = try connection.row(statement, values, patience: longest) else { return nil }
          return (try row.number(0), try row.number(1), try row.isTrue(2), try row.isTrue(3))
        }
      }
    } catch {
      guard error.serverFault?.isSilent == true || error.serverFault?.isLockTimeout == true else { throw error }
      throw StoreError(
        .locked,
        reason: "the server is still storing the change of an earlier writer, or another session holds the vault's row",
        path: address.canonicalText, underlying: error.underlying)
    }
    guard let (fence, live, isUnsafe, isLittered) = held else { throw gone }
    guard !isUnsafe else {
      throw StoreError(
        .ioFailed, reason: "the database would confirm a change before it is durable: synchronous_commit is off")
    }
    // The next lock holder clears the rest.
    if isLittered { try? clearLeftovers(live: live, within: patience) }
    return (fence, live)
  }

  private func clearLeftovers(live: Int64, within patience: Duration) throws(StoreError) {
    try clear("DELETE FROM \(schema.staged) WHERE vault = $1", [.id(vault)], within: patience)
    try clear(
      "DELETE FROM \(schema.documents) WHERE vault = $1 AND live > 0 AND live <> $2", [.id(vault), .number(live)],
      within: patience)
  }

  /// Deletes rows that nobody reads. If others hold one of them for longer, this throws and deletes nothing: the
  /// next lock holder deletes them.
  func clear(
    _ statement: String, _ values: [SQLValue], within patience: Duration = .seconds(1)
  ) throws(StoreError) {
    try pool.with(writing: true) { connection throws(ServerFault) in
      try connection.transaction(waiting: patience) { () throws(ServerFault) in
        _ = try connection.run(statement, values, patience: PostgresConnection.longPatience)
      }
    }
  }

  func requireExclusive(_ lock: any StoreLock) -> PostgresLock {
    guard let lock = lock as? PostgresLock, lock.isExclusive(of: self) else {
      preconditionFailure("writing needs an exclusive lock of the same store")
    }
    return lock
  }
}
