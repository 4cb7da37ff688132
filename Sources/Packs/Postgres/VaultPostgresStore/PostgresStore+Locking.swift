internal import Synchronization
package import VaultStorage
internal import VaultSystem

extension PostgresStore {
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

  package func expectChange(of id: RecordID) { expected.withLock { $0 = id } }

  private func lockOnce(
    _ kind: LockKind, timeout: Duration, until end: ContinuousClock.Instant, isWanted: () -> Bool,
    onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let isWaiting = timeout > .zero && isWanted()
    let expected = kind == .exclusive ? expected.withLock { $0 } : nil
    let (connection, first) = try pool.held(writing: kind == .exclusive, until: end) {
      connection throws(ServerFault) -> LockAttempt in
      var attempt = LockAttempt(patience: PostgresLock.patience(within: timeout), expected: expected)
      let start = start(waiting: max(.seconds(1), end - .now))
      switch kind {
      case .exclusive where isWaiting: try waitAtFirst(min(timeout, Self.shortestWait), connection, &attempt)
      case .exclusive: try take([Gate.lock, Gate.waiting], after: start, connection, &attempt)
      case .shared, .snapshot: try connection.pipeline(start)
      }
      return attempt
    }
    var attempt = first
    let row: VaultRow
    do throws(StoreError) {
      if !attempt.isTaken {
        try wait(for: kind, connection, timeout: timeout, until: end, &attempt, isWanted: isWanted, onWait: onWait)
      }
      row = kind == .exclusive ? try attempt.usableRow() : VaultRow()
    } catch {
      if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
      throw error
    }
    let lock = PostgresLock(kind, connection, of: self, within: timeout, row)
    guard kind == .exclusive else { return lock }
    lock.ahead.replace(attempt.documents, for: Self.aheadWithLock)
    // The next lock holder clears the rest.
    if attempt.isLittered { try clearLeftovers(lock, within: max(.seconds(1), end - .now)) }
    forgetReadAhead()
    holding.withLock { $0.lock = lock }
    self.expected.withLock { $0 = nil }
    return lock
  }

  /// How long the server lets a writer wait for a row before the writer looks whether it is still wanted.
  private static let shortestWait = Duration.seconds(1)

  /// How long documents that were read with the lock may be asked for; nobody else changes them.
  static let aheadWithLock = Duration.seconds(3600)

  private func wait(
    for kind: LockKind, _ connection: PostgresConnection, timeout: Duration, until end: ContinuousClock.Instant,
    _ attempt: inout LockAttempt, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) {
    let system = LiveFileOperations()
    var wait = LockWait(
      start: system.now() - (timeout - (end - .now)), timeout: timeout, path: address.canonicalText,
      steps: Self.shortestWait...Self.shortestWait)
    var (isFirst, isStillWanted) = (true, true)
    while true {
      var holder: LockHolder?
      var isKnown = false
      if isFirst, kind != .exclusive, try isShared(connection, within: .zero) { return }
      isFirst = false
      let patience: Duration
      do throws(StoreError) {
        patience = try wait.nextStep(
          now: system.now(),
          holder: {
            if !isKnown, isStillWanted { holder = self.holder() }
            isKnown = true
            return holder?.process
          },
          isWanted: {
            isStillWanted = isWanted()
            return isStillWanted
          }, onWait: onWait)
      } catch {
        throw holder.map { $0.inTheWay(of: address) } ?? error
      }
      if kind != .exclusive {
        if try isShared(connection, within: patience) { return }
      } else {
        try inServer { () throws(ServerFault) in try self.wait(patience, connection, &attempt) }
        if attempt.isTaken { return }
      }
    }
  }

  private func isShared(_ connection: PostgresConnection, within patience: Duration) throws(StoreError) -> Bool {
    guard try isOpen(Gate.waiting, connection, within: patience) else { return false }
    return try isTaken(Gate.lock, connection, within: patience)
  }

  /// Waits for the gate and the lock, each within a limit, in a transaction without savepoints, each of which costs the
  /// server about as much as a lock (decision 228). If that does not succeed, the waiting begins anew.
  private func waitAtFirst(
    _ patience: Duration, _ connection: PostgresConnection, _ attempt: inout LockAttempt
  ) throws(ServerFault) {
    let start = start(waiting: patience)
    do throws(ServerFault) {
      try takeInTurn([Gate.waiting, Gate.lock], after: start, connection, &attempt)
    } catch {
      guard error.isLockTimeout, error.step >= start.count else { throw error }
      try connection.run("ROLLBACK")
      try connection.pipeline(start)
    }
  }

  /// Waits for the gate, if another writer has it, and then for the lock, each within a limit. The server queues
  /// waiters in order, and the first gets a row as soon as it is free.
  private func wait(
    _ patience: Duration, _ connection: PostgresConnection, _ attempt: inout LockAttempt
  ) throws(ServerFault) {
    var start = [
      SQLStatement("SAVEPOINT waiting"), SQLStatement("SET LOCAL lock_timeout = \(patience.milliseconds)"),
    ]
    if !attempt.hasGate { start += [locking([Gate.waiting]), SQLStatement("SAVEPOINT waiting")] }
    do throws(ServerFault) {
      try takeInTurn([Gate.lock], after: start, connection, &attempt)
    } catch {
      guard error.isLockTimeout, error.step > 0 else { throw error }
      // A gate that was reached stays, because the second savepoint hides the first one.
      if error.step >= start.count { attempt.hasGate = true }
      try connection.run("ROLLBACK TO SAVEPOINT waiting")
    }
  }

  private func takeInTurn(
    _ gates: [Int], after start: [SQLStatement], _ connection: PostgresConnection, _ attempt: inout LockAttempt
  ) throws(ServerFault) {
    try take(gates, isWaiting: true, after: start, connection, &attempt)
    // Nobody holds a lock that has no row.
    if !attempt.isTaken { (attempt.isTaken, attempt.isGone) = (true, true) }
  }

  /// Locks a row until the transaction ends. The server queues waiters in order, and the first gets the row as soon as
  /// it is free.
  private func isTaken(
    _ gate: Int, _ connection: PostgresConnection, within patience: Duration
  ) throws(StoreError) -> Bool {
    guard patience > .zero else {
      return try inServer { () throws(ServerFault) in
        try connection.row(locking([gate], "SHARE") + " SKIP LOCKED", [.id(vault)]) != nil
      }
    }
    do throws(ServerFault) {
      try connection.run("SAVEPOINT waiting")
      // 0 would mean to wait forever.
      try connection.run("SET LOCAL lock_timeout = \(patience.milliseconds)")
      if try connection.row(locking([gate], "SHARE"), [.id(vault)]) != nil { return true }
    } catch {
      guard error.isLockTimeout else { throw StoreError(error, writing: true) }
      try inServer { () throws(ServerFault) in try connection.run("ROLLBACK TO SAVEPOINT waiting") }
      return false
    }
    throw .gone
  }

  /// Locks rows in one round trip, and reads what a holder of the lock needs to know.
  private func take(
    _ gates: [Int], isWaiting: Bool = false, after start: [SQLStatement], _ connection: PostgresConnection,
    _ attempt: inout LockAttempt
  ) throws(ServerFault) {
    let places: [StoreLocation] = [.header] + (attempt.expected.map { [.record($0), .trash($0)] } ?? [])
    let locking = isWaiting ? locking(gates) : lockingIfFree(gates, attempt.patience)
    let row = statementOfRow(with: places, naming: isWaiting ? attempt.patience : nil, isOfOne: attempt.expected != nil)
    var joiners = places.map { place in PartJoiner { _ in place } }
    var found = attempt
    try connection.pipeline(start + [locking, row]) { step, row throws(ServerFault) in
      switch step - start.count {
      case 0: try found.takeGate(row)
      case 1:
        try found.takeRow(row)
        guard try row.optionalBytes(6) != nil else { return }
        let number = Int(try row.place(6))
        guard joiners.indices.contains(number) else { throw .malformed }
        _ = try joiners[number].take(SQLRow(cells: Array(row.cells.dropFirst(7))))
      default:
        if start.indices.contains(step), start[step].text == Self.settings {
          connection.note(serverProcess: Int32(clamping: try row.integer(0)))
        }
      }
    }
    for (index, place) in places.enumerated() {
      found.documents[place] = joiners[index].finish()?.bytes.map { $0 } ?? .success(nil)
    }
    attempt = found
  }

  /// Whether a shared lock on a row is available; it is released at once.
  private func isOpen(
    _ gate: Int, _ connection: PostgresConnection, within patience: Duration
  ) throws(StoreError) -> Bool {
    try inServer { () throws(ServerFault) in try connection.run("SAVEPOINT looked") }
    let isOpen = try isTaken(gate, connection, within: patience)
    try inServer { () throws(ServerFault) in try connection.run("ROLLBACK TO SAVEPOINT looked") }
    return isOpen
  }

  /// The writer that holds the lock; nil for readers, if the lock is free, and if the server does not show sessions.
  func holder() -> LockHolder? {
    let statement = """
      SELECT a.application_name FROM pg_stat_activity AS a
      WHERE a.datname = current_database() AND left(a.application_name, length($1)) = $1 LIMIT 1
      """
    let mark = LockHolder.mark(of: vault)
    let name = try? pool.with { connection throws(ServerFault) -> String? in
      try connection.row(statement, [.text(mark)])?.text(0)
    }
    guard let name = name ?? nil else { return nil }
    return LockHolder(name.dropFirst(mark.count))
  }

  /// Excludes every earlier writer, and clears what a crashed one left behind.
  private func clearLeftovers(_ lock: PostgresLock, within patience: Duration) throws(StoreError) {
    let row = lock.row
    let statement = """
      WITH drawn AS (
        UPDATE \(schema.vaults) AS v SET fence = $2 WHERE v.vault = $1 AND v.generation = $3 AND v.fence IN ($4, $2)
        RETURNING 1)
      SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM drawn
      """
    let values: [SQLValue] = [.id(vault), .number(lock.fence), .number(row.generation), .number(row.fence)]
    do throws(StoreError) {
      try pool.with(writing: true) { connection throws(ServerFault) in
        try connection.transaction(waiting: patience) { () throws(ServerFault) in
          _ = try connection.row(statement, values)
        }
      }
    } catch {
      guard error.serverFault?.isRefusal == true else { throw error }
      throw lost(lock)
    }
    lock.row.fence = lock.fence
    try? clear("DELETE FROM \(schema.staged) WHERE vault = $1", [.id(vault)], within: patience)
    try? clear(
      "DELETE FROM \(schema.documents) WHERE vault = $1 AND live > 0 AND live <> $2", [.id(vault), .number(row.live)],
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

  /// The exclusive lock of this store; nil if it holds no lock.
  var heldLock: PostgresLock? {
    guard let lock = holding.withLock({ $0.lock }), lock.isExclusive(of: self) else { return nil }
    return lock
  }

  func requireExclusive(_ lock: any StoreLock) -> PostgresLock {
    guard let lock = lock as? PostgresLock, lock.isExclusive(of: self) else {
      preconditionFailure("writing needs an exclusive lock of the same store")
    }
    return lock
  }
}

/// An attempt to take the lock for writing.
private struct LockAttempt: Sendable {
  var hasGate = false
  var isTaken = false
  var row: VaultRow?
  /// Whether the vault has no lock, as after it was removed.
  var isGone = false
  var isUnsafe = false
  var isLittered = false
  /// How long the holder's changes wait for rows of others.
  let patience: Duration
  /// The record whose documents come with the lock.
  let expected: RecordID?
  var documents: [StoreLocation: Result<[UInt8]?, StoreError>] = [:]

  /// The vault's row, if its holder may change the vault.
  func usableRow() throws(StoreError) -> VaultRow {
    guard let row, !isGone else { throw .gone }
    guard !isUnsafe else { throw .notDurable }
    return row
  }

  mutating func takeGate(_ row: SQLRow) throws(ServerFault) {
    if try row.place(0) == 0 { isTaken = true } else { hasGate = true }
  }

  mutating func takeRow(_ row: SQLRow) throws(ServerFault) {
    self.row = VaultRow(generation: try row.number(0), fence: try row.number(1), live: try row.number(2))
    (isUnsafe, isLittered) = (try row.isTrue(3), try row.isTrue(4))
  }
}

extension StoreError {
  static var notDurable: StoreError {
    StoreError(
      .ioFailed, reason: "the database would confirm a change before it is durable: synchronous_commit is off")
  }

  static var gone: StoreError {
    StoreError(.changedUnderneath, reason: "the vault is no longer in the database")
  }
}
