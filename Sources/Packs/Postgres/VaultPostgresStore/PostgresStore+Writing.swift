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
    var generator = SystemRandomNumberGenerator()
    for attempt in 1... {
      let connection = try pool.take()
      var generation: Int64?
      do throws(StoreError) {
        let isInDoubt = try once(connection, under: lock, generation: &generation, body: body)
        pool.give(connection)
        if isInDoubt { throw StoreError.mayBeLost }
        return
      } catch {
        if error.code == .mayBeLost { throw error }
        if !connection.isLost {
          if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
        } else if let generation, try isDone(generation, under: lock, besides: error) {
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

  /// - Returns: whether the server said that the commit may not be on its standbys.
  private func once(
    _ connection: PostgresConnection, under lock: PostgresLock, generation: inout Int64?,
    body: (PostgresConnection, Int64) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    try inServer { () throws(ServerFault) in try connection.begin(waiting: lock.patience) }
    let row = try inServer { () throws(ServerFault) in
      try connection.row(
        """
        UPDATE \(schema.vaults) AS v SET generation = v.generation + 1 WHERE v.vault = $1 AND v.fence = $2
        RETURNING v.generation
        """, [.id(vault), .number(lock.fence)])
    }
    guard let row else { throw lockLost() }
    let next = try inServer { () throws(ServerFault) in try row.number(0) }
    try body(connection, next)
    generation = next
    return try inServer { () throws(ServerFault) in try connection.commit() }
  }

  /// Checks that the lock's fence is still the vault's, and blocks new fences until the transaction ends.
  func requireFence(of lock: PostgresLock, _ connection: PostgresConnection) throws(StoreError) {
    let statement = "SELECT v.vault FROM \(schema.vaults) AS v WHERE v.vault = $1 AND v.fence = $2 FOR SHARE"
    let row = try inServer { () throws(ServerFault) in
      try connection.row(statement, [.id(vault), .number(lock.fence)])
    }
    guard row != nil else { throw lockLost() }
  }

  private func lockLost() -> StoreError {
    StoreError(
      .locked, reason: "the lock was lost with its connection, and another process has it now",
      path: address.canonicalText,
      holder: holder()?.process)
  }

  /// Whether a transaction with an unknown outcome was committed.
  ///
  /// The vault's row is locked for that, so that an unfinished commit comes first. Only the holder of the fence
  /// increases the generation.
  private func isDone(
    _ generation: Int64, under lock: PostgresLock, besides error: StoreError
  ) throws(StoreError) -> Bool {
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
    // A server without this change may have taken over, and another writer may have counted that far.
    guard row.fence == lock.fence else { throw .outcomeUnknown(besides: error) }
    return true
  }

  /// Makes sure that an unconfirmed commit is on the standbys: a later commit waits for all earlier writes.
  private func requireReplication(besides error: StoreError) throws(StoreError) {
    let statement = "UPDATE \(schema.vaults) AS v SET fence = v.fence WHERE v.vault = $1"
    let isInDoubt = try? pool.with(writing: true) { connection throws(ServerFault) -> Bool in
      try connection.run(statement, [.id(vault)], patience: Self.replicationPatience)
      return connection.isReplicationInDoubt
    }
    guard isInDoubt == false else { throw .mayBeLost }
  }

  /// Asks a server that may just be restarting, or another that takes its place.
  func reached<Result>(
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> Result {
    try pool.with(for: max(.seconds(10), pool.patience.reconnecting), body)
  }

  /// Makes changes and checks that the database then has them.
  func commit(
    _ source: ChangeSource, guards: ChangeRows?, under lock: PostgresLock
  ) throws(StoreError) {
    do throws(StoreError) {
      try writing(under: lock) { connection, generation throws(StoreError) in
        if let guards, !guards.ids.isEmpty, let stale = try stale(.values(guards), side: "old", connection: connection)
        {
          throw stale
        }
        try change(source, connection: connection, generation: generation)
        if let wrong = try stale(source, side: "new", connection: connection) {
          throw StoreError(.unverifiedWrite, reason: "the database did not keep what was written", path: wrong.path)
        }
      }
    } catch {
      // The restored state tells which place it was.
      guard error.code == .changedUnderneath, error.path == nil, error.serverFault == nil else { throw error }
      try requireExpected(source)
      throw error
    }
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
    let statement = """
      SELECT s.place, s.id FROM \(source.table(schema)) LEFT JOIN \(schema.documents) AS d ON d.vault = $1
        AND d.live = s.live AND d.place = s.place AND d.id = s.id AND d.part = s.part
      WHERE CASE WHEN s.\(side) IS NULL THEN d.part IS NOT NULL
        ELSE d.bytes IS NULL OR d.bytes <> s.\(side) OR d.size <> s.\(side)_size END LIMIT 1
      """
    return try inServer { () throws(ServerFault) in
      guard let row = try connection.row(statement, [.id(vault)] + source.values) else { return nil }
      guard let place = StoreLocation(place: try row.place(0), id: try row.id(1)) else { throw .malformed }
      return StoreError(.changedUnderneath, reason: "was changed by someone else", path: place.relativePath)
    }
  }

  /// Writes the rows if the places have the expected content.
  private func change(
    _ source: ChangeSource, connection: PostgresConnection, generation: Int64
  ) throws(StoreError) {
    let values = [.id(vault)] + source.values + [.number(generation), .number(.random(in: 0 ... .max))]
    let steps = steps(source, generation: "$\(values.count - 1)::bigint")
    var marking = marking(source, generation: "$\(values.count - 1)::bigint", mark: "$\(values.count)::bigint")
    for step in steps where step.count > 0 {
      let count = try inServer { () throws(ServerFault) in
        try connection.run(marking + step.statement, values, patience: PostgresConnection.longPatience)
      }
      marking = ""
      guard count == step.count else {
        throw StoreError(.changedUnderneath, reason: "the vault was changed by someone else")
      }
    }
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
      WITH marked AS (
        INSERT INTO \(schema.folders) AS f (vault, folder, changed, mark)
        SELECT DISTINCT $1::uuid, get_byte(uuid_send(s.id), 0)::smallint, \(generation), \(mark)
        FROM \(source.table(schema)) WHERE s.place = \(StoreLocation.Place.record)
        ON CONFLICT (vault, folder) DO UPDATE SET changed = EXCLUDED.changed, mark = EXCLUDED.mark)

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

/// Runs a step in the server for a writer.
@discardableResult
func inServer<Result>(_ step: () throws(ServerFault) -> Result) throws(StoreError) -> Result {
  do { return try step() } catch { throw StoreError(error, writing: true) }
}
