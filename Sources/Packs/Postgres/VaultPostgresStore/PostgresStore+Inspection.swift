internal import VaultDocument
package import VaultStorage

extension PostgresStore: RemoteStore {
  package var knownAddress: String { address.canonicalText }

  package func state() throws(StoreError) -> RemoteState {
    let statement = """
      SELECT current_setting('server_version'), current_user::text, v.generation FROM \(schema.vaults) AS v
      WHERE v.vault = $1
      """
    let state = try readers.with { connection throws(ServerFault) -> RemoteState? in
      guard let row = try connection.row(statement, [.id(vault)]) else { return nil }
      return RemoteState(
        engine: "PostgreSQL \(try row.text(0) ?? "")", encryption: connection.encryption, isLocal: address.isLocal,
        role: try row.text(1) ?? "", generation: try row.number(2), holder: nil)
    }
    guard let state else { throw .gone }
    return RemoteState(
      engine: state.engine, encryption: state.encryption, isLocal: state.isLocal, role: state.role,
      generation: state.generation, holder: holder()?.text)
  }

  package func inspection() throws(StoreError) -> [RemoteFinding] {
    if try mayOnlyDeposit() {
      return [RemoteFinding("role", state: .good, text: "the role sees the header and adds deposits, and nothing else")]
    }
    let answers = try readers.with { connection throws(ServerFault) in
      var answers = try Answers(connection, schema: schema, values: [.id(vault)])
      answers.isEncrypted = connection.encryption != nil
      if let ownSetting = address.synchronousCommit { answers.isDurable = ownSetting != "off" }
      return answers
    }
    let plan = try readers.with { connection throws(ServerFault) in
      var lines: [String] = []
      try connection.rows(
        """
        EXPLAIN SELECT d.bytes FROM \(schema.documents) AS d WHERE d.vault = '\(vault.text)' AND d.live = 1
          AND d.place = 3 AND d.id = '\(vault.text)'
        """,
        each: { row throws(ServerFault) in lines.append(try row.text(0) ?? "") })
      return lines
    }
    return [
      encryption(answers), answers.durability, standbys(answers), answers.privileges, answers.tables,
      answers.attachments, answers.deposits,
    ]
      + [answers.leftovers, clock(answers), answers.index(plan)]
  }

  private func mayOnlyDeposit() throws(StoreError) -> Bool {
    let statement = """
      SELECT coalesce(has_table_privilege(to_regclass('\(schema.deposits)'), 'INSERT'), false)
        AND NOT has_table_privilege('\(schema.documents)', 'SELECT, INSERT, UPDATE, DELETE')
        AND NOT coalesce(has_table_privilege(to_regclass('\(schema.deposits)'), 'SELECT, UPDATE, DELETE'), false)
      """
    return try readers.with { connection throws(ServerFault) in
      guard let row = try connection.row(statement) else { throw .malformed }
      return try row.isTrue(0)
    }
  }

  private func encryption(_ answers: Answers) -> RemoteFinding {
    if address.isOpenToOthers {
      return RemoteFinding(
        "encryption", state: .bad,
        text: "somebody between this machine and the server could pose as the server: less than verify-full is required"
      )
    }
    if answers.isEncrypted { return RemoteFinding("encryption", state: .good, text: "the connection is encrypted") }
    return address.isLocal
      ? RemoteFinding("encryption", state: .good, text: "the connection does not leave this machine")
      : RemoteFinding("encryption", state: .bad, text: "the connection is not encrypted")
  }

  private func standbys(_ answers: Answers) -> RemoteFinding {
    let setting = "synchronous_commit is \(address.synchronousCommit ?? answers.synchronousCommit)"
    if answers.isReplica {
      return RemoteFinding(
        "standbys", state: .good, text: "the server itself follows another one, and takes no changes")
    }
    guard answers.waitsForStandbys else {
      return RemoteFinding(
        "standbys", state: .good,
        text: "a commit waits for no standby (\(setting)), and \(answers.standbyCount) follow the server")
    }
    if address.synchronousCommit == nil, answers.synchronousCommit == "local" {
      return RemoteFinding(
        "standbys", state: .doubtful,
        text: "a commit does not wait for the standbys that the server lists: \(setting)")
    }
    return answers.standbyCount > 0
      ? RemoteFinding(
        "standbys", state: .good,
        text: "a commit waits for standbys (\(setting)), and \(answers.standbyCount) follow the server")
      : RemoteFinding(
        "standbys", state: .bad, text: "a commit waits for standbys (\(setting)), and none follows the server")
  }

  private func clock(_ answers: Answers) -> RemoteFinding {
    let own = Timestamp.now().secondsSinceEpoch
    let difference = abs(own - answers.seconds)
    return difference <= 60
      ? RemoteFinding("clock", state: .good, text: "the server's clock agrees with this machine's")
      : RemoteFinding(
        "clock", state: .doubtful, text: "the server's clock and this machine's are \(difference) seconds apart")
  }
}

/// The answers of the server about itself and the tables.
private struct Answers {
  var isDurable: Bool
  let survivesPowerCuts: Bool
  let isAdministrator: Bool
  let mayWrite: Bool
  let mayTruncate: Bool
  let hasForeignParts: Bool
  let hasLeftovers: Bool
  let rowCount: Int64
  let seconds: Int64
  let hasAttachmentTable: Bool
  let keepsAttachmentsApart: Bool
  let mayReadAttachments: Bool
  let isAboutToBeAnalysed: Bool
  let hasDepositTable: Bool
  let keepsDepositsApart: Bool
  let depositorSeesMore: Bool
  let isReplica: Bool
  let synchronousCommit: String
  let waitsForStandbys: Bool
  let standbyCount: Int64
  var isEncrypted = false

  init(_ connection: PostgresConnection, schema: PostgresSchema, values: [SQLValue]) throws(ServerFault) {
    let tables =
      [schema.vaults, schema.locks, schema.documents, schema.staged, schema.folders]
      .map { "'\($0)'::regclass" }.joined(separator: ", ") + ", to_regclass('\(schema.attachments)')"
    let row = try connection.row(Self.question(schema, of: tables), values)
    guard let row else { throw .malformed }
    (isDurable, survivesPowerCuts) = (try row.isTrue(0), try row.isTrue(1))
    (isAdministrator, mayWrite, mayTruncate) = (try row.isTrue(2), try row.isTrue(3), try row.isTrue(4))
    (hasForeignParts, hasLeftovers) = (try row.isTrue(5), try row.isTrue(6))
    (rowCount, seconds) = (try row.number(7), try row.number(8))
    (hasAttachmentTable, keepsAttachmentsApart) = (try row.isTrue(9), try row.isTrue(10))
    (mayReadAttachments, isAboutToBeAnalysed) = (try row.isTrue(11), try row.isTrue(12))
    (hasDepositTable, keepsDepositsApart) = (try row.isTrue(13), try row.isTrue(14))
    (depositorSeesMore, isReplica) = (try row.isTrue(15), try row.isTrue(16))
    synchronousCommit = try row.text(17) ?? ""
    (waitsForStandbys, standbyCount) = (try row.isTrue(18), try row.number(19))
  }

  private static func question(_ schema: PostgresSchema, of tables: String) -> String {
    """
    SELECT current_setting('synchronous_commit') <> 'off', current_setting('fsync') = 'on',
      (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user),
      has_table_privilege('\(schema.documents)', 'INSERT, UPDATE, DELETE'),
      has_table_privilege('\(schema.documents)', 'TRUNCATE'),
      EXISTS (SELECT 1 FROM pg_trigger AS t WHERE NOT t.tgisinternal AND t.tgrelid IN (\(tables)))
        OR EXISTS (SELECT 1 FROM pg_class AS c WHERE c.relkind NOT IN ('r', 'p') AND c.oid IN (\(tables))),
      EXISTS (SELECT 1 FROM \(schema.staged) AS s WHERE s.vault = $1)
        OR EXISTS (SELECT 1 FROM \(schema.documents) AS d, \(schema.vaults) AS v
          WHERE v.vault = $1 AND d.vault = $1 AND d.live > 0 AND d.live <> v.live),
      (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = '\(schema.documents)'::regclass)::bigint,
      floor(extract(epoch FROM now()))::bigint, to_regclass('\(schema.attachments)') IS NOT NULL,
      NOT EXISTS (SELECT 1 FROM pg_class AS c, pg_class AS d WHERE c.oid = to_regclass('\(schema.attachments)')
        AND d.oid = '\(schema.documents)'::regclass AND d.relrowsecurity AND NOT c.relrowsecurity),
      coalesce(has_table_privilege(to_regclass('\(schema.attachments)'), 'SELECT'), false),
      coalesce((SELECT current_setting('autovacuum') = 'on' AND s.n_mod_since_analyze > 50 + c.reltuples / 10
        FROM pg_stat_all_tables AS s, pg_class AS c
        WHERE s.relid = c.oid AND c.oid = '\(schema.documents)'::regclass), false),
      to_regclass('\(schema.deposits)') IS NOT NULL,
      NOT EXISTS (SELECT 1 FROM pg_class AS c, pg_class AS d WHERE c.oid = to_regclass('\(schema.deposits)')
        AND d.oid = '\(schema.documents)'::regclass AND d.relrowsecurity AND NOT c.relrowsecurity),
      EXISTS (SELECT 1 FROM pg_roles AS r WHERE NOT r.rolsuper
        AND has_table_privilege(r.oid, to_regclass('\(schema.deposits)'), 'INSERT')
        AND NOT has_table_privilege(r.oid, to_regclass('\(schema.deposits)'), 'DELETE')
        AND (has_table_privilege(r.oid, to_regclass('\(schema.deposits)'), 'SELECT, UPDATE')
          OR has_any_column_privilege(r.oid, '\(schema.documents)'::regclass, 'SELECT, INSERT, UPDATE')
          OR has_any_column_privilege(r.oid, '\(schema.staged)'::regclass, 'SELECT, INSERT, UPDATE')))
        OR EXISTS (SELECT 1 FROM pg_class AS c WHERE c.oid = to_regclass('\(schema.headers)')
          AND NOT coalesce('security_barrier=true' = ANY (c.reloptions), false)),
      pg_is_in_recovery(), current_setting('synchronous_commit'),
      current_setting('synchronous_standby_names') <> '', (SELECT count(*) FROM pg_stat_replication)
    """
  }

  var durability: RemoteFinding {
    if !isDurable {
      return RemoteFinding(
        "durability", state: .bad, text: "the server confirms a change before it is durable: synchronous_commit is off")
    }
    return survivesPowerCuts
      ? RemoteFinding("durability", state: .good, text: "the server confirms a change when it is durable")
      : RemoteFinding("durability", state: .bad, text: "a power failure could destroy everything: fsync is off")
  }

  var privileges: RemoteFinding {
    if isAdministrator {
      return RemoteFinding(
        "role", state: .doubtful, text: "the role may do everything in the server: use a role with far fewer rights")
    }
    if mayTruncate {
      return RemoteFinding(
        "role", state: .doubtful,
        text: "the role owns the tables or may empty them: reading and writing needs fewer rights")
    }
    return RemoteFinding("role", state: .good, text: mayWrite ? "the role reads and writes" : "the role only reads")
  }

  var tables: RemoteFinding {
    hasForeignParts
      ? RemoteFinding(
        "tables", state: .doubtful,
        text: "there are triggers, or a view in place of a table, which could see and change each write")
      : RemoteFinding("tables", state: .good, text: "the tables are real tables, without triggers")
  }

  var attachments: RemoteFinding {
    guard hasAttachmentTable else {
      return RemoteFinding(
        "attachments", state: .doubtful,
        text: "the table of attachments is missing, because an earlier version made the tables: none can be stored")
    }
    guard mayReadAttachments else {
      return RemoteFinding(
        "attachments", state: .bad, text: "the table of attachments exists, but this role may not read it")
    }
    return keepsAttachmentsApart
      ? RemoteFinding("attachments", state: .good, text: "attachments have their own table")
      : RemoteFinding(
        "attachments", state: .bad, text: "rows of documents are kept apart by role, but rows of attachments are not")
  }

  var deposits: RemoteFinding {
    if !hasDepositTable {
      return RemoteFinding(
        "deposits", state: .doubtful,
        text: "the table of deposits is missing, because an earlier version made the tables: nobody can deposit")
    }
    if !keepsDepositsApart {
      return RemoteFinding(
        "deposits", state: .bad, text: "rows of documents are kept apart by role, but rows of deposits are not")
    }
    return depositorSeesMore
      ? RemoteFinding(
        "deposits", state: .bad, text: "a role that may add deposits but not remove them may also read or change rows")
      : RemoteFinding("deposits", state: .good, text: "deposits have their own table")
  }

  var leftovers: RemoteFinding {
    hasLeftovers
      ? RemoteFinding(
        "leftovers", state: .doubtful, text: "a write is under way or was interrupted: the next writer cleans up")
      : RemoteFinding("leftovers", state: .good, text: "no write has left anything behind")
  }

  /// A table without statistics may be read with a plan that costs a hundred times as much.
  func index(_ plan: [String]) -> RemoteFinding {
    let usesKey = plan.contains { $0.contains(/documents(_[0-9]+)?_pkey/) }
    if !usesKey, isAboutToBeAnalysed {
      return RemoteFinding(
        "index", state: .good, text: "the server is about to analyze the rows again, after many changes")
    }
    return usesKey || rowCount < 1000
      ? RemoteFinding("index", state: .good, text: "a record is found by the key of the table")
      : RemoteFinding(
        "index", state: .doubtful, text: "a record is not found by the key of the table: run ANALYZE on it")
  }
}
