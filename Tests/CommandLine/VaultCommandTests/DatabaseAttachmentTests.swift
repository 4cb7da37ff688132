import Testing
import VaultTestSupport

@Suite("Attachments of a vault in a database") struct DatabaseAttachmentTests {
  private static let title = "attachments of a vault in a database"

  /// A vault with two records, of which one has two attachments, and the other, in the trash, one.
  private func attached(_ server: PostgresServer? = PostgresServer.shared) throws -> DatabaseBench {
    let bench = try DatabaseBench.withVault(server)
    bench.workspace.prepare("head -c 2500000 /dev/urandom >big; : >empty")
    for words in [
      ["attach", "GitLab", "big", "empty"], ["add", "login", "Old", "-g"], ["attach", "Old", "big"],
      ["rm", "Old", "--yes"],
    ] {
      let run = bench.run(words)
      try #require(run.code == 0, "\(words): \(run.errors)")
    }
    return bench
  }

  /// The parts that the database holds of a vault, and how many attachments they are of.
  private func held(_ bench: DatabaseBench) throws -> String {
    try bench.administer(
      """
      SELECT count(*) || ' of ' || count(DISTINCT a.id) FROM vault.attachments AS a, vault.vaults AS v
      WHERE a.vault = v.vault AND v.\(bench.isItsRow)
      """)
  }

  private func expectWhole(_ bench: DatabaseBench, _ parts: String, at address: String? = nil) throws {
    let verified = bench.run("verify", at: address)
    #expect(verified.code == 0, "\(verified.errors)")
    #expect(!verified.errors.contains("no record names"), "\(verified.errors)")
    let got = bench.run("get", "GitLab", "--attachment", "big", "-o", "out", "--yes", at: address)
    #expect(got.code == 0, "\(got.errors)")
    bench.workspace.prepare("cmp big out")
    if address == nil { #expect(try held(bench) == parts + "\n") }
  }

  @Test("they are attached, listed, shown, read, verified and taken away as in a folder, and the trash keeps its own")
  func daily() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try attached()
    try expectWhole(bench, "7 of 3")
    #expect(bench.run("attachments", "GitLab").output.contains("  2.3 MiB  big\n"))
    #expect(bench.run("show", "GitLab").output.contains("empty, 0 bytes"))
    #expect(bench.run("get", "GitLab", "--attachment", "big").stdout.count == 2_500_000)
    #expect(bench.run("get", "GitLab", "--attachment", "empty").stdout.isEmpty)
    #expect(bench.run("attach", "GitLab", "big").status == .alreadyExists)
    #expect(bench.run("lint").code == 0)
    #expect(bench.run("store", "check").output.contains("attachments"))
    let missing = bench.run("attach", "GitLab", "big", "nowhere")
    #expect(missing.status == .inputOutput, "\(missing.errors)")
    #expect(bench.run("trash", "restore", "Old").code == 0)
    #expect(bench.run("get", "Old", "--attachment", "big").stdout.count == 2_500_000)
    #expect(bench.run("detach", "GitLab", "empty", "--yes").code == 0)
    #expect(bench.run("rm", "Old", "--yes").code == 0)
    try expectWhole(bench, "6 of 2")
    #expect(bench.run("trash", "empty", "--yes").code == 0)
    try expectWhole(bench, "3 of 1")
  }

  @Test("from a folder into a database and back they are the same byte for byte, by copies and by backups")
  func copies() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let (bench, other) = (try attached(), try DatabaseBench())
    for (from, to) in [(bench.address, "folder"), ("folder", other.address), (other.address, "back")] {
      let copied = bench.workspace.run("store", "copy", from, to, "--verify")
      #expect(copied.code == 0, "\(copied.errors)")
    }
    bench.workspace.prepare("diff -r --exclude=.lock --exclude=.staging folder back")
    for place in ["folder", other.address, "back"] { try expectWhole(bench, "", at: place) }
    #expect(bench.run("diff", other.address, "--exit-code").code == 0)
    bench.workspace.prepare("mkdir -m 700 b")
    let made = bench.run("backup", "create", "--to", "b", "--json")
    let file = try #require(JSON(made.stdout)["file"]?.text, "\(made.errors)")
    #expect(JSON(made.stdout)["attachments"]?.number == 3)
    let key = ["--identity", bench.workspace.identity]
    for words in [["backup", "verify", file, "--deep"], ["backup", "restore", file, "--to", "restored"]] {
      let run = bench.run(words + key)
      #expect(run.code == 0, "\(words): \(run.output)\(run.errors)")
      #expect(run.output.contains("3 attachments"), "\(words): \(run.output)\(run.errors)")
    }
    try expectWhole(bench, "", at: "restored")
    // Restoring a single record brings back missing attachments and replaces damaged ones.
    let id = try #require(JSON(bench.run("show", "GitLab", "--json").stdout)["id"]?.text)
    #expect(bench.run("detach", id, "empty", "--yes").code == 0)
    try bench.administer(
      "UPDATE vault.attachments SET bytes = '' WHERE vault = (SELECT vault FROM vault.vaults WHERE \(bench.isItsRow)) "
        + "AND part = 1")
    #expect(bench.run("verify").status == .damaged)
    #expect(bench.run("get", id, "--attachment", "big").status == .damaged)
    let single = bench.run(["backup", "restore", file, "--records", id, "--to", bench.address, "--yes"] + key)
    #expect(single.code == 0, "\(single.output)\(single.errors)")
    #expect(bench.run("get", id, "--attachment", "big", "-o", "out", "--yes").code == 0)
    bench.workspace.prepare("cmp big out")
    #expect(bench.run("attachments", id).output.contains("empty"))
  }

  @Test("a reseal seals them anew, and a repair removes those that no record names")
  func reseal() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try attached()
    let listing = "SELECT DISTINCT id FROM vault.attachments WHERE vault = (\(number(bench)))"
    let ids = { try bench.administer(listing) }
    let before = Set(try ids().split(separator: "\n"))
    let run = bench.run("rekey", "--reseal", "--yes")
    #expect(run.code == 0, "\(run.errors)")
    #expect(before.isDisjoint(with: try ids().split(separator: "\n")))
    try expectWhole(bench, "7 of 3")
    try bench.administer(
      """
      INSERT INTO vault.attachments
      SELECT (\(number(bench))), '00000000-0000-0000-0000-0000000000AA'::uuid, g.part, 'x'::bytea
      FROM (VALUES (0), (5)) AS g (part)
      """)
    #expect(bench.run("verify").errors.contains("no record names 1 file"))
    let repaired = bench.run("repair", "--yes")
    #expect(repaired.code == 0, "\(repaired.output)\(repaired.errors)")
    try expectWhole(bench, "7 of 3")
  }

  private func number(_ bench: DatabaseBench) -> String {
    "SELECT v.vault FROM vault.vaults AS v WHERE v.\(bench.isItsRow)"
  }

  @Test("rows that were changed, cut, exchanged or taken away are damage, and nothing is written")
  func damage() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try attached()
    let number = number(bench)
    bench.workspace.prepare("mkdir -m 700 b")
    try bench.administer("CREATE TABLE vault.kept AS SELECT * FROM vault.attachments WHERE vault = (\(number))")
    defer { _ = try? bench.administer("DROP TABLE vault.kept") }
    for change in [
      "UPDATE vault.attachments SET bytes = set_byte(bytes, 70, 255 - get_byte(bytes, 70)) WHERE part = 1 AND",
      "DELETE FROM vault.attachments WHERE part = 2 AND", "UPDATE vault.attachments SET part = 9 - part WHERE",
      "DELETE FROM vault.attachments WHERE", "UPDATE vault.attachments SET bytes = '' WHERE",
      "UPDATE vault.attachments SET bytes = bytes || 'x' WHERE part = 2 AND",
    ] {
      try bench.administer("\(change) vault = (\(number))")
      let got = bench.run("get", "GitLab", "--attachment", "big", "-o", "out")
      #expect(got.status == .damaged, "\(change): \(got.errors)")
      #expect(got.errors.contains("attachments/"), "\(change): \(got.errors)")
      let piped = bench.run("get", "GitLab", "--attachment", "big")
      #expect(piped.status == .damaged, "\(change)")
      #expect(piped.stdout.isEmpty, "\(change)")
      #expect(!FileTree.names(in: bench.workspace.path).contains { $0.contains("out") })
      #expect(bench.run("verify").status == .damaged, "\(change)")
      let backup = bench.run("backup", "create", "--to", "b")
      #expect(backup.status == .damaged, "\(change): \(backup.errors)")
      try bench.administer("DELETE FROM vault.attachments WHERE vault = (\(number))")
      try bench.administer("INSERT INTO vault.attachments SELECT * FROM vault.kept")
    }
    try expectWhole(bench, "7 of 3")
  }

  @Test("a record moves with what is attached between a folder and a database, both ways")
  func moves() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let (bench, database) = (try SetBench(), try DatabaseBench())
    let made = bench.run(
      ["init", database.address, "--create-tables", "--recipient", try bench.recipient("ada"), "--label", "ada"])
    try #require(made.code == 0, "\(made.errors)")
    let joined = bench.run(["vaults", "add", "shared", database.address])
    try #require(joined.code == 0, "\(joined.errors)")
    let id = try bench.id("ops mail", in: "ops")
    bench.workspace.prepare("head -c 2500000 /dev/urandom >big; printf x >small")
    #expect(bench.run(["attach", "ops:\(id)", "big", "small"]).code == 0)
    for (from, to, parts) in [("ops", "shared", "4 of 2"), ("shared", "finance", "4 of 2")] {
      let moved = bench.run(["move", "\(from):\(id)", "--to", to, "--yes"])
      #expect(moved.code == 0, "\(moved.errors)")
      for name in ["big", "small"] {
        #expect(bench.run(["get", "\(to):\(id)", "--attachment", name, "-o", "out", "--yes"]).code == 0)
        bench.workspace.prepare("cmp \(name) out")
      }
      #expect(try held(database) == parts + "\n")
    }
    #expect(bench.run(["trash", "empty", "--yes", "--in", "shared"]).code == 0)
    #expect(try held(database) == "0 of 0\n")
    for vault in ["ops", "shared", "finance"] { #expect(bench.run(["verify", "--in", vault]).code == 0) }
  }

  @Test("tables of an earlier version go on working, and attach says in one line what adds the one that is missing")
  func earlier() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let bench = try DatabaseBench.withVault(server)
    bench.workspace.prepare("printf x >small")
    try bench.administer(bench.workspace.run("store", "sql", "--roles", "ops", "--row-security").output)
    try bench.administer(
      """
      DROP VIEW vault.headers; DROP TABLE vault.attachments, vault.deposits;
      DROP OWNED BY ops_depositor; DROP ROLE ops_depositor
      """)
    for words in ["set GitLab username=x", "verify", "lint", "list", "rekey --reseal --yes", "store copy ADDRESS copy"]
    {
      let run = bench.run(words.split(separator: " ").map { $0 == "ADDRESS" ? bench.address : String($0) })
      #expect(run.code == 0, "\(words): \(run.errors)")
    }
    let header = try bench.administer("SELECT md5(bytes) FROM vault.documents WHERE place = 0")
    let refused = bench.run("attach", "GitLab", "small")
    #expect(refused.status == .usage, "\(refused.errors)")
    #expect(refused.errors.contains("vault store sql --attachments | psql"), "\(refused.errors)")
    #expect(try bench.administer("SELECT md5(bytes) FROM vault.documents WHERE place = 0") == header)
    #expect(bench.run("store", "check").output.contains("the table of attachments is missing"))
    let added = bench.workspace.run("store", "sql", "--attachments", "--roles", "ops", "--row-security")
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.output.ranges(of: "CREATE ROLE").count == 1, "\(added.output)")
    #expect(bench.run("deposit", "login", "New", "-g").code != 0)
    try bench.administer(added.output)
    #expect(bench.run("attach", "GitLab", "small").code == 0)
    #expect(bench.run("deposit", "login", "New", "-g").code == 0)
    #expect(bench.run("verify").code == 0)
    try bench.administer("ALTER TABLE vault.attachments DISABLE ROW LEVEL SECURITY")
    #expect(bench.run("store", "check").output.contains("but rows of attachments are not"))
  }
}
