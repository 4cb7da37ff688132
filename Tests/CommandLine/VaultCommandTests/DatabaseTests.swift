import Testing
import VaultTestSupport

/// The command, with a vault in a database of the tests.
@Suite("A vault in a database") struct DatabaseTests {
  private static let title = "the command with a database"

  @Test("it is made, filled, listed, changed and verified as one in a folder is")
  func daily() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    #expect(bench.run("get", "GitLab", "password").output == "pw1")
    #expect(bench.run("list").output.contains("GitLab"))
    #expect(bench.run("set", "GitLab", "username=grace").code == 0)
    #expect(bench.run("find", "grace").code == 0)
    for command in ["verify", "checkpoint", "check"] {
      let run = bench.run(command)
      #expect(run.code == 0, "\(command): \(run.errors)")
    }
    #expect(bench.run("backup", "create", "--to", bench.workspace.path + "/home").code == 0)
    #expect(bench.run("remove", "GitLab", "-y").code == 0)
    #expect(bench.run("trash", "restore", "GitLab").code == 0)
    #expect(bench.run("rekey", "-y").code == 0)
    #expect(bench.run("verify", "--since-checkpoint").code == 0)
    let status = JSON(bench.run("status", "--json").stdout)
    #expect(status["database"]?["engine"]?.text?.hasPrefix("PostgreSQL ") == true)
    #expect(status["database"]?["role"]?.text == "tests")
    #expect(status["pin"]?.text == "pinned")
    #expect(bench.workspace.run("init", bench.address, "--generate-identity", "other.txt").status == .alreadyExists)
  }

  @Test("an address with a password is refused, and nothing of it is shown")
  func password() throws {
    let bench = try Workspace()
    for address in ["postgresql://ada:hunter2@h/d?vault=v", "postgresql://ada@h/d?vault=v&password=hunter2"] {
      for run in [
        bench.run("list", "--vault", address), bench.run("list", adding: ["CVAULT_DIR": address]),
        bench.run("init", address, "--generate-identity", "id.txt"), bench.run("store", "copy", address, "x"),
      ] {
        #expect(run.status == .usage, "\(run.errors)")
        #expect(run.errors.contains("password"), "\(run.errors)")
        #expect(!run.errors.contains("hunter2"), "\(run.errors)")
      }
    }
    #expect(bench.run("list", "--vault", "postgresql://h/d").status == .usage)
  }

  @Test("a server that is not there, a database without tables and a name without a vault end as the table says")
  func faults() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench()
    let away = bench.run("list", at: "postgresql://127.0.0.1:1/d?vault=v")
    #expect(away.status == .inputOutput, "\(away.errors)")
    #expect(away.errors.contains("127.0.0.1"), "\(away.errors)")
    #expect(away.errors.contains("refused"), "\(away.errors)")
    let empty = bench.run("list", at: bench.address + "&schema=empty")
    #expect(empty.status == .noVault, "\(empty.errors)")
    #expect(empty.errors.contains("store sql"), "\(empty.errors)")
    let made = bench.workspace.run("init", bench.address + "&schema=empty", "--generate-identity", "id.txt")
    #expect(made.status == .noVault, "\(made.errors)")
    #expect(made.errors.contains("--create-tables"), "\(made.errors)")
    #expect(FileTree.contents(of: bench.workspace.identity) == nil)
    let vault = try DatabaseBench.withVault()
    #expect(bench.run("list", at: vault.address + "x").status == .noVault)
  }

  @Test("from a folder into a database and back it is the same byte for byte")
  func copies() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let (bench, folder) = (try DatabaseBench(), try Workspace.withCustomers())
    let first = try #require(
      JSON(folder.run("list", "--vault", folder.vault, "--json").stdout)["records"]?[0]?["id"]?.text)
    #expect(folder.open("remove", first, "-y").code == 0)
    #expect(folder.open("checkpoint").code == 0)
    let there = folder.run("store", "copy", folder.vault, bench.address, "--create-tables", "--verify")
    try #require(there.code == 0, "\(there.errors)")
    let back = folder.run("store", "copy", bench.address, "back", "--verify", "--json")
    #expect(back.code == 0, "\(back.errors)")
    #expect(JSON(back.stdout)["trashed"] == .number(1), "\(back.errors)")
    // The folder of the record that was removed may be left without any: a database has no such thing.
    folder.prepare("find v/records -type d -empty -delete; diff -r --exclude=.lock --exclude=.staging v back")
    let same = folder.run("diff", bench.address, "--vault", folder.vault, "--exit-code")
    #expect(same.code == 0, "\(same.output)\(same.errors)")
    let opened = folder.run("verify", "--vault", bench.address, "--identity", folder.identity)
    #expect(opened.code == 0, "\(opened.errors)")
    #expect(folder.open("trash", "restore", first, "-y").code == 0)
    let other = folder.run("diff", bench.address, "@work", "--vault", folder.vault, "--exit-code")
    #expect(other.status == .findings, "\(other.output)\(other.errors)")
    #expect(other.output.hasPrefix("restored "), "\(other.output)\(other.errors)")
    #expect(folder.open("remove", first, "-y").code == 0)
    #expect(folder.run("store", "copy", folder.vault, bench.address).status == .alreadyExists)
    #expect(folder.run("store", "copy", folder.vault, "back").status == .alreadyExists)
  }

  @Test("an owner of everything is told that a role needs less, and what git keeps is no matter of a database")
  func administrator() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    let check = bench.run("store", "check")
    #expect(check.status == .findings, "\(check.output)")
    #expect(check.output.contains("may do everything"), "\(check.output)")
    let added = bench.run("key", "add", "--generate-identity", "second.txt", "--label", "second")
    #expect(added.code == 0, "\(added.errors)")
    let removed = bench.run("key", "remove", "second", "--rekey", "--yes")
    #expect(removed.status == .findings || removed.code == 0, "\(removed.errors)")
    let notes = removed.errors + bench.run("rekey", "--reseal", "--yes", "--json").output
    #expect(notes.contains("backups"), "\(notes)")
    #expect(!notes.contains("git"), "\(notes)")
    #expect(!notes.contains("branch"), "\(notes)")
    let folder = try Workspace.withVault()
    #expect(folder.open("rekey", "--reseal", "--yes").errors.contains("git history and backups"))
  }

  @Test("what needs commits says that a database has none, and how a folder is made of it")
  func withoutCommits() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    for words in [
      ["log"], ["list", "--at", "HEAD"], ["merge", "main"], ["git", "check"], ["git", "setup", "--check"],
    ] {
      let run = bench.workspace.run(words + ["--vault", bench.address])
      #expect(run.status == .inputOutput, "\(words): \(run.errors)")
      #expect(run.errors.contains("is in a database, which has no commits"), "\(words): \(run.errors)")
      #expect(run.errors.contains("`vault store copy`"), "\(words)")
      #expect(!run.errors.contains("git init"), "\(words)")
    }
  }

  @Test("documents can be divided into partitions by their vault, and every command works as before")
  func partitions() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let schema = DatabaseBench.name("s")
    let bench = try DatabaseBench(schema: schema)
    for words in [["--partitions", "1"], ["--partitions", "2000"], ["--partitions", "4", "--attachments"]] {
      #expect(bench.workspace.run(["store", "sql"] + words).status == .usage, "\(words)")
    }
    let prefix = DatabaseBench.name("r")
    try bench.administer(
      bench.workspace.run(
        "store", "sql", "--schema", schema, "--partitions", "4", "--roles", prefix, "--row-security"
      ).output)
    #expect(bench.workspace.run("init", bench.address, "--generate-identity", "id.txt").code == 0)
    _ = bench.workspace.write(
      (0..<300).map { #"{"title":"Login \#($0)","username":"ada","password":"b"}"# }.joined(separator: "\n"),
      to: "many.jsonl")
    for words in [
      ["import", "jsonl", "many.jsonl", "--kind", "login"], ["set", "Login 7", "username=grace"],
      ["remove", "Login 8", "--yes"], ["rekey", "--reseal", "--yes"], ["verify"],
    ] {
      let run = bench.run(words)
      #expect(run.code == 0, "\(words): \(run.errors)")
    }
    #expect(bench.run("get", "Login 7", "username").output == "grace")
    let parts = "SELECT count(*) FROM pg_class WHERE relname ~ '^documents_[0-3]$' AND relispartition"
    #expect(try bench.administer("\(parts) AND relnamespace = '\(schema)'::regnamespace") == "4\n")
    #expect(try bench.administer("SELECT count(DISTINCT tableoid) FROM \(schema).documents") == "1\n")
    try bench.administer("ANALYZE \(schema).documents")
    let check = bench.run("store", "check")
    #expect(check.output.contains("a record is found by the key of the table"), "\(check.output)")
    #expect(check.output.contains("the tables are real tables"), "\(check.output)")
    try bench.administer(
      """
      ALTER ROLE \(prefix)_reader LOGIN;
      INSERT INTO \(schema).grants SELECT '\(prefix)_reader', vault FROM \(schema).vaults
      """)
    let read = bench.run("get", "Login 7", "username", at: bench.address(of: "\(prefix)_reader"))
    #expect(read.output == "grace", "\(read.errors)")
  }

  @Test("who waits for the lock in vain is told the process and the host that hold it")
  func locked() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try DatabaseBench.withVault(server)
    // The session of a writer on another machine, as its name says.
    let name = "'vault ' || left(v.vault::text, 8) || ' 20261121T014028Z 4711@db-client'"
    bench.workspace.prepare(
      """
      sql() { psql -X -A -t -q -h 127.0.0.1 -p \(server.port) -U tests -d postgres "$@"; }
      (sql -c "SELECT set_config('application_name', \(name), false) FROM vault.vaults AS v" -c BEGIN \
        -c "SELECT 1 FROM vault.locks FOR UPDATE" -c "SELECT pg_sleep(300)" >/dev/null 2>&1 &)
      while [ -z "$(sql -c "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)' AND pid <> pg_backend_pid()")" ]
      do sleep 0.1; done
      """)
    let run = bench.run("set", "GitLab", "username=x", "--lock-timeout", "0")
    #expect(run.status == .locked, "\(run.errors)")
    #expect(run.errors.contains("4711"), "\(run.errors)")
    #expect(run.errors.contains("db-client"), "\(run.errors)")
    #expect(bench.run("verify").code == 0, "who reads does not wait")
  }
}
