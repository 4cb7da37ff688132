import Testing
import VaultTestSupport

/// The four roles that `vault store sql --roles` writes, and all commands.
@Suite("The roles of a database") struct DatabaseRoleTests {
  private static let title = "the roles of a database"

  /// A vault in a schema of its own, with roles, and a second one that none of them may see with row security.
  private struct Bench {
    let schema = DatabaseBench.name("s")
    let prefix = DatabaseBench.name("r")
    let vault: DatabaseBench

    init(rowSecurity: Bool) throws {
      vault = try DatabaseBench.withVault(schema: schema)
      try fill()
      let sql = vault.workspace.run(
        ["store", "sql", "--schema", schema, "--roles", prefix] + (rowSecurity ? ["--row-security"] : []))
      try #require(sql.code == 0, "\(sql.errors)")
      try vault.administer(sql.output)
      for role in ["reader", "writer", "backup", "owner"] { try vault.administer("ALTER ROLE \(prefix)_\(role) LOGIN") }
      guard rowSecurity else { return }
      for role in ["reader", "writer", "backup"] { try grant("\(prefix)_\(role)", vault) }
    }

    /// Adds the records that the commands need.
    private func fill() throws {
      let files = vault.workspace
      _ = files.write("P={{ cvault://GitLab/password }}\n", to: "t.tmpl")
      _ = files.write("P=cvault://GitLab/password\n", to: "t.env")
      _ = files.write(#"[{"title":"One","username":"a","password":"b"}]"#, to: "one.json")
      let many = (0..<100).map { #"{"title":"Many \#($0)","username":"a","password":"b"}"# }
      _ = files.write(many.joined(separator: "\n"), to: "many.jsonl")
      _ = files.write(#"{"type":"object","properties":{"title":{"type":"string"}}}"#, to: "blob.json")
      files.prepare("mkdir backups; head -c 1100000 /dev/urandom >scan")
      for words in [
        ["add", "database", "Orders", "engine=postgresql", "host=h", "database=d", "user=u", "-g"],
        ["add", "login", "Old", "username=grace", "-g"], ["attach", "Old", "scan"], ["remove", "Old", "--yes"],
        ["key", "add", "--generate-identity", "second.txt", "--label", "second"], ["checkpoint"],
        ["set", "-g", "GitLab", "urls=https://git.example.com"],
      ] {
        let run = vault.run(words)
        try #require(run.code == 0, "\(words): \(run.errors)")
      }
      let run = vault.run("set", "GitLab", "--secret-stdin", "totp", input: "JBSWY3DPEHPK3PXP")
      try #require(run.code == 0, "\(run.errors)")
    }

    /// Lets a role see a vault.
    func grant(_ role: String, _ vault: DatabaseBench) throws {
      try vault.administer(
        "INSERT INTO \(schema).grants SELECT '\(role)', vault FROM \(schema).vaults WHERE \(vault.isItsRow)")
    }

    /// The number that identifies the rows of a vault.
    func number(of vault: DatabaseBench?) throws -> Substring {
      let vault = try #require(vault)
      return try vault.administer("SELECT v.vault FROM \(schema).vaults AS v WHERE v.\(vault.isItsRow)").dropLast()
    }

    /// All that the tables hold.
    func contents() throws -> String {
      let tables = ["vaults", "locks", "documents", "staged", "folders", "attachments"].map {
        "SELECT t::text AS r FROM \(schema).\($0) AS t"
      }
      return try vault.administer(
        "SELECT md5(string_agg(r, ' ' ORDER BY r)) FROM (\(tables.joined(separator: " UNION ALL "))) AS a")
    }
  }

  /// Commands that read a vault.
  private static let reading = [
    "list", "list --verify", "list --json --no-index", "find ada", "show GitLab", "show GitLab --reveal",
    "get GitLab password", "get Orders --url", "search ada",
    "log GitLab", "otp GitLab", "agent status", "run --env P=cvault://GitLab/password -- true",
    "inject -i t.tmpl -o filled --yes", "ref GitLab password", "refs t.env", "scan t.env", "uses", "credential git get",
    "due --older-than 1y", "audit", "status", "doctor", "check", "verify", "verify --subset 1/2", "lint", "fingerprint",
    "pin show",
    "trash list", "trash list --verify", "trash restore Old --dry-run", "key list", "kinds list", "kinds show login",
    "migrate --dry-run", "rekey --dry-run", "rekey --reseal --dry-run", "repair --dry-run", "export --format json",
    "export --reveal --format jsonl", "backup create --to backups", "import json one.json --kind login --dry-run",
    "import json one.json --kind login --dry-run --strict",
    "store copy ADDRESS copy --verify", "diff ADDRESS", "migrate", "repair --yes",
  ]

  /// Commands that write to it, one after the other.
  private static let writing = [
    "add login New username=x -g", "set GitLab username=bob", "unset GitLab username", "set -g GitLab",
    "import json one.json --kind login", "import jsonl many.jsonl --kind login", "trash restore Old",
    "remove Orders --yes", "trash empty --yes", "kinds add blob.json", "key remove second --yes",
    "key add --generate-identity third.txt", "checkpoint --accept-rollback", "lint --fix", "rekey --yes",
    "rekey --reseal --yes",
  ]

  /// Commands that make another vault in the same tables.
  private static let making = [
    "init OTHER1 --generate-identity 1.txt", "init OTHER2 --create-tables --generate-identity 2.txt",
    "store copy ADDRESS OTHER3",
  ]

  @Test(
    "each may do what it is for, and no more; who may not write changes nothing",
    arguments: ["reader", "writer", "backup", "owner"], [false, true])
  func commands(_ role: String, _ rowSecurity: Bool) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(rowSecurity: rowSecurity)
    let address = bench.vault.address(of: "\(bench.prefix)_\(role)")
    func run(_ command: String) -> ProcessOutcome {
      let words = command.split(separator: " ").map { word in
        guard word.hasPrefix("OTHER"), let number = word.last else { return word == "ADDRESS" ? address : String(word) }
        return address.replacing("&", with: "-\(number)&")
      }
      return bench.vault.run(words, input: "protocol=https\nhost=git.example.com\n\n", at: address)
    }
    func expect(_ commands: [String], _ isAllowed: Bool) throws {
      let before = try bench.contents()
      for command in commands {
        let outcome = run(command)
        #expect(outcome.code == (isAllowed ? 0 : 18), "\(role) \(command): \(outcome.output)\(outcome.errors)")
        #expect(
          isAllowed || outcome.errors.contains("is not allowed to write"), "\(role) \(command): \(outcome.errors)")
      }
      #expect(try isAllowed || bench.contents() == before, "\(role)")
    }
    let before = try bench.contents()
    try expect(Self.reading, true)
    #expect(try bench.contents() == before)
    let check = run("store check").output
    let words = ["owner": "owns the tables", "writer": "reads and writes"][role] ?? "the role only reads"
    #expect(check.contains(words), "\(role): \(check)")
    try expect(Self.writing, ["writer", "owner"].contains(role))
    try expect(Self.making, role == "owner")
    // Behind the exports, which leave attachments out and end otherwise for that.
    let attached = bench.vault.run("attach", "GitLab", "scan")
    try #require(attached.code == 0, "\(attached.errors)")
    try expect(["attachments GitLab", "get GitLab --attachment scan -o out --yes", "verify", "lint"], true)
    bench.vault.workspace.prepare("cmp scan out")
    try expect(["attach GitLab t.env", "detach GitLab scan --yes"], ["writer", "owner"].contains(role))
    let verified = bench.vault.run("verify")
    #expect(verified.code == 0, "\(verified.errors)")
  }

  /// Statements that a writing role could try on a foreign vault.
  private static let intrusions = [
    "UPDATE SCHEMA.documents SET bytes = '' WHERE vault = 'GRACE'",
    "DELETE FROM SCHEMA.documents WHERE vault = 'GRACE'",
    "UPDATE SCHEMA.vaults SET fence = 0 WHERE vault = 'GRACE'",
    "INSERT INTO SCHEMA.staged VALUES ('GRACE', 'GRACE', 0, 0, 'GRACE', 0)",
    "INSERT INTO SCHEMA.documents VALUES ('GRACE', 0, 1, 'GRACE', 0, 0, 0, '')",
    "INSERT INTO SCHEMA.attachments VALUES ('GRACE', 'GRACE', 0, '')",
    "UPDATE SCHEMA.attachments SET bytes = ''", "DELETE FROM SCHEMA.attachments WHERE vault = 'GRACE'",
    "UPDATE SCHEMA.documents SET vault = 'GRACE'", "INSERT INTO SCHEMA.grants VALUES (current_user, 'GRACE')",
  ]

  @Test("with row security a role sees and changes the vaults that it was given, and nothing of the others")
  func rowSecurity() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(rowSecurity: true)
    let vaults = ["ada": bench.vault, "grace": try DatabaseBench.withVault(schema: bench.schema)]
    func role(_ name: String) -> String { "\(bench.prefix)_\(name)" }
    for (name, vault) in vaults {
      try bench.vault.administer("CREATE ROLE \(role(name)) LOGIN IN ROLE \(role("writer"))")
      try bench.grant(role(name), vault)
    }
    for (name, vault) in vaults {
      let own = vault.address(of: role(name))
      vault.workspace.prepare("head -c 1100000 /dev/urandom >scan")
      for words in [
        ["set", "GitLab", "username=\(name)"], ["attach", "GitLab", "scan"], ["rekey", "--reseal", "--yes"], ["verify"],
        ["get", "GitLab", "--attachment", "scan", "-o", "out"], ["list"],
      ] {
        let outcome = vault.run(words, at: own)
        #expect(outcome.code == 0, "\(name) \(words): \(outcome.errors)")
      }
      #expect(vault.run("get", "GitLab", "username", at: own).output == name)
      let stranger = vault.run("list", at: vault.address(of: role(name == "ada" ? "grace" : "ada")))
      #expect(stranger.status == .noVault, "\(stranger.errors)")
      #expect(stranger.output.isEmpty, "\(stranger.errors)")
    }
    try expectNoIntrusion(bench, as: role("ada"), bench.number(of: vaults["ada"]), bench.number(of: vaults["grace"]))
  }

  /// Tries, as a role of one vault, to see and to change another.
  private func expectNoIntrusion(_ bench: Bench, as role: String, _ ada: Substring, _ grace: Substring) throws {
    func asAda(_ statement: String) -> ProcessOutcome {
      bench.vault.server.run("SET ROLE \(role); \(statement)")
    }
    for table in ["vaults", "locks", "documents", "folders", "attachments", "grants"] {
      #expect(asAda("SELECT DISTINCT vault FROM \(bench.schema).\(table)").output == "\(ada)\n", "\(table)")
    }
    let before = try bench.contents()
    for statement in Self.intrusions {
      let text = statement.replacing("SCHEMA", with: bench.schema).replacing("GRACE", with: grace)
      let outcome = asAda(text)
      #expect(
        outcome.code == 0 || outcome.errors.contains("row-level security") || outcome.errors.contains("denied"),
        "\(text): \(outcome.errors)")
    }
    #expect(try bench.contents() == before)
  }
}
