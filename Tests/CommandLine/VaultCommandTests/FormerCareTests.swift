import Testing
import VaultTestSupport

@Suite("Former values and the care of a vault")
struct FormerCareTests {
  private static let former = Array(FormerBench.passwords.dropLast().reversed())
  private let bench: FormerBench
  private var workspace: Workspace { bench.workspace }

  init() throws {
    bench = try FormerBench()
    file = try bench.workspace.recordFile("Mail")
  }

  /// The record's file below the vault.
  private let file: String

  /// Replaces text in the record's file.
  private func edit(_ change: (String) -> String) throws {
    let text = workspace.text(of: "v/" + file)
    let changed = change(text)
    try #require(changed != text)
    _ = workspace.write(changed, to: "v/" + file)
  }

  private var recipient: String {
    get throws {
      try #require(
        workspace.text(of: "id.txt").split(separator: "\n").first { $0.hasPrefix("# public key: ") }
          .map { String($0.dropFirst(14)) })
    }
  }

  @Test("no list, table, filter or index has a former value or its path")
  func unlisted() throws {
    for words in [
      ["list"], ["list", "--json"], ["find", "es1"], ["find", "former"], ["show", "Mail"],
      ["show", "Mail", "--json"], ["show", "Mail", "--reveal"], ["show", "Mail", "--reveal", "--json"],
      ["due", "--older-than", "0s"], ["due", "--older-than", "0s", "--json"], ["status"], ["check"], ["verify"],
    ] {
      let outcome = workspace.run(
        words, adding: ["CVAULT_DIR": workspace.vault, "CVAULT_IDENTITY_FILE": workspace.identity])
      for secret in [FormerBench[0], FormerBench[1], "es1:"] {
        #expect(!(outcome.output + outcome.errors).contains(secret), "\(words): \(outcome.output)\(outcome.errors)")
      }
      if words[0] == "due" {
        #expect(outcome.output.ranges(of: "password").count == 1, "\(words): \(outcome.output)\(outcome.errors)")
      }
      if words[0] == "find" { #expect(!outcome.output.contains("Mail"), "\(words): \(outcome.output)") }
    }
    #expect(workspace.open("list", "--fields", "former").status == .inputRefused)
    workspace.prepare("! grep -rqE 'former|es1:' state/ home/")
  }

  @Test("due --leaver has each field once, however many former values it has")
  func leaver() throws {
    #expect(workspace.open("rekey", "--reseal").code == 0)
    let due = workspace.run("due", "--leaver", "--vault", "v", "--json")
    #expect(JSON(due.stdout)["due"]?.items?.count == 1, "\(due.output)")
    bench.requireSilent(due)
  }

  @Test("a changed, moved, dropped or repeated former value is damage")
  func verify() throws {
    let good = workspace.text(of: "v/" + file)
    let tokens = good.matches(of: /es1:[A-Za-z0-9+\/=_:-]+/).map { String($0.0) }
    try #require(tokens.count == 3)
    let both = "\"\(tokens[0])\",\n        \"\(tokens[1])\""
    for (old, new) in [
      ("\"\(tokens[0])\",", ""), (tokens[0], tokens[1]), ("\"password\" : [", "\"secrets.pin\" : ["),
      (both, "\"\(tokens[1])\",\n        \"\(tokens[0])\""), (tokens[1], tokens[2]),
    ] {
      try edit { $0.replacing(old, with: new, maxReplacements: 1) }
      for command in ["verify", "check"] { #expect(workspace.open(command).status == .damaged, "\(old)") }
      #expect(workspace.open("get", "Mail", "password", "--former").status == .damaged)
      _ = workspace.write(good, to: "v/" + file)
    }
    #expect(workspace.open("verify").code == 0)
  }

  @Test("lint names a former value without the form of a sealed one, of another record, or the same as the present one")
  func lint() throws {
    #expect(workspace.run("lint", "--vault", "v").code == 0)
    let good = workspace.text(of: "v/" + file)
    let added = workspace.open("add", "login", "Shop", "--secret-stdin", "password", input: "other-secret")
    #expect(added.code == 0)
    let foreign = try #require(
      workspace.text(of: "v/" + workspace.recordFile("Shop")).firstMatch(of: /es1:[A-Za-z0-9+\/=_:-]+/)
    ).0
    let list = try #require(good.firstRange(of: "\"former\""))
    let token = try #require(good[list.lowerBound...].firstMatch(of: /es1:[A-Za-z0-9+\/=_:-]+/)).0
    let present = try #require(good.firstMatch(of: /"password" : "(es1:[A-Za-z0-9+\/=_:-]+)/)).1
    for (new, reason) in [
      ("clear", "$vault.former"), (foreign, "$vault.former.password was sealed for another record"),
      (present, "$vault.former.password has the same sealed value as password"),
    ] {
      try edit { $0.replacing(token, with: new) }
      let outcome = workspace.run("lint", "--vault", "v")
      #expect(outcome.status == .findings)
      #expect(outcome.output.contains(reason), "\(outcome.output)")
      _ = workspace.write(good, to: "v/" + file)
    }
  }

  @Test("repair writes former values aside under their field, from a file that is JSON and from one that is not")
  func salvage() throws {
    let good = workspace.text(of: "v/" + file)
    let name = "salvaged-" + file.split(separator: "/").joined(separator: "-")
    try edit { $0.replacing("\"mac\" : \"", with: "\"mac\" : \"!") }
    let plan = workspace.open("repair", "--dry-run")
    #expect(plan.output.contains("1 sealed field and 2 former values still open"), "\(plan.output)")
    let repaired = workspace.open("repair", "--yes", "--aside", "kept")
    #expect(repaired.status == .partlyDone, "\(repaired.errors)")
    let document = JSON(workspace.text(of: "kept/" + name))
    #expect(document["fields"]?["password"]?.text == FormerBench[2])
    #expect(document["former"]?["password"]?.items?.map(\.text) == Self.former)
    #expect(document["opened"]?.items?.map(\.text) == ["password", "former password[0]", "former password[1]"])
    bench.requireSilent(plan)
    bench.requireSilent(repaired)
    _ = workspace.write(good.replacing("\n  \"password\"", with: "\n  \"password"), to: "v/" + file)
    #expect(workspace.open("repair", "--yes", "--aside", "torn").status == .partlyDone)
    let torn = JSON(workspace.text(of: "torn/" + name))["fields"]
    #expect(torn?["former password"]?.text == Self.former[0], "\(workspace.text(of: "torn/" + name))")
    #expect(torn?["former password'"]?.text == Self.former[1])
  }

  @Test(
    "accept refuses a record whose former values were changed by hand, and keeps those of any other",
    .enabled(if: GitBench.isThere))
  func accept() throws {
    bench.commit()
    let good = workspace.text(of: "v/" + file)
    try edit { $0.replacing("\"username\" : \"ada\"", with: "\"username\" : \"bob\"") }
    let edited = workspace.text(of: "v/" + file)
    let list = try #require(edited.firstRange(of: "\"former\""))
    let line = try #require(edited[list.lowerBound...].firstMatch(of: /\n *"es1:[A-Za-z0-9+\/=_:-]+",/)).0
    try edit { $0.replacing(line, with: "") }
    let refused = workspace.open("accept", "Mail", "--yes")
    #expect(refused.status == .damaged, "\(refused.errors)")
    #expect(refused.errors.contains("$vault.former"), "\(refused.errors)")
    _ = workspace.write(edited, to: "v/" + file)
    let accepted = workspace.open("accept", "Mail", "--yes")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(workspace.open("get", "Mail", "username").output == "bob")
    #expect(bench.all == Self.former)
    #expect(good != edited)
  }

  @Test("rekey keeps the bytes of former values, and --reseal seals them anew; both keep their order")
  func rotation() throws {
    func tokens() throws -> [String] {
      workspace.text(of: "v/" + file).matches(of: /es1:[A-Za-z0-9+\/=_:-]+/).map { String($0.0) }
    }
    let before = try tokens()
    #expect(workspace.open("rekey").code == 0)
    #expect(try tokens() == before)
    #expect(bench.all == Self.former)
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(try Set(tokens()).isDisjoint(with: before))
    #expect(bench.all == Self.former)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a removed record keeps its former values, and a reseal seals them anew there too")
  func trash() throws {
    #expect(workspace.open("remove", "Mail", "--yes").code == 0)
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("restore", "Mail").code == 0)
    #expect(bench.all == Self.former)
  }

  @Test(
    "a record from a backup keeps the values that it replaces as former ones, live or removed",
    arguments: [false, true])
  func backup(isRemoved: Bool) throws {
    FileTree.makeFolder(workspace.path + "/b")
    let made = workspace.open("backup", "create", "--to", "b", "--recipient", try recipient)
    try #require(made.code == 0, "\(made.errors)")
    try bench.seal("fourth-secret-44")
    if isRemoved { #expect(workspace.open("remove", "Mail", "--yes").code == 0) }
    let restored = workspace.run(
      "backup", "restore", String(made.output.dropLast()), "--to", "v", "--identity", "id.txt", "--yes", "--records",
      String(file.dropFirst("records/00/".count).dropLast(".json".count)))
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(workspace.open("get", "Mail", "password").output == FormerBench[2])
    #expect(Set(bench.all) == Set(Self.former + ["fourth-secret-44"]))
  }

  @Test("a field that a migration moves has the former values of its old name")
  func migration() throws {
    let sealed = #""type":"string","x-sealed":true"#
    _ = workspace.write(
      #"{"type":"object","properties":{"title":{"type":"string"},"code":{\#(sealed)}}}"#, to: "door.json")
    #expect(workspace.open("kinds", "add", "door.json").code == 0)
    #expect(workspace.open("add", "door", "title=Gate", "--secret-stdin", "code", input: FormerBench[0]).code == 0)
    try bench.seal(FormerBench[1], in: "Gate", at: "code")
    _ = workspace.write(
      #"{"type":"object","x-schema":2,"x-migrations":{"2":[{"move":"code","to":"lock.code"}]},"#
        + #""properties":{"title":{"type":"string"},"lock":{"type":"object","properties":{"code":{\#(sealed)}}}}}"#,
      to: "door.json")
    #expect(workspace.open("kinds", "add", "door.json").code == 0)
    for isMigrated in [false, true] {
      if isMigrated { #expect(workspace.open("migrate", "--yes").code == 0) }
      for name in ["lock.code", "code"] {
        #expect(bench.former(1, of: "Gate", name) == FormerBench[0], "\(name), migrated: \(isMigrated)")
      }
    }
    try bench.seal(FormerBench[2], in: "Gate", at: "lock.code")
    #expect(bench.former(1, of: "Gate", "lock.code") == FormerBench[1])
    #expect(bench.former(2, of: "Gate", "lock.code") == FormerBench[0])
    #expect(workspace.open("restore", "Gate", "lock.code", "--former", "2").code == 0)
    #expect(workspace.open("get", "Gate", "lock.code").output == FormerBench[0])
    #expect(workspace.open("verify").code == 0)
  }
}
