import Testing
import VaultTestSupport

/// Former values go along when records are exported, imported, moved, copied and restored.
@Suite("Former values in files and copies")
struct FormerExchangeTests {
  private static let id = ["--identity", "id.txt"]

  /// A login whose password was `one`, `two`, and is `three`; and an empty vault `w`.
  private func login() throws -> Workspace {
    let workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "Mail", "username=u", "--secret-stdin", "password", input: "one")
    try #require(added.code == 0, "\(added.errors)")
    for text in ["two", "three"] { set(workspace, text) }
    let key = workspace.text(of: "id.txt").split(separator: "\n").first { $0.contains("public key: ") } ?? ""
    let made = workspace.run("init", "w", "--recipient", key.split(separator: " ").last.map(String.init) ?? "")
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  private func set(_ workspace: Workspace, _ text: String) {
    let set = workspace.open("set", "Mail", "--secret-stdin", "password", "--yes", input: text)
    #expect(set.code == 0, "\(set.errors)")
  }

  private func other(_ workspace: Workspace, _ words: String..., input: String = "") -> ProcessOutcome {
    workspace.run(words + ["--vault", "w"] + Self.id, input: input)
  }

  /// The former passwords, the newest first.
  private func former(_ workspace: Workspace, in vault: String, _ name: String = "Mail") -> [String] {
    var texts: [String] = []
    while true {
      let run = workspace.run(
        ["get", name, "password", "--former", "\(texts.count + 1)", "--vault", vault] + Self.id)
      guard run.code == 0 else { return texts }
      texts.append(run.output)
    }
  }

  private func sealingTimes(_ workspace: Workspace, in vault: String) -> [String] {
    let shown = workspace.run(["show", "Mail", "--json", "--vault", vault] + Self.id)
    return JSON(shown.stdout)["former"]?["password"]?.items?.compactMap { $0["sealed_at"]?.text } ?? []
  }

  @Test(
    "our own formats bring former values back with their times, and only with --former",
    arguments: ["json", "jsonl", "json --json", "json --kind login", "json --fields title,password"])
  func own(_ options: String) throws {
    let workspace = try login()
    let format = options.split(separator: " ").map(String.init)
    let plain = workspace.run(["export", "--reveal", "--yes", "--format"] + format + ["--vault", "v"] + Self.id)
    #expect(!plain.output.contains("two"), "\(plain.output)")
    let made = workspace.run(
      ["export", "--reveal", "--yes", "--former", "-o", "out", "--format"] + format + ["--vault", "v"] + Self.id)
    #expect(made.code == 0, "\(made.errors)")
    let taken = other(workspace, "import", format[0], "out")
    #expect(taken.code == 0, "\(taken.errors)")
    #expect(former(workspace, in: "w") == ["two", "one"])
    #expect(sealingTimes(workspace, in: "w") == sealingTimes(workspace, in: "v"))
    #expect(other(workspace, "verify").code == 0)
  }

  @Test("other fields have no former values in an export, and a sealed one has tokens")
  func chosen() throws {
    let workspace = try login()
    let title = workspace.open("export", "--reveal", "--yes", "--former", "--fields", "title")
    #expect(!title.output.contains("former"), "\(title.output)")
    let sealed = workspace.open("export", "--sealed", "--former")
    #expect(sealed.output.pieces(between: "\"es1:").count == 4, "\(sealed.output)")
    #expect(!sealed.output.contains("\"two\""))
    #expect(workspace.open("export", "--sealed").output.pieces(between: "\"es1:").count == 2)
  }

  @Test(
    "a format without a place for former values, and an export without sealed fields, are usage errors",
    arguments: [
      "--format csv --reveal", "--format yaml --reveal", "--format env --reveal", "--format dotenv --reveal",
      "--format plist --reveal", "--format plist-binary --reveal", "--format 1password-csv --reveal",
      "--format netrc --reveal", "--format pgpass --reveal", "--format kubernetes --reveal",
      "--format ansible-vault --reveal", "--format sops --reveal --age age1x", "", "--format jsonl",
      "--reveal --keys camel",
    ])
  func refused(_ options: String) throws {
    let workspace = try Workspace.withVault()
    let run = workspace.run(
      ["export", "--former"] + options.split(separator: " ").map(String.init) + ["--vault", "v"] + Self.id)
    #expect(run.status == .usage, "\(run.errors)")
    #expect(run.errors.hasPrefix("vault: --former: ") || run.errors.hasPrefix("vault: --former "), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test(
    "former values of no known form, of a readable field, or of no field are refused",
    arguments: [
      (#"{"password": ["old"]}"#, "$vault.former"), (#"{"password": "old"}"#, "$vault.former"), ("[]", "$vault.former"),
      (#"{"title": [{"sealed_at": "2020-01-01T00:00:00Z", "value": "old"}]}"#, "title"),
      (#"{"nowhere": [{"sealed_at": "2020-01-01T00:00:00Z", "value": "old"}]}"#, "nowhere"),
      (#"{"password": [{"sealed_at": "2020-01-01T00:00:00Z", "value": 5}]}"#, "password"),
      (#"{"password": [{"sealed_at": "yesterday", "value": "old"}]}"#, "$vault.former"),
    ])
  func bad(former: String, field: String) throws {
    let workspace = try Workspace.withVault()
    let record = #"[{"$vault": {"kind": "login", "former": \#(former)}, "title": "x", "password": "p"}]"#
    let run = workspace.open("import", "json", "-", input: record)
    #expect(run.status == .inputRefused, "\(run.errors)")
    #expect(run.errors.contains(": \(field) "), "\(run.errors)")
    #expect(!run.errors.contains("old"), "\(run.errors)")
  }

  @Test("a former value need not fit the rules of its field, no value is kept twice, and none is from the future")
  func lenient() throws {
    let workspace = try Workspace.withVault()
    let values = ["p", "q", "q", "r"].map { #"{"sealed_at": "2199-01-01T00:00:00Z", "value": "\#($0)"}"# }
    let record = """
      [{"$vault": {"kind": "login", "former": {"password": [\(values.joined(separator: ","))]}}, "title": "Mail",
        "password": "p"}]
      """
    #expect(workspace.open("import", "json", "-", input: record).code == 0)
    #expect(former(workspace, in: "v") == ["q", "r"])
    #expect(sealingTimes(workspace, in: "v").allSatisfy { $0 < "2199" })
    #expect(workspace.open("verify").code == 0)
  }

  @Test("KeePassXC reads former values as the history of an entry", .enabled(if: Self.hasKeePassXC))
  func toKeePassXC() throws {
    let workspace = try login()
    workspace.prepare("echo pw >pw")
    let made = workspace.open(
      "export", "--reveal", "--yes", "--former", "--format", "kdbx", "--new-passphrase-file", "pw", "-o", "out.kdbx")
    #expect(made.code == 0, "\(made.errors)")
    workspace.prepare("keepassxc-cli export -q -f xml out.kdbx <pw >out.xml")
    let parts = workspace.text(of: "out.xml").pieces(between: "<History>")
    #expect(parts.count == 2)
    let history = String(parts.last ?? "")
    for text in ["one", "two"] { #expect(history.pieces(between: ">\(text)</Value>").count == 2, "\(history)") }
    #expect(!history.contains(">three</Value>"))
    // An edit there keeps it.
    workspace.prepare(
      "printf 'pw\\nfour\\n' | keepassxc-cli edit -q -p out.kdbx Mail && rm -r w && '\(Binary.path)' init w "
        + "--recipient $(grep -o 'age1[a-z0-9]*' id.txt | head -1)")
    #expect(
      other(workspace, "import", "keepass-kdbx", "out.kdbx", "--source-passphrase-file", "pw").code == 0)
    #expect(other(workspace, "get", "Mail", "password").output == "four")
    #expect(former(workspace, in: "w") == ["three", "two", "one"])
  }

  @Test(
    "the history of an entry comes in from KeePassXC, and an update knows what came between",
    .enabled(if: Self.hasKeePassXC))
  func fromKeePassXC() throws {
    let workspace = try login()
    func edit(_ text: String) {
      // KeePassXC counts in seconds.
      workspace.prepare("sleep 1.1; printf 'pw\\n\(text)\\n' | keepassxc-cli edit -q -p db.kdbx Wiki")
    }
    func bring(_ options: String...) -> ProcessOutcome {
      workspace.run(
        ["import", "keepass-kdbx", "db.kdbx", "--source-passphrase-file", "pw", "--vault", "w"] + options + Self.id)
    }
    workspace.prepare(
      "echo pw >pw; printf 'pw\\npw\\n' | keepassxc-cli db-create -q -p db.kdbx "
        + "&& printf 'pw\\na\\n' | keepassxc-cli add -q -u ada -p db.kdbx Wiki")
    edit("b")
    let first = bring()
    #expect(first.code == 0, "\(first.errors)")
    #expect(other(workspace, "get", "Wiki", "password").output == "b")
    #expect(former(workspace, in: "w", "Wiki") == ["a"])
    edit("c")
    edit("d")
    let again = bring("--update")
    #expect(again.code == 0, "\(again.errors)")
    #expect(former(workspace, in: "w", "Wiki") == ["c", "b", "a"])
    #expect(bring().output.contains("0 updated, 1 already stored"))
    #expect(other(workspace, "verify").code == 0)
  }

  @Test("a vault keeps as many values of an import as its header says, and a note counts the others")
  func limits() throws {
    let workspace = try login()
    let versions = (0..<10_000).map {
      "<Entry><UUID>e</UUID><Times><LastModificationTime>2199-01-01T00:00:00Z</LastModificationTime></Times>"
        + "<String><Key>Password</Key><Value>p\($0)</Value></String></Entry>"
    }
    let file = """
      <KeePassFile><Root><Group><Name>r</Name><Entry><UUID>e</UUID><String><Key>Title</Key>
      <Value>Many</Value></String><String><Key>Password</Key><Value>now</Value></String>
      <History>\(versions.joined())</History></Entry></Group></Root></KeePassFile>
      """
    _ = workspace.write(file, to: "many.xml")
    let run = workspace.open("import", "keepass-xml", "many.xml")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors == "note: 15 former values left out: this vault keeps at most 5 of each field\n")
    #expect(former(workspace, in: "v", "Many") == (0..<5).map { "p\(9999 - $0)" })
    let shown = JSON(workspace.open("show", "Many", "--json").stdout)["former"]?["password"]?.items ?? []
    #expect(shown.compactMap { $0["sealed_at"]?.text }.allSatisfy { $0 < "2199" })
    #expect(workspace.open("verify").code == 0)
  }

  @Test("import --update of a table keeps the value that it replaces")
  func table() throws {
    let workspace = try Workspace.withVault()
    for text in ["one", "two"] {
      _ = workspace.write("title,url,username,password\nMail,https://a.example,u,\(text)\n", to: "a.csv")
      let run = workspace.open("import", "csv", "a.csv", "--update")
      #expect(run.code == 0, "\(run.errors)")
    }
    #expect(former(workspace, in: "v") == ["one"])
  }

  @Test("a record takes its former values along to another vault of the set, with their times, and back")
  func moves() throws {
    let bench = try SetBench()
    for text in ["x", "y"] {
      #expect(bench.run(["set", "ops:ops mail", "--secret-stdin", "password", "--yes"], input: text).code == 0)
    }
    func former(_ vault: String) -> [String?] {
      let items = JSON(bench.run(["show", "\(vault):ops mail", "--json"]).stdout)["former"]?["password"]?.items ?? []
      return items.map { $0["sealed_at"]?.text }
    }
    let before = former("ops")
    try #require(before.count == 2)
    #expect(bench.run(["move", "ops:ops mail", "--to", "finance", "--copy", "--yes"]).code == 0)
    #expect(bench.run(["get", "finance:ops mail", "password", "--former"]).output == "x")
    #expect(former("finance") == before)
    #expect(bench.run(["rm", "ops:ops mail", "--yes"]).code == 0)
    #expect(bench.run(["set", "finance:ops mail", "--secret-stdin", "password", "--yes"], input: "z").code == 0)
    #expect(bench.run(["move", "finance:ops mail", "--to", "ops", "--yes"]).code == 0)
    // The version in the trash of ops has the same values under another key.
    #expect(former("ops").count == 3)
    #expect(bench.run(["get", "ops:ops mail", "password", "--former"]).output == "y")
    #expect(bench.run(["get", "ops:ops mail", "password", "--former", "2"]).output == "x")
    for vault in ["ops", "finance"] { #expect(bench.run(["verify", "--in", vault]).code == 0) }
  }

  @Test("a vault that keeps fewer former values takes the newest of a moved record")
  func movesToFewer() throws {
    let bench = try SetBench()
    let made = bench.workspace.run("init", "few", "--former", "1", "--recipient", try bench.recipient("ada"))
    try #require(made.code == 0, "\(made.errors)")
    #expect(bench.run(["vaults", "add", "few", "few"]).code == 0)
    for text in ["x", "y"] {
      #expect(bench.run(["set", "ops:ops mail", "--secret-stdin", "password", "--yes"], input: text).code == 0)
    }
    #expect(bench.run(["move", "ops:ops mail", "--to", "few", "--yes"]).code == 0)
    #expect(bench.run(["get", "few:ops mail", "password", "--former"]).output == "x")
    #expect(bench.run(["get", "few:ops mail", "password", "--former", "2"]).status == .notFound)
    #expect(bench.run(["verify", "--in", "few"]).code == 0)
  }

  @Test("backup restore --records brings back former values: of a removed record, after a rotation, and forgotten ones")
  func backups() throws {
    let workspace = try login()
    workspace.prepare("mkdir -m 700 b")
    let file = try #require(JSON(workspace.open("backup", "create", "--to", "b", "--json").stdout)["file"]?.text)
    let id = try #require(JSON(workspace.open("show", "Mail", "--json").stdout)["id"]?.text)
    func restore() {
      let run = workspace.run(["backup", "restore", file, "--to", "v", "--records", id, "--yes"] + Self.id)
      #expect(run.output == id + "\n", "\(run.errors)")
    }
    #expect(workspace.open("forget", "Mail", "--yes").code == 0)
    #expect(former(workspace, in: "v").isEmpty)
    restore()
    #expect(former(workspace, in: "v") == ["two", "one"])
    set(workspace, "four")
    #expect(workspace.open("rm", "Mail", "--yes").code == 0)
    #expect(workspace.open("rekey", "--reseal").code == 0)
    restore()
    #expect(workspace.open("get", "Mail", "password").output == "three")
    #expect(Set(former(workspace, in: "v")) == ["four", "two", "one"])
    #expect(workspace.open("verify").code == 0)
  }

  @Test("store copy takes former values to a database and back", .enabled(if: PostgresServer.need.isMet))
  func database() throws {
    let workspace = try login()
    let bench = try DatabaseBench()
    for words in [["v", bench.address, "--create-tables"], [bench.address, "back"]] {
      let copied = workspace.run(["store", "copy", "--verify"] + words)
      #expect(copied.code == 0, "\(copied.errors)")
    }
    for vault in [bench.address, "back"] { #expect(former(workspace, in: vault) == ["two", "one"]) }
  }

  private static let hasKeePassXC = Need.command("keepassxc-cli").isMet(forCases: 1, of: "histories of KeePassXC")
}

extension String {
  fileprivate func pieces(between separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
