internal import VaultDocument
package import VaultStorage
internal import VaultSystem

extension PostgresStore {
  /// More changes than these are staged first.
  private static let directLimit = (changeCount: 64, byteCount: 4 << 20)
  private static let longestTry = 10
  /// How long a commit may wait for standbys if it only confirms an earlier one.
  private static let replicationPatience = Duration.seconds(15)

  package func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    let lock = requireExclusive(lock)
    _ = try ChangePlan(changes)
    let guards = ChangeRows(changes.filter(\.isGuard), live: lock.live)
    let writes = changes.filter { !$0.isGuard }
    let byteCount = writes.reduce(0) { $0 + ($1.expected?.count ?? 0) + ($1.replacement?.count ?? 0) }
    guard !writes.isEmpty else { return try requireExpected(.values(guards)) }
    if case .inbox(let id) = writes[0].location { return try change(id, writes[0], under: lock) }
    guard writes.count > Self.directLimit.changeCount || byteCount > Self.directLimit.byteCount else {
      return try commit(.values(ChangeRows(writes, live: lock.live)), guards: guards, under: lock)
    }
    let staged = StagedChanges(in: self, under: lock)
    defer { staged.clear() }
    for piece in StagedChanges.pieces(of: writes) { try staged.append(piece) }
    try commit(staged.source, guards: guards, under: lock)
  }

  /// Runs a transaction of the lock holder, repeating it while others make it fail.
  ///
  /// - Parameter body: gets the connection, and the number that identifies the changes; it may be run several times.
  func writing(
    under lock: PostgresLock, _ body: (PostgresConnection, _ generation: Int64) throws(StoreError) -> Void
  ) throws(StoreError) {
    try transact(under: lock) { transaction throws(StoreError) in
      let (connection, row) = (transaction.connection, lock.row)
      do throws(ServerFault) {
        try connection.pipeline(transaction.beginning(within: lock.patience) + [claim(under: lock)])
      } catch {
        guard error.isRefusal else { throw StoreError(error, writing: true) }
        throw lost(lock)
      }
      try body(connection, row.generation + 1)
      transaction.isSent = true
      return try inServer { () throws(ServerFault) in try connection.commit() }
    }
  }

  /// Runs a whole transaction, up to its commit, and repeats it while others make it fail. A lock that may end with
  /// this change has a transaction for it; for another lock a second connection has one.
  ///
  /// - Parameter body: returns whether the server said that the commit may not be on its standbys.
  private func transact(
    under lock: PostgresLock, _ body: (inout HolderTransaction) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var generator = SystemRandomNumberGenerator()
    lock.forgetReading()
    defer { forgetReadAhead() }
    var own = lock.takeEndingTransaction()
    for attempt in 1... {
      let (connection, isOpen) = if let own { (own, true) } else { (try pool.take(), false) }
      var transaction = HolderTransaction(connection: connection, isOpen: isOpen, commitSetting: ownCommitSetting)
      own = nil
      do throws(StoreError) {
        let isInDoubt = try body(&transaction)
        lock.noteChange()
        pool.give(connection)
        if isInDoubt { throw StoreError.mayBeLost }
        return
      } catch {
        if error.code == .mayBeLost { throw error }
        if !connection.isLost {
          if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
        } else if transaction.isSent, try isDone(under: lock, besides: error) {
          lock.noteChange()
          return try requireReplication(besides: error)
        }
        let isConflict = error.serverFault?.isConflict == true
        let isLost = error.serverFault?.isLost == true && error.serverFault?.isSilent == false
        guard isConflict || isLost, attempt < Self.longestTry else { throw error }
        let longest = min(5 << (attempt - 1), 500)
        LiveFileOperations().sleep(.milliseconds(Int.random(in: 5...max(5, longest), using: &generator)))
      }
    }
  }

  /// The part of a statement that raises the generation, if the vault's row is still as the holder knows it. The names
  /// of the values follow those of the statement.
  private func claiming(after count: Int) -> String {
    """
    UPDATE \(schema.vaults) AS v SET generation = v.generation + 1, fence = $\(count + 1), holder = $\(count + 2)
      || ' since ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    WHERE v.vault = $1 AND v.generation = $\(count + 3) AND v.fence = $\(count + 4) RETURNING 1
    """
  }

  private func claimValues(_ lock: PostgresLock) -> [SQLValue] {
    let row = lock.row
    return [.number(lock.fence), .text(LockHolder.current.text), .number(row.generation), .number(row.fence)]
  }

  private func claim(under lock: PostgresLock) -> SQLStatement {
    SQLStatement(
      """
      WITH claimed AS (\(claiming(after: 1)))
      SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM claimed
      """, [.id(vault)] + claimValues(lock))
  }

  /// Checks that the lock's fence is still the vault's, and blocks new fences until the transaction ends.
  func requireFence(of lock: PostgresLock, _ connection: PostgresConnection) throws(StoreError) {
    let (known, statement) = (
      lock.row,
      """
      SELECT v.vault FROM \(schema.vaults) AS v WHERE v.vault = $1 AND v.generation = $2 AND v.fence = $3 FOR SHARE
      """
    )
    let row = try inServer { () throws(ServerFault) in
      try connection.row(statement, [.id(vault), .number(known.generation), .number(known.fence)])
    }
    guard row != nil else { throw lost(lock) }
  }

  /// The error of a holder whose lock somebody else has now.
  func lost(_ lock: PostgresLock) -> StoreError {
    lock.noteLoss()
    return StoreError(
      .locked, reason: "the lock was lost with its connection, and another process has it now",
      path: address.canonicalText, holder: holder()?.process)
  }

  /// Whether a transaction with an unknown outcome was committed.
  ///
  /// The vault's row is locked for that, so that an unfinished commit comes first. Each change increases the generation
  /// and writes the fence of its holder.
  private func isDone(under lock: PostgresLock, besides error: StoreError) throws(StoreError) -> Bool {
    let generation = lock.row.generation + 1
    let statement = "SELECT v.generation, v.fence FROM \(schema.vaults) AS v WHERE v.vault = $1 FOR UPDATE"
    let row: (generation: Int64, fence: Int64)?
    do throws(StoreError) {
      row = try reached { connection throws(ServerFault) in
        try connection.withoutCommit { () throws(ServerFault) -> (Int64, Int64)? in
          guard let row = try connection.row(statement, [.id(vault)]) else { return nil }
          return (try row.number(0), try row.number(1))
        }
      }
    } catch {
      throw .outcomeUnknown(besides: error)
    }
    guard let row else { throw error }
    if row.generation < generation { return false }
    if row.fence == lock.fence { return true }
    // Others have changed the vault. If one of them made the change of this number, this one is not there.
    guard row.generation == generation else { throw .outcomeUnknown(besides: error) }
    return false
  }

  /// Makes sure that an unconfirmed commit is on the standbys: a later commit waits for all earlier writes.
  private func requireReplication(besides error: StoreError) throws(StoreError) {
    let statement = "UPDATE \(schema.vaults) AS v SET fence = v.fence WHERE v.vault = $1"
    let isInDoubt = try? pool.with(writing: true) { connection throws(ServerFault) -> Bool in
      try self.commit([SQLStatement(statement, [.id(vault)])], connection, patience: Self.replicationPatience)
    }
    guard isInDoubt == false else { throw .mayBeLost }
  }

  /// The address's own setting of how far a commit must have come, for a transaction.
  var ownCommitSetting: [SQLStatement] {
    address.synchronousCommit.map { [SQLStatement("SET LOCAL synchronous_commit = \($0)")] } ?? []
  }

  /// Commits statements in a transaction of their own, for users who do not hold the lock.
  ///
  /// - Returns: whether the server said that the commit may not be on its standbys.
  func commit(
    _ statements: [SQLStatement], _ connection: PostgresConnection,
    patience: Duration = PostgresConnection.longPatience
  ) throws(ServerFault) -> Bool {
    let whole = [beginning] + ownCommitSetting + statements + [SQLStatement("COMMIT")]
    do throws(ServerFault) {
      try connection.pipeline(whole, patience: patience, isCommitting: true)
      return connection.isReplicationInDoubt
    } catch {
      if !connection.isLost { _ = try? connection.run("ROLLBACK") }
      throw error
    }
  }

  /// Asks a server that may just be restarting, or another that takes its place.
  func reached<Result>(
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> Result {
    try pool.with(for: max(.seconds(10), pool.patience.reconnecting), body)
  }

  /// Makes changes, and checks before the commit that the database has them, in one round trip.
  func commit(
    _ source: ChangeSource, guards: ChangeRows?, under lock: PostgresLock
  ) throws(StoreError) {
    let guards = guards.flatMap { $0.ids.isEmpty ? nil : ChangeSource.values($0) }
    try transact(under: lock) { transaction throws(StoreError) in
      let beginning = transaction.beginning(within: lock.patience)
      let guarding = guards.map { [refusal(ifStale: $0, side: "old")] } ?? []
      let changing = changes(source, under: lock)
      let checking = [refusal(ifStale: source, side: "new"), SQLStatement("COMMIT")]
      transaction.isSent = true
      let connection = transaction.connection
      do throws(ServerFault) {
        try connection.pipeline(
          beginning + guarding + changing + checking, patience: PostgresConnection.longPatience, isCommitting: true)
        return connection.isReplicationInDoubt
      } catch {
        guard error.isRefusal else { throw StoreError(error, writing: true) }
        try inServer { () throws(ServerFault) in try connection.run("ROLLBACK") }
        switch error.step - beginning.count {
        case ..<guarding.count: throw refused(guards ?? source, connection)
        case ..<(guarding.count + changing.count):
          guard try isKnown(lock.row, connection) else { throw lost(lock) }
          throw refused(source, connection)
        default:
          throw StoreError(
            .unverifiedWrite, reason: "the database did not keep what was written", path: source.onlyPath)
        }
      }
    }
  }

  /// Whether the vault's row is as the holder knows it.
  private func isKnown(_ row: VaultRow, _ connection: PostgresConnection) throws(StoreError) -> Bool {
    let statement = "SELECT v.generation, v.fence FROM \(schema.vaults) AS v WHERE v.vault = $1"
    return try inServer { () throws(ServerFault) in
      guard let found = try connection.row(statement, [.id(vault)]) else { return false }
      return (try found.number(0), try found.number(1)) == (row.generation, row.fence)
    }
  }

  /// The error for changes that were expected to find other bytes; the present state tells which place it was.
  private func refused(_ source: ChangeSource, _ connection: PostgresConnection) -> StoreError {
    let place = try? stale(source, side: "old", connection: connection)
    return (place ?? nil) ?? StoreError(.changedUnderneath, reason: "the vault was changed by someone else")
  }

  func requireExpected(_ source: ChangeSource) throws(StoreError) {
    let connection = try pool.take()
    defer { pool.give(connection) }
    if let stale = try stale(source, side: "old", connection: connection) { throw stale }
  }

  /// The first place that does not have the content of one side of the rows.
  private func stale(
    _ source: ChangeSource, side: String, connection: PostgresConnection
  ) throws(StoreError) -> StoreError? {
    let statement = "SELECT s.place, s.id \(differing(source, side)) LIMIT 1"
    return try inServer { () throws(ServerFault) in
      guard let row = try connection.row(statement, [.id(vault)] + source.values) else { return nil }
      guard let place = StoreLocation(place: try row.place(0), id: try row.id(1)) else { throw .malformed }
      return StoreError(.changedUnderneath, reason: "was changed by someone else", path: place.relativePath)
    }
  }

  private func differing(_ source: ChangeSource, _ side: String) -> String {
    """
    FROM \(source.table(schema)) LEFT JOIN \(schema.documents) AS d ON d.vault = $1
      AND d.live = s.live AND d.place = s.place AND d.id = s.id AND d.part = s.part
    WHERE CASE WHEN s.\(side) IS NULL THEN d.part IS NOT NULL
      ELSE d.bytes IS NULL OR d.bytes <> s.\(side) OR d.size <> s.\(side)_size END
    """
  }

  private func refusal(ifStale source: ChangeSource, side: String) -> SQLStatement {
    SQLStatement(
      "SELECT 1 / CASE WHEN EXISTS (SELECT 1 \(differing(source, side))) THEN 0 ELSE 1 END",
      [.id(vault)] + source.values)
  }

  /// The statements that write the rows. Each ends the transaction if a place does not have the expected content, and
  /// the first one if the lock is no longer the holder's.
  private func changes(_ source: ChangeSource, under lock: PostgresLock) -> [SQLStatement] {
    let base = [.id(vault)] + source.values
    let generation = lock.row.generation + 1
    let numbered = base + [.number(generation), .number(Int64.random(in: 0 ... .max))]
    let (number, mark) = ("$\(base.count + 1)::bigint", "$\(base.count + 2)::bigint")
    var first = "claimed AS (\(claiming(after: numbered.count))),\(marking(source, generation: number, mark: mark))\n"
    var isClaimed = "(SELECT count(*) FROM claimed) = 1 AND "
    var (values, statements) = (numbered + claimValues(lock), [SQLStatement]())
    for step in steps(source, generation: number) where step.count > 0 {
      statements.append(
        SQLStatement(
          """
          WITH \(first)done AS (\(step.statement) RETURNING 1)
          SELECT 1 / CASE WHEN \(isClaimed)(SELECT count(*) FROM done) = \(step.count) THEN 1 ELSE 0 END
          """, values))
      (first, isClaimed, values) = ("", "", Array(values.prefix(base.count + 1)))
    }
    return statements.isEmpty ? [claim(under: lock)] : statements
  }

  /// The statements that change rows, and the number of rows that each must change.
  private func steps(_ source: ChangeSource, generation: String) -> [(count: Int, statement: String)] {
    let (counts, table) = (source.counts, source.table(schema))
    let isThere = """
      d.vault = $1 AND d.live = s.live AND d.place = s.place AND d.id = s.id AND d.part = s.part
        AND d.bytes = s.old AND d.size = s.old_size
      """
    return [
      (counts.removed, "DELETE FROM \(schema.documents) AS d USING \(table) WHERE \(isThere) AND s.new IS NULL"),
      (
        counts.replaced,
        """
        UPDATE \(schema.documents) AS d SET bytes = s.new, size = s.new_size, changed = \(generation)
        FROM \(table) WHERE \(isThere) AND s.new IS NOT NULL
        """
      ),
      (
        counts.added,
        """
        INSERT INTO \(schema.documents) (vault, live, place, id, part, changed, size, bytes)
        SELECT $1, s.live, s.place, s.id, s.part, \(generation), s.new_size, s.new FROM \(table)
        WHERE s.old IS NULL AND s.new IS NOT NULL ON CONFLICT DO NOTHING
        """
      ),
    ]
  }

  /// A part of the first statement that marks the folders of changed records as changed. A folder's mark is random,
  /// because a database that was restored counts the same numbers again.
  private func marking(_ source: ChangeSource, generation: String, mark: String) -> String {
    if case .values(let rows) = source, !rows.places.contains(StoreLocation.Place.record) { return "" }
    return """

      marked AS (
        INSERT INTO \(schema.folders) AS f (vault, folder, changed, mark)
        SELECT DISTINCT $1::uuid, get_byte(uuid_send(s.id), 0)::smallint, \(generation), \(mark)
        FROM \(source.table(schema)) WHERE s.place = \(StoreLocation.Place.record)
        ON CONFLICT (vault, folder) DO UPDATE SET changed = EXCLUDED.changed, mark = EXCLUDED.mark),
      """
  }
}

extension StoreError {
  static var mayBeLost: StoreError {
    StoreError(
      .mayBeLost, reason: "the change is stored, but the server may not have passed it on to its standbys yet")
  }

  static func outcomeUnknown(besides error: StoreError) -> StoreError {
    StoreError(
      .outcomeUnknown, reason: "the connection was lost while the change was being stored: it may be stored or not",
      path: error.path, underlying: error.underlying)
  }
}

/// A transaction of a lock holder, from its begin to its commit.
struct HolderTransaction {
  let connection: PostgresConnection
  /// Whether it is the one that holds the lock.
  let isOpen: Bool
  let commitSetting: [SQLStatement]
  /// Whether its commit was sent, so that a lost connection leaves the outcome open.
  var isSent = false

  /// The statements with which it begins, unless the lock has begun it.
  func beginning(within limit: Duration) -> [SQLStatement] {
    guard !isOpen else { return [] }
    let waiting = SQLStatement("SET LOCAL lock_timeout = \(limit.milliseconds)")
    return [SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED"), waiting] + commitSetting
  }
}

/// Runs a step in the server for a writer.
@discardableResult
func inServer<Result>(_ step: () throws(ServerFault) -> Result) throws(StoreError) -> Result {
  do { return try step() } catch { throw StoreError(error, writing: true) }
}
