internal import VaultDocument
internal import VaultStorage

/// The statements that take the lock of a vault.
extension PostgresStore {
  /// The rows of `locks`: the lock, and the gate that a waiting writer holds, so that new readers let it go first.
  enum Gate {
    static let lock = 0
    static let waiting = 1
  }

  var beginning: SQLStatement { SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED") }

  /// The statements with which a transaction for a lock begins.
  func start(waiting limit: Duration) -> [SQLStatement] {
    let limits = [limit, pool.patience.lockLimit].map { SQLValue.text("\($0.milliseconds)") }
    return [beginning, SQLStatement(Self.settings, limits)] + ownCommitSetting
  }

  /// The server releases the lock of a vanished client within a minute, by the limit of an idle transaction.
  ///
  /// The limit for waiting is part of a separate statement, because a locked table is waited for before a statement
  /// begins. A prepared statement is planned once: a plan for each new set of values takes a tenth of a change
  /// (PostgreSQL manual, "PREPARE").
  static let settings = """
    SELECT pg_backend_pid(), set_config('lock_timeout', $1, true),
      set_config('idle_in_transaction_session_timeout', $2, true),
      CASE WHEN current_setting('plan_cache_mode', true) IS NOT NULL
        THEN set_config('plan_cache_mode', 'force_generic_plan', true) END
    """

  /// Locks those rows that nobody holds, and gives the session the holder's name if the lock is one of them.
  func lockingIfFree(_ gates: [Int], _ patience: Duration) -> SQLStatement {
    let name = naming(patience, after: 1)
    return SQLStatement(
      """
      WITH taken AS (\(locking(gates, "UPDATE")) SKIP LOCKED)
      SELECT taken.gate, CASE WHEN taken.gate = \(Gate.lock) THEN \(name.text) END FROM taken
      """, [.id(vault)] + name.values)
  }

  /// Waits for the rows, one after the other.
  func locking(_ gates: [Int]) -> SQLStatement { SQLStatement(locking(gates, "UPDATE"), [.id(vault)]) }

  /// A part of a statement that gives the session the holder's name, for as long as the transaction lasts: others find
  /// it in the server's list of sessions. It also sets how long the holder's changes wait for rows of others.
  ///
  /// - Parameter count: the number of values before its own.
  private func naming(_ patience: Duration, after count: Int) -> SQLStatement {
    let values = [LockHolder.mark(of: vault), LockHolder.current.text, "\(patience.milliseconds)"]
    return SQLStatement(
      """
      set_config('application_name', $\(count + 1)
        || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') || ' ' || $\(count + 2), true)
        || set_config('lock_timeout', $\(count + 3), true)
      """, values.map(SQLValue.text))
  }

  func locking(_ gates: [Int], _ strength: String) -> String {
    """
    SELECT l.gate FROM \(schema.locks) AS l
    WHERE l.vault = $1 AND l.gate IN (\(gates.map(String.init).joined(separator: ", "))) ORDER BY l.gate DESC
    FOR \(strength)
    """
  }

  /// The vault's row with documents: a separate statement, because it must see the changes of the holder for which the
  /// one before it waited, and one for all, because each costs the server more than the rows.
  ///
  /// - Parameters:
  ///   - patience: of a holder whose session gets its name with this statement; nil if it has the name.
  ///   - isOfOne: whether one record is about to be changed. Leftovers of a batch are only in the way of another batch.
  func statementOfRow(
    with places: [StoreLocation], naming patience: Duration?, isOfOne: Bool
  ) -> SQLStatement {
    var values: [SQLValue] = [.id(vault)]
    var documents: [String] = []
    for (number, place) in places.enumerated() {
      values += [.place(place.place), .id(place.id)]
      let found = selection(of: place, place: values.count - 1, id: values.count)
      documents.append("SELECT \(number)::smallint AS number, d.* FROM (\(found)) AS d")
    }
    let leftovers = """
      EXISTS (SELECT 1 FROM \(schema.staged) AS s WHERE s.vault = $1)
      OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > v.live)
      OR EXISTS (SELECT 1 FROM \(schema.documents) AS d WHERE d.vault = $1 AND d.live > 0 AND d.live < v.live)
      """
    let name = patience.map { naming($0, after: values.count) }
    values += name?.values ?? []
    return SQLStatement(
      """
      SELECT r.*, d.* FROM (
        SELECT v.generation, v.fence, v.live, current_setting('synchronous_commit') = 'off' AS is_unsafe,
          \(isOfOne ? "false" : leftovers) AS is_littered, \(name?.text ?? "NULL") AS name
        FROM \(schema.vaults) AS v WHERE v.vault = $1 OFFSET 0) AS r
      LEFT JOIN (\(documents.joined(separator: " UNION ALL "))) AS d ON true
      ORDER BY d.number, d.part
      """, values)
  }
}
