import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A workspace with age plugins in its PATH. Each name is the same program, which does what its name says
/// (`Tests/Fixtures/plugins/age-plugin-sample`).
private struct PluginBench {
  let workspace: Workspace
  /// Short waits, and the folder of the plugins.
  let scope: [String: String]

  init(_ names: String...) throws {
    workspace = try Workspace()
    let path = workspace.path
    scope = [
      "PATH": "\(path)/bin:/usr/bin:/bin", "CVAULT_PLUGIN_TIMEOUT": "2", "XDG_RUNTIME_DIR": path,
      "CVAULT_DIR": "\(path)/v",
    ]
    workspace.prepare("mkdir bin")
    for name in names {
      workspace.prepare(
        """
        ln -s \(OwnVectors.package)/Tests/Fixtures/plugins/age-plugin-sample bin/age-plugin-\(name)
        bin/age-plugin-\(name) ada >keys-\(name)
        tail -1 keys-\(name) >id-\(name)
        """)
    }
  }

  func recipient(_ name: String) -> String {
    String(workspace.text(of: "keys-\(name)").prefix { $0 != "\n" })
  }

  /// A vault with one record, for the recipient of a plugin.
  func makeVault(_ name: String) throws {
    let made = run("init", "v", "--recipient", recipient(name), adding: ["SAMPLE_BEHAVES": "1"])
    try #require(made.code == 0, "\(made.errors)")
  }

  func run(_ words: String..., adding: [String: String] = [:]) -> ProcessOutcome {
    workspace.run(words, adding: scope.merging(adding) { $1 })
  }

  func type(_ words: [String], _ answers: [(prompt: String, reply: String)]) -> ProcessOutcome {
    workspace.type(words, answers, adding: scope)
  }

  /// How often a plugin was run.
  var runCount: Int { workspace.text(of: "log").split(separator: "\n").count }
}

extension Need {
  fileprivate static let python = command("python3")
}

@Suite("Age plugins", .enabled(if: Need.python.isMet(forCases: 10, of: "age plugins")))
struct PluginTests {
  @Test("a plugin's recipient gets a slot, and its identity opens the vault")
  func sealsAndOpens() throws {
    let bench = try PluginBench("sample")
    try bench.makeVault("sample")
    let added = bench.run(
      "add", "login", "title=Ada", "--generate", "password", "--identity", "id-sample")
    #expect(added.code == 0, "\(added.errors)")
    #expect(bench.run("get", "Ada", "password", "--identity", "id-sample").output.utf8.count > 10)
    let listed = JSON(bench.run("key", "list", "--json", "--identity", "id-sample").stdout)
    #expect(listed["slots"]?.items?.first?["kind"]?.text == "plugin")
    #expect(listed["slots"]?.items?.first?["plugin"]?.text == "sample")
    #expect(listed["verified"]?.bool == true)
    #expect(bench.run("key", "list").output.contains("plugin sample"))
  }

  @Test("key add gives a plugin's recipient a slot beside an identity, and both open the vault")
  func addsSlot() throws {
    let bench = try PluginBench("sample")
    try #require(bench.run("init", "v", "--generate-identity", "own.txt").code == 0)
    let added = bench.run("key", "add", bench.recipient("sample"), "Ada's key", "--identity", "own.txt")
    #expect(added.code == 0, "\(added.errors)")
    for file in ["own.txt", "id-sample"] {
      #expect(bench.run("list", "--verify", "--identity", file).code == 0)
    }
    let rekeyed = bench.run("rekey", "--yes", "--identity", "id-sample")
    #expect(rekeyed.code == 0, "\(rekeyed.errors)")
    #expect(bench.run("list", "--verify", "--identity", "id-sample").code == 0)
  }

  @Test(
    "age opens the slot of a plugin with the same plugin",
    .enabled(if: Need.command("age").isMet(forCases: 1, of: "age")))
  func ageOpensSlot() throws {
    let bench = try PluginBench("sample")
    try bench.makeVault("sample")
    bench.workspace.prepare("PATH=$PWD/bin:$PATH age -d -i id-sample v/slots/*.age >payload")
    #expect(bench.workspace.text(of: "payload").hasPrefix("ecv-root 1\nvault "))
  }

  @Test("a backup is sealed to a plugin's recipient, and verified with its identity")
  func backups() throws {
    let bench = try PluginBench("sample")
    try bench.makeVault("sample")
    bench.workspace.prepare("mkdir b")
    let made = bench.run(
      "backup", "create", "--to", "b", "--recipient", bench.recipient("sample"), "--identity", "id-sample")
    #expect(made.code == 0, "\(made.errors)")
    let verified = bench.run("backup", "verify", made.output.trimmingNewline, "--identity", "id-sample")
    #expect(verified.code == 0, "\(verified.errors)")
  }

  @Test("a plugin's identity of somebody else opens nothing")
  func foreignIdentity() throws {
    let bench = try PluginBench("sample")
    try bench.makeVault("sample")
    bench.workspace.prepare("bin/age-plugin-sample bob | tail -1 >bob.txt")
    let refused = bench.run("list", "--verify", "--identity", "bob.txt")
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errorLines.first == "vault: bob.txt: no slot of the vault is for this identity")
  }

  @Test("a plugin that is not installed is named, and nothing is stored")
  func missing() throws {
    let bench = try PluginBench("sample")
    let recipient = bench.recipient("sample")
    bench.workspace.prepare("rm bin/age-plugin-sample")
    let refused = bench.run("init", "v", "--recipient", recipient)
    #expect(refused.status == .inputRefused)
    #expect(refused.errorLines.first == "vault: age-plugin-sample is needed, and is in no folder of the PATH")
    #expect(FileTree.names(in: bench.workspace.path + "/v").isEmpty)
  }

  @Test("a plugin in the present folder is not run, even if the PATH names it")
  func presentFolder() throws {
    let bench = try PluginBench("sample")
    bench.workspace.prepare("mv bin/age-plugin-sample .")
    let refused = bench.run(
      "init", "v", "--recipient", bench.recipient("sample"), adding: ["PATH": ".:/usr/bin:/bin"])
    #expect(refused.status == .inputRefused)
  }

  @Test(
    "a plugin that breaks the protocol is refused in one line, in either direction, and nothing is stored",
    arguments: [
      ("dies", "ended before it was done"), ("deaf", "does not answer for 2 seconds, and was ended"),
      ("silent", "does not answer for 2 seconds, and was ended"),
      ("orphan", "does not answer for 2 seconds, and was ended"),
      ("noise", "writes something that is not a message of the protocol"),
      ("long", "sends a message of more than 64 KiB"), ("flood", "sends a message of more than 64 KiB"),
      ("endless", "sends messages without end"), ("half", "ended before it was done"),
      ("codes", "says: \\u001b[31mred\\u001b[0m vault: all is well\\u0007"),
      ("refuses", "says: no key is plugged in"),
      ("badconfirm", "writes something that is not a message of the protocol"), ("quits", "ended before it was done"),
    ])
  func misbehaves(_ name: String, _ reason: String) throws {
    let bench = try PluginBench(name)
    let refused = bench.run("init", "v", "--recipient", bench.recipient(name), "-q")
    #expect(refused.status == .inputRefused)
    #expect(refused.errorLines == ["vault: age-plugin-\(name) \(reason)"], "\(refused.errors)")
    #expect(FileTree.names(in: bench.workspace.path + "/v").isEmpty)
    try bench.makeVault(name)
    let before = bench.workspace.snapshot()
    let closed = bench.run("list", "--verify", "--identity", "id-\(name)", "-q")
    #expect(closed.status == .cannotUnlock)
    #expect(closed.errorLines.first == "vault: id-\(name): age-plugin-\(name) \(reason)", "\(closed.errors)")
    #expect(bench.workspace.snapshot() == before)
    #expect(!closed.errors.contains("\u{1B}"))
    guard name == "orphan" else { return }
    // A killed process may still wait to be collected.
    let child = bench.workspace.text(of: "home/orphan")
    bench.workspace.prepare("test \"$(cut -d' ' -f3 /proc/\(child)/stat 2>/dev/null || echo Z)\" = Z")
  }

  @Test(
    "a plugin whose result is wrong is refused",
    arguments: [
      ("idle", "is done, but has wrapped no key"), ("labels", "sends its labels twice"),
      ("native", "sends a stanza for a passphrase"), ("other", "sends a stanza for another file"),
    ])
  func sealsWrongly(_ name: String, _ reason: String) throws {
    let bench = try PluginBench(name)
    let refused = bench.run("init", "v", "--recipient", bench.recipient(name))
    #expect(refused.errorLines.first == "vault: age-plugin-\(name) \(reason)", "\(refused.errors)")
    #expect(FileTree.names(in: bench.workspace.path + "/v").isEmpty)
  }

  @Test("a slot file with several stanzas, or above 4 KiB, is not stored")
  func unreadableSlot() throws {
    let bench = try PluginBench("twice", "large")
    for (name, reason) in [("twice", "must have exactly one recipient"), ("large", "is larger than 4 KiB")] {
      let refused = bench.run("init", "v", "--recipient", bench.recipient(name))
      #expect(refused.errorLines.first == "vault: the plugin made a slot that \(reason)", "\(refused.errors)")
    }
  }

  @Test(
    "a plugin whose key is wrong opens nothing",
    arguments: ["short", "wrong", "foreign", "doubled"])
  func opensWrongly(_ name: String) throws {
    let bench = try PluginBench(name)
    try bench.makeVault(name)
    let refused = bench.run("list", "--verify", "--identity", "id-\(name)")
    #expect(refused.status == (name == "wrong" ? .damaged : .cannotUnlock), "\(refused.errors)")
  }

  @Test("a plugin that is late, and one that sends unknown commands, open the vault", arguments: ["late", "grease"])
  func tolerated(_ name: String) throws {
    let bench = try PluginBench(name)
    try bench.makeVault(name)
    #expect(bench.run("list", "--verify", "--identity", "id-\(name)").code == 0)
  }

  @Test("a plugin that keeps its recipients apart is not combined with others")
  func labels() throws {
    let bench = try PluginBench("alone")
    try #require(bench.run("init", "v", "--generate-identity", "own.txt").code == 0)
    let own = String(bench.workspace.text(of: "own.txt").split(separator: "\n")[1].dropFirst("# public key: ".count))
    bench.workspace.prepare("mkdir b")
    let refused = bench.run(
      "backup", "create", "--to", "b", "--recipient", own, "--recipient", bench.recipient("alone"), "--identity",
      "own.txt")
    #expect(refused.code != 0)
    #expect(refused.errors.contains("cannot be combined"), "\(refused.errors)")
  }

  @Test("without a terminal a question of a plugin is refused in words", arguments: ["ask", "public", "pin"])
  func unanswered(_ name: String) throws {
    let bench = try PluginBench(name)
    let refused = bench.run("init", "v", "--recipient", bench.recipient(name))
    #expect(
      refused.errors.contains("age-plugin-\(name) asks for something, and nobody can answer"), "\(refused.errors)")
  }

  @Test("a command that needs no key does not run the plugin of a variable, and says so")
  func unasked() throws {
    let bench = try PluginBench("sample")
    try bench.makeVault("sample")
    let log = ["CVAULT_IDENTITY_FILE": "id-sample", "SAMPLE_LOG": bench.workspace.path + "/log"]
    let shown = bench.run("list", adding: log)
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(bench.run("key", "list", adding: log).code == 0)
    #expect(bench.runCount == 0)
    #expect(bench.run("list", "--verify", adding: log).code == 0)
    #expect(bench.runCount == 1)
  }
}

@Suite(
  "Age plugins at a terminal", .atTerminal,
  .enabled(if: Need.python.isMet(forCases: 3, of: "age plugins at a terminal")))
struct PluginTerminalTests {
  @Test("a PIN is asked for without being shown, and a wrong one opens nothing")
  func pin() throws {
    let bench = try PluginBench("pin")
    let made = bench.type(
      ["init", "v", "--recipient", bench.recipient("pin")], [("age-plugin-pin: PIN of the key: ", "0042\n")])
    try #require(made.code == 0, "\(made.errors)\(made.shown)")
    #expect(!made.shown.contains("0042"))
    let refused = bench.type(
      ["list", "--verify", "--identity", "id-pin"], [("age-plugin-pin: PIN of the key: ", "1111\n")])
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errors.contains("age-plugin-pin says: the PIN is wrong"), "\(refused.errors)")
  }

  @Test("a choice and a text are asked for, and a message is shown")
  func questions() throws {
    let bench = try PluginBench("ask", "public", "touch")
    let asked = bench.type(
      ["init", "v", "--recipient", bench.recipient("ask")], [("[1: plug it in, 2: skip] ", "1\n")])
    #expect(asked.code == 0, "\(asked.errors)\(asked.shown)")
    let typed = bench.type(["init", "w", "--recipient", bench.recipient("public")], [("Which slot?: ", "nine\n")])
    #expect(typed.code == 0, "\(typed.errors)\(typed.shown)")
    let shown = bench.type(["init", "x", "--recipient", bench.recipient("touch")], [])
    #expect(shown.shown.contains("age-plugin-touch: touch the key"), "\(shown.shown)")
  }

  @Test("unlock runs the plugin once; twenty commands after it do not, and lock ends that")
  func unlocksOnce() throws {
    let bench = try PluginBench("pin")
    try #require(
      bench.type(["init", "v", "--recipient", bench.recipient("pin")], [("PIN of the key: ", "0042\n")]).code == 0)
    defer { _ = bench.run("lock") }
    let unlocked = bench.type(["unlock", "--identity", "id-pin"], [("PIN of the key: ", "0042\n")])
    try #require(unlocked.code == 0, "\(unlocked.errors)\(unlocked.shown)")
    let scope = ["CVAULT_IDENTITY_FILE": "id-pin", "SAMPLE_LOG": bench.workspace.path + "/log"]
    for number in 0..<20 {
      let added = bench.run("add", "login", "title=\(number)", "--generate", "password", adding: scope)
      #expect(added.code == 0, "\(added.errors)")
    }
    #expect(bench.runCount == 0)
    #expect(bench.run("lock").code == 0)
    #expect(bench.run("get", "0", "password", adding: scope).status == .cannotUnlock)
    #expect(bench.runCount == 1)
  }
}
