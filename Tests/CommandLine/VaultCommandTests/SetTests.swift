import Testing
import VaultTestSupport

@Suite("Sets of vaults")
struct SetTests {
  @Test("a vault gets a name once, with its place from the folder of the file on; the vault stays when it loses it")
  func file() throws {
    let bench = try SetBench()
    let id = try bench.vaultID("ops")
    let text = bench.workspace.text(of: "vaults.json")
    #expect(text.contains("{\n      \"id\" : \"\(id)\",\n      \"name\" : \"ops\",\n      \"place\" : \"ops\"\n    }"))
    #expect(bench.run(["vaults", "add", "OPS", "finance"]).status == .alreadyExists, "a name in other case")
    #expect(bench.run(["vaults", "add", "again", "ops"]).status == .alreadyExists, "a vault that has a name")
    #expect(bench.run(["vaults", "add", "a:b", "own-ada"]).status == .usage)
    #expect(bench.run(["vaults", "add", "none", "nowhere"]).status == .noVault)
    #expect(bench.run(["vaults", "add", "inner", "own-ada", "--vaults", "ops/vaults.json"]).status == .inputRefused)
    #expect(bench.workspace.text(of: "vaults.json") == text)
    bench.workspace.prepare("mkdir deep")
    let deep = bench.run(["vaults", "add", "own", "own-ada", "--vaults", "deep/vaults.json"])
    #expect(deep.code == 0, "\(deep.errors)")
    #expect(bench.workspace.text(of: "deep/vaults.json").contains("\"place\" : \"../own-ada\""))
    #expect(bench.run(["list", "--vaults", "deep/vaults.json", "--in", "own"]).code == 0)
    #expect(bench.run(["vaults", "remove", "ops"]).code == 0)
    #expect(bench.run(["list", "--in", "ops"]).status == .notFound)
    #expect(bench.run(["list", "--vault", "ops"]).code == 0)
  }

  @Test("a set that is a FIFO, a device or a folder is refused at once", arguments: ["fifo", "/dev/zero", "ops"])
  func irregularFile(_ path: String) throws {
    let bench = try SetBench()
    bench.workspace.prepare("mkfifo fifo")
    let named = bench.run(["list", "--in", "ops", "--vaults", path])
    #expect(named.status == .inputOutput, "\(named.errors)")
    #expect(named.errors.hasPrefix("vault: \(path) is not a regular file"), "\(named.errors)")
  }

  @Test("the list says of each vault how many records it has, whether a key of mine opens it, and who has one")
  func list() throws {
    let bench = try SetBench()
    let shown = bench.run(["vaults", "list"], as: "cleo")
    let rows = shown.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(rows.map(\.first) == ["contractors", "finance", "ops"], "\(shown.errors)")
    #expect(rows.map { $0[2] + $0[3] } == ["1yes", "1no", "1no"])
    #expect(shown.output.contains("contractors  ada, bob, cleo\n"))
    bench.workspace.prepare("mv finance gone")
    let broken = bench.run(["vaults", "list", "--json"])
    let vaults = JSON(broken.stdout)["vaults"]?.items ?? []
    #expect(broken.status == .partlyDone)
    #expect(vaults[1]["fault"]?.text == "not_a_vault")
    #expect(vaults[1]["opens"] == .null)
    #expect(vaults[2]["opens"]?.text == "yes")
    #expect(vaults[2]["state"]?.text == "accepted")
  }

  @Test("--in and NAME:RECORD name one vault; a word whose beginning is no name is the record's own")
  func names() throws {
    let bench = try SetBench()
    let password = bench.run(["get", "ops mail", "password", "--in", "ops"])
    #expect(password.code == 0)
    #expect(password.output.utf8.count == 24)
    #expect(bench.run(["get", "ops:ops mail", "password"]).stdout == password.stdout)
    #expect(bench.run(["--in", "ops", "get", "ops mail", "password"]).stdout == password.stdout)
    #expect(bench.run(["set", "ops:ops mail", "username=root"]).code == 0)
    #expect(bench.run(["get", "ops mail", "username", "--vault", "ops"]).output == "root")
    let unknown = bench.run(["list", "--in", "opps"])
    #expect(unknown.status == .notFound, "\(unknown.errors)")
    #expect(unknown.errors.contains("did you mean `ops`?"), "\(unknown.errors)")
    #expect(bench.run(["list", "--in", "ops", "--vault", "finance"]).status == .usage)
    #expect(bench.run(["get", "x", "password", "--in", "ops", "--in", "finance"]).status == .usage)
    #expect(bench.run(["list", "--vaults", "vaults.json"]).status == .usage, "a set alone says nothing")
    #expect(bench.run(["remove", "ops:ops mail", "finance:finance mail", "--yes"]).status == .usage)
    let added = bench.run(["add", "login", "finance:x", "--generate", "password", "--in", "ops"])
    #expect(added.code == 0)
    #expect(
      bench.run(["get", "finance:x", "title", "--in", "ops"]).output == "finance:x", "with --in the word is whole")
    #expect(bench.run(["get", "finance:x", "title"]).status == .notFound)
    #expect(bench.run(["get", "other:x", "title", "--vault", "ops"]).status == .notFound)
    let other = bench.run(["get", "other:x", "title"])
    #expect(other.status == .notFound, "\(other.errors)")
    #expect(other.errors.hasPrefix("vault: other is not a vault of "), "\(other.errors)")
  }

  @Test("exchanged places, exchanged vaults and another vault at a place are 16 before a key is used, until accepted")
  func misdirection() throws {
    let bench = try SetBench()
    let (ops, contractors) = (try bench.vaultID("ops"), try bench.vaultID("contractors"))
    let whole = bench.workspace.text(of: "vaults.json")
    func swapped(_ text: String, _ one: String, _ other: String) -> String {
      text.replacing(one, with: "#").replacing(other, with: one).replacing("#", with: other)
    }
    let places = swapped(whole, "\"place\" : \"ops\"", "\"place\" : \"contractors\"")
    let both = swapped(places, ops, contractors)
    func add() -> ProcessOutcome { bench.run(["add", "login", "Secret", "--generate", "password", "--in", "ops"]) }
    for (text, reason) in [
      (places, "the place of this name holds another vault than the set says"),
      (both, "the name means another vault than this machine knows"),
    ] {
      bench.edit { _ in text }
      let refused = add()
      #expect(refused.status == .unexpectedVault, "\(reason): \(refused.errors)")
      #expect(refused.stdout.isEmpty, "\(reason): \(refused.errors)")
      #expect(refused.errorLines.first?.contains(reason) == true, "\(refused.errors)")
      #expect(bench.run(["list", "--in", "ops"]).status == .unexpectedVault, "nor without a key")
      let listed = bench.run(["vaults", "list"])
      #expect(listed.status == .unexpectedVault, "\(listed.errors)")
      #expect(listed.errors.contains(reason), "\(listed.errors)")
    }
    // By another way to the file it is the same set.
    bench.workspace.prepare("ln -s vaults.json link.json")
    #expect(bench.run(["list", "--vaults", "link.json", "--in", "ops"]).status == .unexpectedVault)
    #expect(bench.run(["vaults", "accept", "ops"]).status == .declined)
    let accepted = bench.run(["vaults", "accept", "ops", "--yes"])
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(add().code == 0)
    #expect(bench.names(in: "contractors").contains("Secret"))
    #expect(bench.run(["list", "--in", "contractors"]).status == .unexpectedVault, "one name was accepted")
    bench.edit { _ in whole }
    #expect(add().status == .unexpectedVault, "what was accepted counts")
    #expect(bench.run(["vaults", "accept", "--yes"]).code == 0)
    bench.workspace.prepare("mv finance away; ln -s contractors finance")
    #expect(bench.run(["list", "--in", "finance"]).status == .unexpectedVault, "a link to another vault")
  }

  @Test("another vault in the folder of an accepted name cannot be accepted, and the hint names the way")
  func replaced() throws {
    let bench = try SetBench()
    bench.workspace.prepare("mv finance away; mv contractors finance")
    let refused = bench.run(["vaults", "accept", "finance"])
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    let hint = "`vault vaults remove finance`, then `vault vaults add finance DIR`"
    #expect(refused.errors.contains(hint), "\(refused.errors)")
  }

  @Test("what a set that was only found means is asked about before anything is written, and reading answers nothing")
  func found() throws {
    let bench = try SetBench()
    let fresh = ["CVAULT_STATE_DIR": bench.path + "/fresh"]
    let words = ["add", "login", "New", "--generate", "password", "--in", "ops"]
    #expect(bench.run(["list", "--in", "ops"], adding: fresh).code == 0)
    #expect(bench.run(["get", "ops:ops mail", "password"], adding: fresh).code == 0)
    let refused = bench.run(words, adding: fresh)
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    #expect(refused.errors.contains("`vault vaults accept ops`"), "\(refused.errors)")
    // The vault was named, the name was not.
    #expect(bench.run(["set", "ops mail", "username=x", "--vault", "ops"], adding: fresh).code == 0)
    #expect(bench.run(words, adding: fresh).status == .unexpectedVault)
    #expect(bench.run(words + ["--vaults", "vaults.json"], adding: fresh).code == 0, "a set that is named")
    #expect(bench.run(words, adding: fresh).code == 0, "and is remembered")
    #expect(
      bench.run(["add", "login", "N", "--generate", "password", "--in", "finance"], adding: fresh).status
        == .unexpectedVault)
    #expect(bench.run(["vaults", "accept", "finance", "--yes"], adding: fresh).code == 0)
    #expect(bench.run(["add", "login", "N", "--generate", "password", "--in", "finance"], adding: fresh).code == 0)
  }

  @Test("an address is not connected to before it was accepted on this machine, and one with a password is no place")
  func addresses() throws {
    let bench = try SetBench()
    bench.edit { $0.replacing("\"place\" : \"ops\"", with: "\"place\" : \"postgresql://127.0.0.1:1/db?vault=ops\"") }
    let refused = bench.run(["list", "--in", "ops"])
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    #expect(refused.errors.contains("nobody has accepted"), "\(refused.errors)")
    #expect(bench.run(["vaults", "accept", "ops"]).status == .declined)
    #expect(bench.run(["list", "--everywhere"]).status == .unexpectedVault)
    bench.edit { $0.replacing("postgresql://127", with: "postgresql://ops:hunter2@127") }
    let secret = bench.run(["list", "--in", "contractors"])
    #expect(secret.status == .inputRefused, "\(secret.errors)")
    #expect(!secret.errors.contains("hunter2"), "\(secret.errors)")
  }

  @Test("of nested sets the nearer one counts, a vault may be in two, and a folder with a set in it is no vault")
  func nested() throws {
    let bench = try SetBench()
    bench.workspace.prepare("mkdir inner")
    #expect(bench.run(["vaults", "add", "mine", "ops", "--vaults", "inner/vaults.json"]).code == 0)
    var plan = bench.workspace.plan(["vaults", "list"])
    plan.directory = bench.path + "/inner"
    #expect(plan.run().output.hasPrefix("mine  "))
    #expect(bench.run(["get", "mine:ops mail", "username", "--vaults", "inner/vaults.json"]).output == "ops")
    bench.edit { $0.replacing("\"place\" : \"finance\"", with: "\"place\" : \"inner\"") }
    let refused = bench.run(["list", "--in", "finance"])
    #expect(refused.status == .noVault, "\(refused.errors)")
    #expect(refused.errors.contains("has no vault.json"), "\(refused.errors)")
  }

  @Test("names of vaults are completed behind --in and before a colon, and records behind that")
  func completion() throws {
    let bench = try SetBench()
    func words(_ typed: String...) -> [String] {
      bench.run(["complete", "zsh"] + typed).output.split(separator: "\n").map(String.init)
    }
    #expect(words("list", "--in", "o") == ["ops"])
    #expect(words("vaults", "accept", "f") == ["finance"])
    #expect(words("get", "fin") == ["finance:"])
    #expect(words("get", "ops:op") == ["ops:ops mail"])
    #expect(words("get", "--in", "ops", "o") == ["ops mail"])
    #expect(words("get", "ops:ops mail", "us") == ["username"])
  }

  @Test("who was given a key since this machine last wrote to a vault is told before it is written to again")
  func readers() throws {
    let bench = try SetBench()
    let words = ["set", "ops:ops mail", "username=one"]
    #expect(bench.run(words).errors.isEmpty)
    #expect(bench.run(["key", "add", try bench.recipient("cleo"), "cleo", "--vault", "ops"], as: "bob").code == 0)
    // Reading tells of it as well, and does not count.
    #expect(bench.run(["get", "ops:ops mail", "username"]).errors.contains("a slot was added"))
    let told = bench.run(["set", "ops:ops mail", "username=two"])
    #expect(told.code == 0, "\(told.errors)")
    #expect(
      told.errors.contains("these keys were added to ops since this machine last wrote to it: \"cleo\""),
      "\(told.errors)")
    #expect(bench.run(["set", "ops:ops mail", "username=three"]).errors.isEmpty)
    // People whom this machine itself added are not reported.
    #expect(bench.run(["key", "add", "--generate-identity", "phone.txt", "--in", "ops"]).code == 0)
    #expect(bench.run(["set", "ops:ops mail", "username=four"]).errors.isEmpty)
  }
}
