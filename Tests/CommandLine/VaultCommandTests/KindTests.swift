import Testing
import VaultTestSupport

@Suite("Kinds")
struct KindTests {
  private static let wifi = #"""
    {"title":"Wi-Fi network","type":"object","x-title":"ssid","required":["ssid","key"],
     "properties":{"ssid":{"type":"string","minLength":1},"key":{"type":"string","x-sealed":true,"minLength":8},
       "channel":{"type":"integer","minimum":1,"maximum":196},"security":{"enum":["wpa2","wpa3"],"default":"wpa3"},
       "guests":{"type":"array","items":{"$ref":"#/$defs/guest"}}},
     "$defs":{"guest":{"type":"object","required":["name"],
       "properties":{"name":{"type":"string"},"pin":{"type":"string","x-sealed":true}}}}}
    """#

  private func withWifi() throws -> Workspace {
    let workspace = try Workspace.withVault()
    _ = workspace.write(Self.wifi, to: "wifi.json")
    let added = workspace.open("kinds", "add", "wifi.json")
    try #require(added.code == 0, "\(added.errors)")
    #expect(added.output == "wifi\n")
    return workspace
  }

  private static let additions: [(kind: String, arguments: [String], secret: String, change: String)] = [
    (
      "login",
      [
        "--set", "title=T", "--set", "urls=https://a.example,https://b.example", "--set", "fields.color=red",
        "--secret-stdin", "secrets.pin",
      ], "secrets.pin", "username=u"
    ),
    (
      "api-key", ["--set", "title=T", "--set", "issuer=i", "--set", "scopes=read,write", "--secret-stdin", "secret"],
      "secret", "expires_at=2027-01-01T00:00:00Z"
    ),
    (
      "payment-card", ["--set", "title=T", "--set", "holder=h", "--generate", "number=8", "--secret-stdin", "pin"],
      "pin", "expiry=12/29"
    ),
    ("secure-note", ["--set", "title=T", "--secret-stdin", "text"], "text", "tags=a,b"),
    (
      "database",
      [
        "--set", "title=T", "--set", "engine=mysql", "--set", "host=h", "--set", "port=3306",
        "--secret-stdin", "password",
      ], "password", "port=3307"
    ),
    ("custom", ["--set", "title=T", "--set", "fields.a=b", "--secret-stdin", "secrets.c"], "secrets.c", "fields.a=c"),
  ]

  @Test("add takes other spellings of a field as import does, also of one that is the present time without it")
  func otherSpellings() throws {
    let workspace = try Workspace.withVault()
    let input = #"{"name":"A","accessKey":"k","addedOn":0,"homePhone":"1","atmCode":7}"#
    let added = workspace.open("add", "customer", "--from", "-", input: input)
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("get", "A", "added_on").output == "2001-01-01T00:00:00Z")
    let typed = workspace.open(
      "add", "customer", "B", "addedOn=2020-02-03T00:00:00Z", "email=b@example.com", "-g", "access_key")
    #expect(typed.code == 0, "\(typed.errors)")
    #expect(workspace.open("get", "B", "added_on").output == "2020-02-03T00:00:00Z")
    #expect(workspace.open("get", "B", "contact_info.email").output == "b@example.com")
    let twice = workspace.open(
      "add", "customer", "C", "email=c@example.com", "contact_info.email=d@example.com", "-g", "access_key")
    #expect(twice.status == .usage, "\(twice.errors)")
    #expect(twice.errors.contains("contact_info.email is given more than once"), "\(twice.errors)")
  }

  @Test("each can be added, shown masked and revealed, changed, and exported to the same records", arguments: 0..<6)
  func everyKind(_ index: Int) throws {
    let (kind, arguments, secretPath, change) = Self.additions[index]
    let workspace = try Workspace.withVault()
    // A card's number is digits, which --generate does not make.
    let given =
      kind == "payment-card"
      ? [
        "--set", "title=T", "--set", "holder=h", "--secret-file", "number=number",
        "--secret-stdin", "pin",
      ] : arguments
    _ = workspace.write("4111111111111111\n", to: "number")
    let added = workspace.run(["add", kind] + given + ["--vault", "v", "--identity", "id.txt"], input: "20261121")
    try #require(added.code == 0, "\(added.errors)")
    let masked = workspace.run("show", "T", "--vault", "v")
    #expect(masked.output.contains("•••• sealed "))
    #expect(!masked.output.contains("20261121\n"))
    #expect(workspace.open("get", "T", secretPath).output == "20261121")
    #expect(workspace.open("set", "T", change).code == 0)
    let parts = change.split(separator: "=", maxSplits: 1)
    #expect(workspace.open("find", "--where", kind == "secure-note" ? "tags[1]=b" : change).output.contains(kind))
    #expect(!parts.isEmpty)
    let exported = workspace.open("export", "--reveal", "--kind", kind)
    let second = try Workspace.withVault()
    let imported = second.open("import", "json", "-", "--kind", kind, input: exported.output)
    #expect(imported.output == "1 stored, 0 refused\n", "\(imported.errors)")
    #expect(second.open("export", "--reveal").stdout == exported.stdout)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("kinds list and show name all kinds and fields, and print the JSON Schema of every one")
  func listing() throws {
    let workspace = try Workspace()
    let names = workspace.run("kinds", "list").output.split(separator: "\n").map(String.init)
    #expect(
      names == ["customer", "login", "api-key", "ssh-key", "payment-card", "secure-note", "database", "custom", "file"])
    for name in names {
      let schema = JSON(workspace.run("kinds", "show", name, "--schema").stdout)
      #expect(schema["$schema"]?.text == "https://json-schema.org/draft/2020-12/schema")
      #expect(schema["properties"]?["tags"] != nil)
    }
    let login = workspace.run("kinds", "show", "login").output
    #expect(login.contains("secrets.*  sealed, text\n"))
    #expect(login.contains("urls[]     readable, uri\n"))
    #expect(workspace.run("kinds", "show", "planet").status == .inputRefused)
  }

  @Test("a declared kind is checked, sealed, prompted for, found, imported and exported as a built-in one", .atTerminal)
  func declaredKind() throws {
    let workspace = try withWifi()
    func add(_ arguments: String..., secret: String = "12345678") -> ProcessOutcome {
      workspace.run(
        ["add", "wifi", "--set", "ssid=Home", "--secret-stdin", "key"] + arguments
          + ["--vault", "v", "--identity", "id.txt"], input: secret)
    }
    #expect(add(secret: "short").errorLines.first == "vault: key must have at least 8 characters")
    #expect(add("--set", "channel=200").errorLines.first == "vault: channel must be at most 196")
    #expect(add("--set", "security=wep").status == .inputRefused)
    #expect(add("--set", "band=5").errorLines.first == "vault: band is not a field of the kind wifi")
    #expect(workspace.open("add", "wifi", "--set", "key=12345678").status == .usage)
    #expect(add("--set", "channel=11").code == 0)
    #expect(workspace.open("get", "Home", "security").output == "wpa3")
    #expect(workspace.open("find", "--where", "channel=11").output.contains("Home"))
    #expect(workspace.open("set", "Home", #"guests=[{"name":"Bo","pin":"9"}]"#).status == .usage)
    #expect(workspace.open("set", "Home", "guests[0].name=Bo").code == 0)
    #expect(workspace.open("set", "Home", "--secret-stdin", "guests[0].pin", input: "99").code == 0)
    #expect(workspace.open("get", "Home", "guests[0].pin").output == "99")
    let asked = workspace.type(
      ["add", "wifi", "--vault", "v", "--identity", "id.txt"],
      [
        ("ssid: ", "Cafe\n"), ("key, not shown: ", "short\n"), ("key, not shown: ", "long-enough\n"),
        ("key, again: ", "long-enough\n"),
        ("[channel]: ", "x\n"), ("[channel]: ", "6\n"), ("[security (wpa2, wpa3)]: ", "\n"),
        ("[Tags, separated by commas]: ", "\n"),
      ])
    #expect(asked.code == 0, "\(asked.shown)")
    let exported = workspace.open("export", "--kind", "wifi", "--reveal")
    let second = try withWifi()
    #expect(
      second.open("import", "json", "-", "--kind", "wifi", input: exported.output).output == "2 stored, 0 refused\n")
    #expect(second.open("export", "--reveal").stdout == exported.stdout)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("the same schema again writes nothing, one that drops a seal is refused, an unknown keyword is named")
  func declaringAgain() throws {
    let workspace = try withWifi()
    let before = workspace.snapshot()
    let again = workspace.open("kinds", "add", "wifi.json")
    #expect(again.code == 0)
    #expect(again.errors == "note: nothing changed\n")
    func declare(_ part: String, _ other: String) -> ProcessOutcome {
      let pieces = Self.wifi.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
      _ = workspace.write(pieces.joined(separator: other), to: "other.json")
      return workspace.open("kinds", "add", "other.json", "--name", "wifi")
    }
    let dropped = declare(#","x-sealed":true,"minLength":8"#, "")
    #expect(dropped.status == .inputRefused)
    #expect(dropped.errors.hasPrefix("vault: other.json: key is sealed"))
    let unknown = declare(#""minLength":8"#, #""writeOnly":true"#)
    #expect(unknown.status == .inputRefused)
    #expect(unknown.errors.hasPrefix("vault: other.json: properties.key.writeOnly is not a keyword"))
    #expect(workspace.open("kinds", "add", "wifi.json", "--name", "login").status == .alreadyExists)
    let misnamed = workspace.open("kinds", "add", "wifi.json", "--name", "Wi-Fi")
    #expect(misnamed.status == .inputRefused)
    #expect(misnamed.errors.hasPrefix("vault: --name: \"Wi-Fi\" cannot be the name of a kind: "), "\(misnamed.errors)")
    #expect(workspace.snapshot() == before)
  }

  @Test("a schema that was edited in vault.json is 13 wherever a key is used")
  func editedSchema() throws {
    let workspace = try withWifi()
    _ = workspace.write(#"{"ssid":"Home","key":"12345678"}"#, to: "home.json")
    #expect(workspace.open("add", "wifi", "--from", "home.json").code == 0)
    let header = workspace.text(of: "v/vault.json")
    let edited = header.split(separator: #""x-sealed" : true"#, omittingEmptySubsequences: false)
    #expect(edited.count == 3)
    _ = workspace.write(edited.joined(separator: #""x-sealed" : false"#), to: "v/vault.json")
    for command in [
      ["list"], ["show", "Home"], ["get", "Home", "ssid"], ["set", "Home", "ssid=x"],
      ["add", "wifi", "--from", "home.json"],
      ["import", "json", "home.json", "--kind", "wifi"], ["export"], ["kinds", "show", "wifi"], ["kinds", "list"],
      ["kinds", "add", "wifi.json"], ["verify"], ["migrate"],
    ] {
      let outcome = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(outcome.status == .damaged, "\(command)")
      #expect(outcome.stdout.isEmpty, "\(command)")
    }
  }

  @Test("--keep-unknown seals what the kind does not have, and without it that is refused")
  func keepUnknown() throws {
    let workspace = try Workspace.withVault()
    let imported = workspace.open(
      "import", "json", Fixture.faulty, "--kind", "customer", "--keep-unknown", "--rejects", "rejects.json")
    #expect(imported.status == .partlyDone)
    #expect(imported.output == "3 stored, 6 refused\n")
    let all = try Fixture.records(Fixture.faulty)
    #expect(JSON(workspace.text(of: "rejects.json")) == .array(Array(all[1...6])))
    #expect(workspace.open("get", "Oluwaseun Adeyemi", "extra.loyalty_tier").output == "gold")
    let files = workspace.snapshot().values
    #expect(!files.contains { $0.holds(Array("gold".utf8)) })
    _ = workspace.write(#"{"title":"N","text":"t","more":{"deep":[1,null]}}"#, to: "note.json")
    #expect(workspace.open("add", "secure-note", "--from", "note.json").status == .inputRefused)
    #expect(workspace.open("add", "secure-note", "--from", "note.json", "--keep-unknown").code == 0)
    #expect(JSON(workspace.open("get", "N", "extra.more").stdout) == JSON(#"{"deep":[1,null]}"#))
    let shown = JSON(workspace.open("show", "N", "--reveal", "--json").stdout)["record"]
    #expect(shown?["extra"]?["more"] == JSON(#"{"deep":[1,null]}"#))
    #expect(workspace.open("add", "secure-note", "--set", "title=x", "--keep-unknown").status == .usage)
  }

  @Test("a card whose check digit does not fit is stored with a warning; a database gives its address")
  func particulars() throws {
    let workspace = try Workspace.withVault()
    let card = workspace.open(
      "add", "payment-card", "--set", "holder=Ada", "--secret-stdin", "number", input: "4111111111111112")
    #expect(card.code == 0)
    #expect(card.errors == "note: number: the check digit does not fit: look for a mistyped digit\n")
    let changed = workspace.open("set", "Ada", "--secret-stdin", "number", input: "4111111111111111")
    #expect(changed.code == 0)
    #expect(!changed.errors.contains("digit"), "\(changed.errors)")
    #expect(
      workspace.open("set", "Ada", "--secret-stdin", "number", input: "4111111111111113").errors.contains("digit"))
    #expect(
      workspace.open(
        "add", "database", "--set", "title=DB", "--set", "engine=mysql", "--set", "host=h", "--set", "user=u",
        "--secret-stdin", "password", input: "p@w"
      ).code == 0)
    #expect(workspace.open("get", "DB", "--url").output == "mysql://u:p%40w@h")
    #expect(workspace.open("get", "Ada", "--url").status == .usage)
    #expect(workspace.open("get", "DB", "host", "--url").status == .usage)
    #expect(workspace.open("get", "DB").status == .usage)
  }
}

@Suite("Migrating")
struct MigrateTests {
  /// The vault of the repository, which was written with schema 1.
  private func withSample() throws -> Workspace {
    let workspace = try Workspace()
    let package = OwnVectors.package
    FileTree.copy(package + "/Vault", to: workspace.path + "/v")
    _ = workspace.write(workspace.text(of: "v/demo-identity.txt"), to: "id.txt")
    return workspace
  }

  @Test("an older vault is read in the new schema, previewed, and migrated; only moved members and the envelope change")
  func sample() throws {
    let workspace = try withSample()
    let before = files(workspace)
    let file = try workspace.recordFile("Shai Mishali")
    let website = "https://example.com/customers/1?ref=a/b"
    for path in ["website", "contact_info.website"] {
      #expect(workspace.open("get", "Shai Mishali", path).output == website)
    }
    #expect(workspace.open("find", "--where", "contact_info.website=\(website)").output.contains("Shai Mishali"))
    let preview = workspace.open("migrate", "--dry-run")
    #expect(preview.code == 0)
    #expect(preview.output.contains("1 → 2  Shai Mishali  website → contact_info.website\n"))
    #expect(preview.errors == "note: 10 records would be migrated\n")
    #expect(files(workspace) == before)
    #expect(workspace.open("migrate").code == 0)
    let after = files(workspace)
    let old = Set(lines(before[file])), new = Set(lines(after[file]))
    let gone = old.subtracting(new).map(name).sorted(), come = new.subtracting(old).map(name).sorted()
    #expect(Set(gone).union(come) == ["home_phone", "mac", "name", "revision", "schema", "updated_at", "website"])
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("migrate").errors == "note: every record has the present schema\n")
    #expect(files(workspace) == after)
  }

  @Test("a record that is changed is written in the new schema, others stay")
  func changeMigratesOne() throws {
    let workspace = try withSample()
    let before = files(workspace)
    let file = try workspace.recordFile("Shai Mishali")
    #expect(workspace.open("set", "Shai Mishali", "website=https://example.org").code == 0)
    let after = files(workspace)
    #expect(after.filter { before[$0.key] != $0.value }.map(\.key) == [file])
    let record = JSON(after[file] ?? [])
    #expect(record["$vault"]?["schema"]?.number == 2)
    #expect(record["website"] == nil)
    #expect(record["contact_info"]?["website"]?.text == "https://example.org")
  }

  @Test("what becomes readable is asked about, and migrating says that history shows what was clear")
  func opening() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write(
      #"{"type":"object","properties":{"title":{"type":"string"},"a":{"type":"string"},"b":{"type":"string","x-sealed":true}}}"#,
      to: "thing.json")
    #expect(workspace.open("kinds", "add", "thing.json").code == 0)
    #expect(
      workspace.open("add", "thing", "--set", "title=T", "--set", "a=x", "--secret-stdin", "b", input: "y").code == 0)
    _ = workspace.write(
      #"{"type":"object","x-schema":2,"x-migrations":{"2":[{"seal":"a"},{"open":"b"}]},"properties":{"title":{"type":"string"},"a":{"type":"string","x-sealed":true},"b":{"type":"string"}}}"#,
      to: "thing.json")
    #expect(workspace.open("kinds", "add", "thing.json").code == 0)
    let locked = workspace.run("show", "T", "--vault", "v")
    #expect(locked.output.contains("not sealed yet"))
    #expect(!locked.output.contains("x\n"))
    #expect(workspace.open("migrate").status == .declined)
    let migrated = workspace.open("migrate", "--yes")
    #expect(migrated.code == 0)
    #expect(migrated.errors.contains("still show what was readable"))
    let record = JSON(workspace.run("show", "T", "--vault", "v", "--json").stdout)["record"]
    #expect(record?["a"]?["sealed"]?.bool == true)
    #expect(record?["b"]?.text == "y")
  }

  /// Every file but the lock, which the repository does not have.
  private func files(_ workspace: Workspace) -> FolderState { workspace.snapshot().filter { $0.key != ".lock" } }

  private func lines(_ bytes: [UInt8]?) -> [String] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The member of a line.
  private func name(_ line: String) -> String {
    String(line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first ?? "")
  }
}
