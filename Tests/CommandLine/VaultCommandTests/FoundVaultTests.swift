import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The use of a found vault by each command; this is the only list.
private enum Use {
  /// It writes, as with these words.
  case writes([[String]])
  /// It uses a key and writes nothing to the vault.
  case reads([[String]])
  /// It needs no key, is told its vault, or has none.
  case neither
}

private let uses: [String: Use] = [
  "accept": .writes([["Ada"]]), "agent run": .reads([["--for", "1s"]]), "agent status": .neither,
  "agent stop": .neither, "add": .writes([["secure-note", "--set", "title=t"]]),
  "attach": .writes([["Ada", "../../one.env"]]), "attachments": .neither, "detach": .writes([["Ada", "one.env"]]),
  "backup create": .writes([["--to", "../.."]]), "backup list": .neither, "backup prune": .neither,
  "backup restore": .neither, "backup status": .neither, "backup verify": .neither,
  "check": .neither, "clear-clipboard": .neither, "completion": .neither,
  "checkpoint": .writes([[], ["--accept-rollback"]]), "diff": .neither, "doctor": .neither, "due": .neither,
  "deposit": .writes([["secure-note", "--set", "title=t"]]), "inbox accept": .writes([["--all"]]),
  "inbox drop": .writes([["--all"]]), "inbox enable": .writes([[]]), "inbox list": .reads([[]]),
  "inbox signers": .writes([["--clear"]]),
  "credential ansible": .neither, "credential aws": .neither, "credential docker": .neither,
  "credential git": .neither, "edit": .writes([["Ada"], ["Ada", "--field", "name"]]),
  "export": .reads([["--reveal", "--format", "json"]]),
  "find": .neither, "fingerprint": .neither, "git check": .neither, "git hook": .neither, "git merge-driver": .neither,
  "git setup": .writes([[]]), "git textconv": .neither, "generate": .neither,
  "copy": .reads([["Ada", "name", "--via", "x11"]]),
  "inject": .reads([["-i", "../../one.env"]]), "otp": .reads([["Ada", "name"]]), "get": .reads([["Ada", "name"]]),
  "import": .writes([["jsonl", "../../one.jsonl", "--kind", "secure-note"], ["auto", "../../one.env"]]),
  "init": .neither, "kinds add": .writes([["../../kind.json", "--name", "k"]]), "kinds list": .neither,
  "kinds show": .neither, "lint": .writes([["--fix"]]), "list": .neither, "lock": .neither, "log": .neither,
  "merge": .writes([["--continue"], ["HEAD"]]), "migrate": .writes([[]]),
  "move": .writes([["Ada", "--to", "other"]]), "vaults accept": .neither, "vaults add": .neither,
  "vaults check": .neither, "vaults list": .neither, "vaults remove": .neither,
  "pin update": .neither, "pin forget": .neither, "pin show": .neither, "remove": .writes([["Ada"]]),
  "forget": .writes([["Ada"]]), "repair": .writes([[]]), "restore": .writes([["Ada"], ["Ada@1"]]), "ref": .neither,
  "refs": .neither,
  "scan": .reads([["../../one.env"]]), "audit": .reads([[]]), "uses": .neither,
  "rekey": .writes([[], ["--reseal"]]), "run": .reads([[]]), "set": .writes([["Ada", "address.city=Oslo"]]),
  "show": .reads([["Ada", "--reveal"]]), "key add": .writes([["--generate-identity", "../../new.txt"]]),
  "key change-passphrase": .writes([[]]), "key list": .neither, "key remove": .writes([["none"]]),
  "key sheet": .writes([[]]),
  "ssh add": .reads([["Ada"]]), "ssh remove": .neither, "status": .neither,
  "store check": .neither, "store copy": .neither, "store sql": .neither, "trash empty": .writes([[], ["Ada"]]),
  "trash list": .neither,
  "trash restore": .writes([["Ada"]]), "unlock": .reads([["--for", "1s"]]),
  "unset": .writes([["Ada", "address.city"]]),
  "verify": .reads([[]]),
]

@Suite("A vault that was only found")
struct FoundVaultTests {
  /// A vault with one record in a folder of its own, and nothing remembered of it; commands run from inside it.
  private struct Bench {
    let workspace: Workspace
    var folder: String { workspace.path + "/place/v" }

    init() throws {
      workspace = try Workspace()
      let (path, vault) = (workspace.path, "place/v")
      unsafe try #require(mkdir(path + "/place", 0o755) == 0)
      try #require(workspace.run("init", vault, "--generate-identity", "id.txt").code == 0)
      let added = workspace.run(
        "add", "customer", "--set", "name=Ada", "--generate", "access_key", "--vault", vault, "--identity", "id.txt")
      try #require(added.code == 0, "\(added.errors)")
      _ = workspace.write("{\"title\":\"one\",\"text\":\"two\"}\n", to: "one.jsonl")
      _ = workspace.write("ONE=two\n", to: "one.env")
      _ = workspace.write("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", to: "kind.json")
      try #require(workspace.run("pin", "forget", "--vault", vault).code == 0)
    }

    func plan(_ words: [String]) -> ProcessRun {
      var plan = workspace.plan(words)
      plan.directory = folder
      return plan
    }

    func run(_ words: [String], adding: [String: String] = [:]) -> ProcessOutcome {
      var plan = plan(words)
      plan.environment.merge(adding) { $1 }
      return plan.run()
    }

    func withKey(_ words: [String]) -> ProcessOutcome { run(words + ["--identity", workspace.identity]) }

    var snapshot: FolderState { FolderState(below: folder) }

    func pin(_ member: String) -> JSON? { JSON(run(["pin", "show", "--json"]).stdout)[member] }
  }

  /// The names of all commands that have no subcommands, as the program lists them.
  private func allCommands() throws -> Set<String> {
    func names(_ command: JSON, _ path: [String]) -> [String] {
      let name = command["commandName"]?.text ?? ""
      guard name != "help" else { return [] }
      let subcommands = (command["subcommands"]?.items ?? []).filter { $0["commandName"]?.text != "help" }
      return subcommands.isEmpty
        ? [(path + [name]).joined(separator: " ")]
        : subcommands.flatMap { names($0, path.isEmpty && name == "vault" ? [] : path + [name]) }
    }
    let root = try #require(JSON(Workspace().run("--experimental-dump-help").stdout)["command"])
    return Set(names(root, []))
  }

  @Test("every command that writes refuses it unasked, also after it was read with a key, and changes no byte")
  func writing() throws {
    #expect(try allCommands() == Set(uses.keys), "each command says here whether it writes")
    let bench = try Bench()
    let read = bench.withKey(["get", "Ada", "name"])
    #expect(read.code == 0, "\(read.errors)")
    #expect(read.output == "Ada", "\(read.errors)")
    #expect(bench.pin("pin")?.text == "pinned")
    let before = bench.snapshot
    for (command, use) in uses.sorted(by: { $0.key < $1.key }) {
      guard case .writes(let variants) = use else { continue }
      for words in variants {
        // The form is checked without a key, and a depositor has none.
        let key = ["lint", "git setup", "deposit"].contains(command) ? [] : ["--identity", bench.workspace.identity]
        let outcome = bench.run(command.split(separator: " ").map(String.init) + words + ["-y"] + key)
        // Without a terminal an editor is not even thought of.
        let (code, reason): (Int32, String) =
          command == "edit"
          ? (3, "there is no terminal for the editor") : (16, "was found by searching and never named on this machine")
        #expect(outcome.code == code, "\(command) \(words): \(outcome.errors)")
        #expect(outcome.stdout.isEmpty, "\(command) \(words): \(outcome.errors)")
        #expect(outcome.errors.contains(reason), "\(command)")
      }
    }
    #expect(bench.snapshot == before)
    #expect(FileTree.names(in: bench.workspace.path).allSatisfy { !$0.hasSuffix(".age") && $0 != "new.txt" })
  }

  @Test("what only looks is not asked about, a dry run either")
  func looking() throws {
    let bench = try Bench()
    for words in [
      ["list"], ["show", "Ada"], ["find", "Ada"], ["status"], ["fingerprint"], ["lint"], ["trash", "list"], ["doctor"],
    ] {
      let outcome = bench.run(words)
      #expect(outcome.code == 0 || words == ["doctor"] && outcome.status == .findings, "\(words): \(outcome.errors)")
    }
    for words in [
      ["verify"], ["export", "--reveal", "-y"], ["rekey", "--dry-run"], ["migrate", "--dry-run"],
      ["repair", "--dry-run"], ["import", "auto", "../../one.env", "--dry-run"],
    ] {
      let outcome = bench.withKey(words)
      #expect(outcome.code == 0, "\(words): \(outcome.errors)")
    }
  }

  @Test("a name, a fingerprint and a yes are each remembered, and reading by any of them counts")
  func naming() throws {
    let set = ["set", "Ada", "address.city=Oslo"]
    for answer in ["--vault", "CVAULT_DIR", "CVAULT_FINGERPRINT", "pin update", "yes"] {
      let bench = try Bench()
      #expect(bench.withKey(["get", "Ada", "name"]).code == 0)
      #expect(bench.pin("named") == .bool(false))
      let fingerprint = String(bench.run(["fingerprint"]).output.dropLast())
      let key = ["--identity", bench.workspace.identity]
      switch answer {
      case "--vault": #expect(bench.withKey(["get", "Ada", "name", "--vault", "."]).code == 0)
      case "pin update": #expect(bench.run(["pin", "update", "--fingerprint", fingerprint]).code == 0)
      case "yes":
        var plan = bench.plan(set + key)
        for (reply, code) in [("n\n", Int32(3)), ("y\n", 0)] {
          plan.terminal = [("Read and write it from now on? [y/N] ", reply)]
          let asked = plan.run()
          #expect(asked.code == code, "\(asked.errors)\(asked.shown)")
          #expect(asked.shown.contains(fingerprint))
        }
      default:
        let value = answer == "CVAULT_DIR" ? "." : fingerprint
        #expect(bench.run(["get", "Ada", "name"] + key, adding: [answer: value]).code == 0)
      }
      #expect(bench.pin("named") == .bool(true), "\(answer)")
      let written = bench.withKey(["set", "Ada", "address.city=Rome"])
      #expect(written.code == 0, "\(answer): \(written.errors)")
      // Reading a found vault takes nothing back.
      #expect(bench.withKey(["get", "Ada", "name"]).code == 0)
      #expect(bench.pin("named") == .bool(true), "\(answer)")
    }
  }

  @Test("a pin that does not say whether the vault was named is asked about once")
  func olderPin() throws {
    let bench = try Bench()
    #expect(bench.withKey(["get", "Ada", "name", "--vault", "."]).code == 0)
    try bench.workspace.editPin("  \"named\" : true,\n", "")
    #expect(bench.withKey(["set", "Ada", "address.city=Oslo"]).status == .unexpectedVault)
    #expect(bench.withKey(["get", "Ada", "name", "--vault", "."]).errors == "")
    #expect(bench.withKey(["set", "Ada", "address.city=Oslo"]).code == 0)
  }

  @Test("where others can write, a found vault gets no key and no prompt unasked; named, it does")
  func writableByOthers() throws {
    let bench = try Bench()
    let place = bench.workspace.path + "/place"
    let modes: [(String, UInt16)] = [
      (place, 0o777), (place, 0o722), (bench.folder, 0o777), (bench.folder, 0o1777),
      (bench.folder + "/vault.json", 0o666),
    ]
    for (path, mode) in modes {
      let before = try #require(FileTree.mode(of: path))
      FileTree.setMode(mode, of: path)
      try checkAsked(bench, "\(path) can be changed by others")
      FileTree.setMode(before, of: path)
    }
    FileTree.setMode(0o1777, of: place)
    #expect(bench.withKey(["get", "Ada", "name"]).code == 0, "a sticky folder above, as /tmp is")
  }

  @Test("what belongs to somebody else, and not to who called sudo, is asked about as well")
  func ownedByOthers() throws {
    var tally = CaseTally("found vaults of somebody else")
    let bench = try Bench()
    for path in [bench.workspace.path + "/place", bench.folder, bench.folder + "/vault.json"] {
      guard geteuid() == 0 else {
        tally.notApplicable("only root can give a file away")
        continue
      }
      unsafe try #require(lchown(path, 12_345, 0) == 0)
      let key = ["--identity", bench.workspace.identity]
      #expect(bench.run(["get", "Ada", "name"] + key, adding: ["SUDO_UID": "12345"]).code == 0)
      #expect(bench.run(["pin", "forget"]).code == 0)
      try checkAsked(bench, "\(path) belongs to somebody else (user 12345)")
      unsafe try #require(lchown(path, 0, 0) == 0)
      tally.ran()
    }
    tally.report()
  }

  private func checkAsked(_ bench: Bench, _ reason: String) throws {
    let key = ["--identity", bench.workspace.identity]
    let (get, set) = (["get", "Ada", "name"], ["set", "Ada", "address.city=Oslo"])
    for words in [get, set, ["verify"], ["export", "--reveal", "-y"], ["list"]] {
      let refused = bench.run(words + key)
      #expect(refused.status == .unexpectedVault, "\(words): \(refused.errors)")
      #expect(refused.stdout.isEmpty, "\(words): \(refused.errors)")
      #expect(refused.errors.contains(reason), "\(words): \(refused.errors)")
    }
    // A variable's key is left alone, and what needs none still works.
    let shown = bench.run(["show", "Ada"], adding: ["CVAULT_IDENTITY_FILE": bench.workspace.identity])
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(shown.errors.contains("note: the vault was not unlocked: "), "\(shown.errors)")
    var prompt = bench.plan(get)
    prompt.terminal = [("Read and write it from now on? [y/N] ", "n\n")]
    #expect(prompt.run().status == .declined)
    #expect(bench.withKey(get + ["--vault", "."]).code == 0)
    #expect(bench.withKey(get).code == 0, "named once")
    #expect(bench.run(["pin", "forget"]).code == 0)
  }
}
