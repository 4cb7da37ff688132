import Testing
import VaultTestSupport

/// A role of a database that may only deposit.
@Suite("Deposits in a database", .enabled(if: PostgresServer.need.isMet(forCases: 4, of: "deposits in a database")))
struct DatabaseDepositTests {
  private struct Bench {
    let schema = DatabaseBench.name("s")
    let prefix = DatabaseBench.name("r")
    let vault: DatabaseBench

    init(rowSecurity: Bool) throws {
      vault = try DatabaseBench.withVault(schema: schema)
      let sql = vault.workspace.run(
        ["store", "sql", "--schema", schema, "--roles", prefix] + (rowSecurity ? ["--row-security"] : []))
      try #require(sql.code == 0, "\(sql.errors)")
      try vault.administer(sql.output)
      for role in ["depositor", "writer", "reader"] {
        try vault.administer("ALTER ROLE \(prefix)_\(role) LOGIN")
        guard rowSecurity else { continue }
        try vault.administer(
          "INSERT INTO \(schema).grants SELECT '\(prefix)_\(role)', vault FROM \(schema).vaults WHERE \(vault.isItsRow)"
        )
      }
    }

    func run(_ words: [String], as role: String, input: String = "", key: Bool = true) -> ProcessOutcome {
      var variables = vault.variables(vault.address(of: "\(prefix)_\(role)"))
      if !key { variables["CVAULT_IDENTITY_FILE"] = nil }
      return vault.workspace.run(words, input: input, adding: variables)
    }
  }

  @Test("the depositor's role adds deposits and sees nothing but the header", arguments: [false, true])
  func role(_ rowSecurity: Bool) throws {
    let bench = try Bench(rowSecurity: rowSecurity)
    let words = ["deposit", "login", "GitHub", "--secret-stdin", "password"]
    let made = bench.run(words, as: "depositor", input: DepositBench.secret, key: false)
    #expect(made.code == 0, "\(made.errors)")
    let id = String(made.output.dropLast())
    let value = bench.run(
      ["deposit", "--to", "GitLab", "--secret-stdin", "password"], as: "depositor", input: "newer", key: false)
    #expect(value.code == 0, "\(value.errors)")
    for table in ["documents", "deposits", "staged", "attachments", "folders", "locks"] {
      for statement in ["SELECT * FROM \(bench.schema).\(table)", "DELETE FROM \(bench.schema).\(table)"] {
        let run = bench.vault.server.run("SET ROLE \(bench.prefix)_depositor; \(statement)")
        #expect(run.code != 0 && run.errors.contains("permission denied"), "\(statement): \(run.output)\(run.errors)")
      }
    }
    let forbidden = [["list"], ["get", "GitLab", "password"], ["inbox"], ["inbox", "drop", "--all"]]
    for words in forbidden + [["remove", "GitLab", "-y"]] {
      let run = bench.run(words, as: "depositor")
      #expect(run.code != 0 && !run.output.contains("GitLab"), "\(words): \(run.output)")
    }
    let check = bench.run(["store", "check"], as: "depositor", key: false)
    #expect(check.code == 0, "\(check.output)\(check.errors)")
    let listed = bench.run(["inbox"], as: "writer")
    #expect(listed.output.contains("GitHub") && listed.output.contains("may be old"), "\(listed.errors)")
    let accepted = bench.run(["inbox", "accept", id], as: "writer")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(bench.run(["get", "GitHub", "password"], as: "reader").output == DepositBench.secret)
    #expect(bench.run(["inbox", "drop", "--all"], as: "writer").code == 0)
    #expect(bench.run(["inbox"], as: "writer").errors.contains("the inbox is empty"))
    #expect(bench.run(["verify"], as: "writer").code == 0)
  }

  @Test("a function of the depositor sees no row that the view of the header hides", arguments: [false, true])
  func barrier(_ rowSecurity: Bool) throws {
    let bench = try Bench(rowSecurity: rowSecurity)
    // Without a barrier, the server would run a cheap function before the condition of the view.
    let leaking = bench.vault.server.run(
      """
      SET ROLE \(bench.prefix)_depositor; SET enable_indexscan = off; SET enable_bitmapscan = off;
      CREATE FUNCTION pg_temp.shown(bytea) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
        AS $$ BEGIN RAISE NOTICE 'row'; RETURN true; END $$;
      SELECT count(*) FROM \(bench.schema).headers WHERE pg_temp.shown(bytes)
      """)
    let rows = Int(leaking.output.filter(\.isNumber)) ?? -1
    #expect(rows > 0 && leaking.errors.ranges(of: "row").count == rows, "\(leaking.output)\(leaking.errors)")
  }

  @Test("`store check` reports a depositor's role that may read or change more")
  func check() throws {
    let bench = try Bench(rowSecurity: false)
    let good = bench.vault.run("store", "check")
    #expect(good.output.contains("deposits have their own table"), "\(good.output)")
    try bench.vault.administer("GRANT SELECT ON \(bench.schema).documents TO \(bench.prefix)_depositor")
    let bad = bench.vault.run("store", "check")
    #expect(bad.status == .findings, "\(bad.output)")
    #expect(bad.output.contains("a role that may add deposits but not remove them may also read"), "\(bad.output)")
  }

  @Test("a vault is copied with its deposits from a folder into a database and back")
  func copied() throws {
    let bench = try Bench(rowSecurity: false)
    #expect(bench.vault.run("deposit", "login", "A", "-g").code == 0)
    let copied = bench.vault.run("store", "copy", bench.vault.address, bench.vault.workspace.path + "/copy")
    #expect(copied.code == 0, "\(copied.errors)")
    #expect(FileTree.names(in: bench.vault.workspace.path + "/copy/inbox").count == 1)
  }
}
