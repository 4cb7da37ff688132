import Testing
import VaultAge
import VaultCrypto
import VaultTestSupport

/// Identity files that are themselves sealed with a passphrase.
@Suite("Sealed identity files")
struct SealedIdentityTests {
  /// A vault that one identity opens, with one record. The identity is in `id.txt`, and sealed in `id.age`.
  struct Bench {
    let workspace: Workspace
    let scope: [String: String]
    static let words = "correct horse battery"

    init(armored: Bool = false, workFactor: Int = 10) throws {
      workspace = try Workspace.withVault()
      scope = ["XDG_RUNTIME_DIR": workspace.path, "CVAULT_DIR": workspace.vault]
      try #require(workspace.open("add", "customer", "--set", "name=Ada", "--generate", "access_key").code == 0)
      _ = workspace.write(Self.words + "\n", to: "words.txt")
      _ = workspace.write("other words\n", to: "wrong.txt")
      try seal(to: "id.age", armored: armored, workFactor: workFactor)
    }

    func seal(to name: String, armored: Bool = false, workFactor: Int = 10) throws {
      let plain = try #require(FileTree.contents(of: workspace.identity))
      let words = Array(Self.words.utf8)
      let sealed = try AgeFile.seal(
        RawSpan(_elements: plain.span), passphrase: RawSpan(_elements: words.span), workFactor: workFactor)
      FileTree.write(
        armored ? AgeArmor.encode(RawSpan(_elements: sealed.span)) : sealed, to: workspace.path + "/" + name)
    }

    func run(_ words: String..., input: String = "", adding: [String: String] = [:]) -> ProcessOutcome {
      workspace.run(words, input: input, adding: scope.merging(adding) { $1 })
    }

    func type(
      _ words: [String], _ answers: [(prompt: String, reply: String)], adding: [String: String] = [:]
    ) -> ProcessOutcome {
      workspace.type(words, answers, adding: scope.merging(adding) { $1 })
    }

    /// The usual place of the user's identity gets a file.
    func makeUsual(_ name: String) {
      workspace.prepare("mkdir -p -m 700 home/.config/cvault && cp \(name) home/.config/cvault/identity.txt")
    }
  }

  private static let get = ["get", "Ada", "name"]

  @Test("a sealed file opens the vault by each way of a passphrase, binary and armored", arguments: [false, true])
  func passphrases(_ armored: Bool) throws {
    let bench = try Bench(armored: armored)
    let given = ["get", "Ada", "name", "--identity", "id.age"]
    for words in [
      ["--passphrase-file", "words.txt"], ["--passphrase-command", "cat words.txt"], ["--passphrase-fd", "0"],
    ] {
      let run = bench.workspace.run(given + words, input: Bench.words + "\n", adding: bench.scope)
      #expect(run.output == "Ada", "\(words): \(run.errors)")
    }
    let variables = ["CVAULT_IDENTITY_FILE": "id.age", "CVAULT_PASSPHRASE_FILE": "words.txt"]
    #expect(bench.run("get", "Ada", "name", adding: variables).output == "Ada")
  }

  @Test(
    "what `age -p` seals is asked for at a terminal, binary and armored",
    .enabled(if: Need.command("age").isMet(forCases: 2, of: "identity files sealed by age")), .atTerminal,
    arguments: [[], ["-a"]])
  func sealedByAge(_ options: [String]) throws {
    let bench = try Bench()
    let made = ProcessRun.sealing(bench.workspace, ["-p", "-o", "by-age"] + options + ["id.txt"], Bench.words)
    try #require(made.code == 0, "\(made.shown)")
    let prompt = "Passphrase of by-age: "
    let opened = bench.type(
      Self.get + ["--identity", "by-age"], [(prompt, "wrong\n"), ("Try again.", Bench.words + "\n")])
    #expect(opened.output == "Ada", "\(opened.errors)\(opened.shown)")
    #expect(opened.shown.contains("That passphrase does not open the identity file. Try again."))
    #expect(!opened.shown.contains(Bench.words))
  }

  @Test("a wrong passphrase is 11 in one line that names the file")
  func wrongPassphrase() throws {
    let bench = try Bench()
    let run = bench.run("get", "Ada", "name", "--identity", "id.age", "--passphrase-file", "wrong.txt")
    #expect(run.status == .cannotUnlock)
    #expect(
      run.errorLines.first == "vault: id.age is sealed, and the passphrase of --passphrase-file does not open it")
    #expect(run.errorLines.count == 2, "\(run.errors)")
    #expect(!run.errors.contains("other words"))
  }

  @Test("three wrong passphrases at a terminal end with 11", .atTerminal)
  func threeAttempts() throws {
    let bench = try Bench()
    let prompt = "Passphrase of id.age: "
    let run = bench.type(Self.get + ["--identity", "id.age"], [(prompt, "a\n"), (prompt, "b\n"), (prompt, "c\n")])
    #expect(run.status == .cannotUnlock)
    #expect(run.errorLines == ["vault: id.age: no passphrase that you typed opens this identity file"])
  }

  @Test("without a terminal the error says what is missing", arguments: [[], ["--no-input"]])
  func noTerminal(_ options: [String]) throws {
    let bench = try Bench()
    let run = bench.workspace.run(Self.get + ["--identity", "id.age"] + options, adding: bench.scope)
    #expect(run.status == .cannotUnlock)
    #expect(
      run.errorLines.first == "vault: id.age is sealed with a passphrase, and there is no terminal to ask for it")
    #expect(run.errors.contains("--passphrase-file FILE"))
    let json = bench.run("get", "Ada", "name", "--identity", "id.age", "--json")
    #expect(json.errors.contains("passphrase_needed"), "\(json.errors)")
  }

  @Test("a passphrase beside a sealed file opens the file; beside another file it is a key of its own")
  func bothGiven() throws {
    let bench = try Bench()
    try #require(
      bench.run(
        "key", "add", "--passphrase", "--new-passphrase-file", "wrong.txt", "--work-factor", "10", "--identity",
        "id.txt"
      ).code == 0)
    // The passphrase of a slot is not tried on the slot, because it was for the file.
    let sealed = bench.run("get", "Ada", "name", "--identity", "id.age", "--passphrase-file", "wrong.txt")
    #expect(sealed.status == .cannotUnlock)
    #expect(bench.run("init", "other", "--generate-identity", "other.txt").code == 0)
    let plain = bench.run("get", "Ada", "name", "--identity", "other.txt", "--passphrase-file", "wrong.txt")
    #expect(plain.output == "Ada", "\(plain.errors)")
    // A file that opens, and has no slot, leaves nothing for the passphrase.
    bench.workspace.prepare("cp id.txt keep.txt; cp other.txt id.txt")
    try bench.seal(to: "other.age")
    let foreign = bench.run("get", "Ada", "name", "--identity", "other.age", "--passphrase-file", "words.txt")
    #expect(foreign.status == .cannotUnlock)
    #expect(foreign.errors.contains("other.age"), "\(foreign.errors)")
  }

  @Test("a file whose cost is above the limit is refused before anybody is asked", .atTerminal)
  func cost() throws {
    let bench = try Bench(workFactor: 12)
    let words = Self.get + ["--identity", "id.age", "--max-work-factor", "11"]
    let run = bench.type(words, [])
    #expect(run.status == .cannotUnlock)
    #expect(run.errorLines.first == "vault: id.age needs the work factor 12, but at most 11 is allowed")
    #expect(run.errors.contains("--max-work-factor 12"))
    #expect(!run.shown.contains("Passphrase"))
  }

  @Test("an identity file that is sealed to a recipient says so")
  func sealedToRecipient() throws {
    let bench = try Bench()
    let plain: [UInt8] = [1]
    let sealed = try AgeFile.seal(RawSpan(_elements: plain.span), to: [AgeIdentity.generate().recipient])
    FileTree.write(sealed, to: bench.workspace.path + "/for.age")
    let run = bench.run("get", "Ada", "name", "--identity", "for.age", "--passphrase-file", "words.txt")
    #expect(run.status == .cannotUnlock)
    #expect(
      run.errorLines.first
        == "vault: for.age: the identity file is sealed to recipients, not with a passphrase")
    #expect(run.errors.contains("--identity-command"))
  }

  @Test("a damaged sealed file is one line, whichever byte is damaged", arguments: [false, true])
  func damaged(_ armored: Bool) throws {
    let bench = try Bench(armored: armored)
    let whole = try #require(FileTree.contents(of: bench.workspace.path + "/id.age"))
    for index in stride(from: 0, to: whole.count, by: whole.count / 12) {
      for kind in ["cut", "changed"] {
        var bytes = whole
        if kind == "cut" { bytes.removeSubrange(index...) } else { bytes[index] ^= 0x01 }
        FileTree.write(bytes, to: bench.workspace.path + "/damaged.age")
        let run = bench.run("get", "Ada", "name", "--identity", "damaged.age", "--passphrase-file", "words.txt")
        #expect(run.status == .cannotUnlock, "\(kind) \(index): \(run.errors)")
        #expect(run.errorLines.filter { $0.hasPrefix("vault: ") }.count == 1, "\(kind) \(index): \(run.errors)")
        #expect(run.output == "")
      }
    }
  }

  @Test("unlock asks once; commands after it ask nothing, until lock", .atTerminal)
  func unlockedOnce() throws {
    let bench = try Bench()
    defer { _ = bench.run("lock") }
    let variable = ["CVAULT_IDENTITY_FILE": "id.age"]
    let unlocked = bench.type(["unlock"], [("Passphrase of id.age: ", Bench.words + "\n")], adding: variable)
    try #require(unlocked.code == 0, "\(unlocked.errors)\(unlocked.shown)")
    for words in [
      Self.get, ["set", "Ada", "address.city=Rome"], ["show", "Ada", "--reveal"], ["list", "--verify"],
      ["find", "Ada"],
    ] {
      let run = bench.type(words, [], adding: variable)
      #expect(run.code == 0, "\(words): \(run.errors)")
      #expect(!run.shown.contains("Passphrase"), "\(words)")
    }
    // The option names the key, so it is used.
    let named = bench.type(Self.get + ["--identity", "id.age"], [("Passphrase of id.age: ", Bench.words + "\n")])
    #expect(named.output == "Ada", "\(named.errors)")
    #expect(bench.run("lock").code == 0)
    #expect(bench.run("get", "Ada", "name", adding: variable).status == .cannotUnlock)
  }

  @Test("a command that works without a key does not ask for a sealed file in a variable", .atTerminal)
  func readableFieldsAskNothing() throws {
    let bench = try Bench()
    for words in [["show", "Ada"], ["list"], ["export"], ["status"], ["doctor"], ["log", "Ada", "--quiet"]] {
      let run = bench.type(words, [], adding: ["CVAULT_IDENTITY_FILE": "id.age"])
      #expect(!run.shown.contains("Passphrase of"), "\(words): \(run.shown)")
      #expect(!run.errors.contains("not unlocked"), "\(words): \(run.errors)")
    }
  }

  @Test("the user's own sealed identity is asked for; Enter leaves it to the passphrase of the vault", .atTerminal)
  func ownIdentity() throws {
    let bench = try Bench()
    bench.makeUsual("id.age")
    let path = bench.workspace.home + "/.config/cvault/identity.txt"
    let prompt = "Passphrase of \(path): "
    let opened = bench.type(Self.get, [(prompt, Bench.words + "\n")])
    #expect(opened.output == "Ada", "\(opened.errors)\(opened.shown)")
    let status = bench.type(["status"], [])
    #expect(
      status.output.contains("identity \(path), sealed with a passphrase (default identity)"), "\(status.output)")
    let added = bench.run(
      "key", "add", "--passphrase", "--new-passphrase-file", "wrong.txt", "--work-factor", "10", "--identity", "id.txt")
    try #require(added.code == 0)
    let skipped = bench.type(Self.get, [(prompt, "\n"), ("Passphrase of \(bench.workspace.vault): ", "other words\n")])
    #expect(skipped.output == "Ada", "\(skipped.errors)\(skipped.shown)")
    let alone = bench.run("get", "Ada", "name")
    #expect(alone.status == .cannotUnlock)
    #expect(alone.errors.contains("hint: \(path) is sealed: add --identity and --passphrase-file"), "\(alone.errors)")
  }

  @Test("status and doctor say that a file is sealed, and doctor compares it with the slots if it can be opened")
  func explained() throws {
    let bench = try Bench()
    let key = ["--identity", "id.age"]
    func said(_ words: [String]) -> String { bench.workspace.run(words, adding: bench.scope).output }
    #expect(said(["status"] + key).contains("identity id.age, sealed with a passphrase (--identity)"))
    bench.workspace.prepare("chmod 600 id.age")
    #expect(said(["doctor"] + key).contains("identity id.age, sealed with a passphrase (--identity)"))
    let opened = said(["doctor", "--passphrase-file", "words.txt"] + key)
    #expect(!opened.contains("no slot of the vault is for"), "\(opened)")
    #expect(bench.run("init", "other", "--generate-identity", "other.txt").code == 0)
    bench.workspace.prepare("cp other.txt id.txt")
    try bench.seal(to: "other.age")
    let foreign = said(["doctor", "--identity", "other.age", "--passphrase-file", "words.txt"])
    #expect(foreign.contains("no slot of the vault is for the identity in other.age (--identity)"), "\(foreign)")
  }

  @Test("over a set a sealed file is asked for once", .atTerminal)
  func overSet() throws {
    let bench = try SetBench()
    let plain = try #require(FileTree.contents(of: bench.path + "/ada.txt"))
    let words = Array("p".utf8)
    let sealed = try AgeFile.seal(
      RawSpan(_elements: plain.span), passphrase: RawSpan(_elements: words.span), workFactor: 10)
    FileTree.write(sealed, to: bench.path + "/ada.age")
    let run = bench.workspace.type(
      ["verify", "--everywhere"], [("Passphrase of ada.age: ", "p\n")],
      adding: ["CVAULT_IDENTITY_FILE": "ada.age", "CVAULT_STATE_DIR": bench.path + "/state-ada"])
    #expect(run.code == 0, "\(run.errors)\(run.shown)")
    #expect(run.shown.ranges(of: "Passphrase of").count == 1, "\(run.shown)")
    let listed = bench.run(["vaults", "list", "--json"], adding: ["CVAULT_IDENTITY_FILE": "ada.age"])
    #expect(JSON(listed.stdout)["vaults"]?[0]?["opens"]?.text == "passphrase", "\(listed.errors)")
  }

  @Test("a backup is made, proved and verified with a sealed identity")
  func backups() throws {
    let bench = try Bench()
    bench.workspace.prepare("mkdir -m 700 b")
    let key = ["--identity", "id.age", "--passphrase-file", "words.txt"]
    let made = bench.workspace.run(["backup", "create", "--to", "b", "-q"] + key, adding: bench.scope)
    try #require(made.code == 0, "\(made.errors)")
    let file = String(made.output.dropLast())
    let verified = bench.workspace.run(["backup", "verify", file, "--deep"] + key, adding: bench.scope)
    #expect(verified.code == 0, "\(verified.errors)")
    let refused = bench.run("backup", "create", "--to", "b", "--prove-with", "id.age", "--identity", "id.txt")
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errors.contains("id.age is sealed with a passphrase, and there is no terminal"))
  }
}

extension ProcessRun {
  /// Runs `age` at a terminal, at which a new passphrase is typed twice.
  fileprivate static func sealing(_ workspace: Workspace, _ words: [String], _ passphrase: String) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/usr/bin/age", arguments: words, environment: workspace.environment, directory: workspace.path)
    plan.terminal = [("Enter passphrase", passphrase + "\n"), ("Confirm passphrase", passphrase + "\n")]
    return plan.run()
  }
}
