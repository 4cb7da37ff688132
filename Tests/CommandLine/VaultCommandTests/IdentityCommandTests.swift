import Testing
import VaultTestSupport

/// Identities that a command prints.
@Suite("Identities from a command")
struct IdentityCommandTests {
  /// A vault that one identity opens, with one record.
  private struct Bench {
    let workspace: Workspace
    let scope: [String: String]

    init() throws {
      workspace = try Workspace.withVault()
      scope = ["XDG_RUNTIME_DIR": workspace.path, "CVAULT_DIR": workspace.vault]
      try #require(workspace.open("add", "customer", "--set", "name=Ada", "--generate", "access_key").code == 0)
    }

    func run(_ words: String..., adding: [String: String] = [:]) -> ProcessOutcome {
      workspace.run(words, adding: scope.merging(adding) { $1 })
    }

    func get(_ command: String) -> ProcessOutcome { run("get", "Ada", "name", "--identity-command", command) }

    /// How often the counting command ran.
    var count: Int { workspace.text(of: "count").split(separator: "\n").count }
    var counting: String { "echo run >>\(workspace.path)/count; cat \(workspace.identity)" }
  }

  @Test("the option and the variable open the vault, and the option comes first")
  func opens() throws {
    let bench = try Bench()
    #expect(bench.get("cat id.txt").output == "Ada")
    #expect(bench.get("tail -n 1 <id.txt").output == "Ada")
    #expect(bench.run("get", "Ada", "name", adding: ["CVAULT_IDENTITY_COMMAND": "cat id.txt"]).output == "Ada")
    let option = bench.run(
      "get", "Ada", "name", "--identity-command", "cat id.txt", adding: ["CVAULT_IDENTITY_COMMAND": "exit 7"])
    #expect(option.output == "Ada", "\(option.errors)")
    // A file is tried before the command, which then does not run.
    let file = bench.run("get", "Ada", "name", "--identity", "id.txt", "--identity-command", bench.counting)
    #expect(file.output == "Ada", "\(file.errors)")
    #expect(bench.count == 0)
    #expect(bench.run("init", "other", "--generate-identity", "other.txt").code == 0)
    let next = bench.run("get", "Ada", "name", "--identity", "other.txt", "--identity-command", bench.counting)
    #expect(next.output == "Ada", "\(next.errors)")
    #expect(bench.count == 1)
  }

  @Test("it is taken where an identity is taken: by writing commands, checks, backups, status and doctor")
  func everywhere() throws {
    let bench = try Bench()
    bench.workspace.prepare("mkdir -m 700 b")
    for words in [
      ["set", "Ada", "address.city=Rome"], ["verify"], ["check", "--deep"], ["checkpoint"],
      ["backup", "create", "--to", "b"], ["scan", "id.txt"], ["key", "add", "--generate-identity", "second.txt"],
      ["run", "--env", "A=cvault://Ada/access_key", "--", "true"],
    ] {
      let place = words.firstIndex(of: "--") ?? words.endIndex
      let key = ["--identity-command", "cat id.txt"]
      let run = bench.workspace.run(Array(words[..<place]) + key + words[place...], adding: bench.scope)
      #expect(run.code == 0, "\(words): \(run.errors)")
    }
    let status = bench.run("status", "--identity-command", bench.counting)
    #expect(status.output.contains("identity from a command (--identity-command)"), "\(status.output)")
    #expect(!status.output.contains("cat "))
    #expect(bench.count == 0)
    let verbose = bench.run("get", "Ada", "name", "-v", "--identity-command", "cat id.txt")
    #expect(verbose.errors.contains("note: key: identity from a command (--identity-command)\n"))
    let doctor = bench.run("doctor", "--identity-command", "cat id.txt")
    #expect(doctor.output.contains("identity from a command (--identity-command)"), "\(doctor.output)")
    #expect(bench.run("init", "other", "--generate-identity", "other.txt").code == 0)
    let foreign = bench.run("doctor", "--identity-command", "cat other.txt")
    #expect(
      foreign.output.contains("no slot of the vault is for the identity from a command (--identity-command)"),
      "\(foreign.output)")
  }

  @Test(
    "each failure is one line, with the exit status and nothing of the output",
    arguments: [
      ("echo canary; exit 7", "the command ended with exit status 7"),
      ("echo canary; kill -9 $$", "the command ended with exit status 137 (signal 9)"),
      ("no-such-program-canary 2>/dev/null", "the command ended with exit status 127"),
      ("exit 0", "the command printed nothing, but must print an identity file"),
      ("echo canary", "is not an identity file: in line 1, "),
      ("printf '# canary\\n'", "the file has no identity"),
      ("head -c 300000 /dev/zero", "is too large for an identity file: at most 256 KiB"),
      ("yes canary", "is too large for an identity file: at most 256 KiB"),
      ("printf 'age-encryption.org/v1\\ncanary'", ""),
      ("printf -- '-----BEGIN AGE ENCRYPTED FILE-----\\ncanary'", ""),
    ])
  func failures(_ command: String, _ reason: String) throws {
    let bench = try Bench()
    let run = bench.get(command)
    #expect(!run.hung)
    #expect([.cannotUnlock, .inputRefused].contains(run.status), "\(run.code)")
    #expect(run.errorLines.filter { $0.hasPrefix("vault: ") }.count == 1, "\(run.errors)")
    let begin = "vault: --identity-command" + (reason.hasPrefix("is ") ? " " : ": ") + reason
    #expect(reason.isEmpty || run.errorLines.contains { $0.hasPrefix(begin) }, "\(run.errors)")
    #expect(!(run.errors + run.output).contains("canary"), "\(run.errors)")
  }

  @Test("Ctrl-C ends a command that hangs", .atTerminal)
  func hangs() throws {
    let bench = try Bench()
    var plan = bench.workspace.plan(["get", "Ada", "name", "--identity-command", "echo begun >&2; exec sleep 600"])
    plan.environment.merge(bench.scope) { $1 }
    (plan.terminal, plan.errorsOnTerminal) = ([("begun", "\u{3}")], true)
    let run = plan.run()
    #expect(!run.hung)
    #expect(run.code == -2, "\(run)")
    #expect(run.output == "")
  }

  @Test("an identity in place of the command is refused and not shown")
  func identityInPlace() throws {
    let bench = try Bench()
    let identity = try #require(bench.workspace.text(of: "id.txt").split(separator: "\n").last.map(String.init))
    for run in [
      bench.get("echo \(identity)"), bench.run("get", "Ada", "name", adding: ["CVAULT_IDENTITY_COMMAND": identity]),
    ] {
      #expect(run.status == .usage)
      #expect(!(run.errors + run.output).contains(identity.dropFirst(20)))
      #expect(run.errors.contains("but must be a command that prints one"), "\(run.errors)")
    }
  }

  @Test("a sealed identity from a command is opened by a passphrase")
  func sealed() throws {
    let bench = try SealedIdentityTests.Bench(armored: true)
    let given = ["get", "Ada", "name", "--identity-command", "cat id.age"]
    let opened = bench.workspace.run(given + ["--passphrase-file", "words.txt"], adding: bench.scope)
    #expect(opened.output == "Ada", "\(opened.errors)")
    let refused = bench.workspace.run(given, adding: bench.scope)
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errors.contains("--identity-command is sealed with a passphrase"), "\(refused.errors)")
  }

  @Test("with an agent that holds the key, a command in a variable does not run")
  func agent() throws {
    let bench = try Bench()
    defer { _ = bench.run("lock") }
    let variable = ["CVAULT_IDENTITY_COMMAND": bench.counting]
    let unlocked = bench.run("unlock", adding: variable)
    try #require(unlocked.code == 0, "\(unlocked.errors)")
    #expect(bench.count == 1)
    for words in [["get", "Ada", "name"], ["set", "Ada", "address.city=Rome"], ["list", "--verify"]] {
      let run = bench.workspace.run(words, adding: bench.scope.merging(variable) { $1 })
      #expect(run.code == 0, "\(words): \(run.errors)")
    }
    #expect(bench.count == 1)
    // The key itself is not in the agent's gift.
    #expect(bench.run("checkpoint", adding: variable).code == 0)
    #expect(bench.count == 2)
    #expect(bench.run("lock").code == 0)
    #expect(bench.run("get", "Ada", "name", adding: variable).output == "Ada")
    #expect(bench.count == 3)
  }

  @Test("over a set the command runs once")
  func overSet() throws {
    let bench = try SetBench()
    let command = "echo run >>\(bench.path)/count; cat \(bench.path)/ada.txt"
    let run = bench.run(
      ["verify", "--everywhere"], adding: ["CVAULT_IDENTITY_FILE": "", "CVAULT_IDENTITY_COMMAND": command])
    #expect(run.code == 0, "\(run.errors)")
    #expect(bench.workspace.text(of: "count") == "run\n")
    let listed = bench.run(
      ["vaults", "list", "--json"], adding: ["CVAULT_IDENTITY_FILE": "", "CVAULT_IDENTITY_COMMAND": command])
    #expect(JSON(listed.stdout)["vaults"]?[0]?["opens"]?.text == "yes", "\(listed.errors)")
  }
}
