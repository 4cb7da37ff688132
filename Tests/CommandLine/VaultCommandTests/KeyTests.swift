import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Keys")
struct KeyTests {
  /// A vault that an identity and the passphrase "correct" open, with one record.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    _ = workspace.write("correct\n", to: "right.txt")
    _ = workspace.write("wrong\n", to: "wrong.txt")
    let made = workspace.run(
      "init", "v", "--generate-identity", "id.txt", "--passphrase", "--new-passphrase-command", "cat right.txt",
      "--work-factor", "10", "--label", "both")
    try #require(made.code == 0, "\(made.errors)")
    try #require(workspace.open("add", "customer", "--set", "name=Ada", "--generate", "access_key").code == 0)
    return workspace
  }

  private func get(_ workspace: Workspace, _ arguments: String..., input: String = "", adding: [String: String] = [:])
    -> ProcessOutcome
  { workspace.run(["get", "Ada", "name", "--vault", "v"] + arguments, input: input, adding: adding) }

  @Test("each source of a key opens the vault")
  func everySourceOpens() throws {
    let workspace = try workspace()
    #expect(get(workspace, "--identity", "id.txt").output == "Ada")
    #expect(get(workspace, "--passphrase-file", "right.txt").output == "Ada")
    #expect(get(workspace, "--passphrase-fd", "0", input: "correct\n").output == "Ada")
    #expect(get(workspace, "--passphrase-command", "echo correct").output == "Ada")
    #expect(get(workspace, adding: ["CVAULT_IDENTITY_FILE": "id.txt"]).output == "Ada")
    #expect(get(workspace, adding: ["CVAULT_PASSPHRASE_FILE": "right.txt"]).output == "Ada")
    #expect(get(workspace, input: "correct", adding: ["CVAULT_PASSPHRASE_FD": "0"]).output == "Ada")
    #expect(get(workspace, adding: ["CVAULT_PASSPHRASE_COMMAND": "printf correct"]).output == "Ada")
  }

  @Test("a variable for another vault does not keep readable fields from being shown; an option does")
  func foreignVariable() throws {
    let workspace = try workspace()
    #expect(workspace.run("init", "other", "--generate-identity", "other.txt").code == 0)
    for command in [["show", "Ada"], ["export"]] {
      let byVariable = workspace.run(command + ["--vault", "v"], adding: ["CVAULT_IDENTITY_FILE": "other.txt"])
      #expect(byVariable.code == 0, "\(command)")
      #expect(byVariable.output.contains("Ada"))
      #expect(byVariable.errors.contains("not unlocked"))
      #expect(workspace.run(command + ["--vault", "v", "--identity", "other.txt"]).status == .cannotUnlock)
    }
    #expect(get(workspace, adding: ["CVAULT_IDENTITY_FILE": "other.txt"]).status == .cannotUnlock)
  }

  @Test("a list uses no key that only happens to be there; --verify and an option do")
  func listsVerifyWhenAsked() throws {
    let workspace = try workspace()
    let variable = ["CVAULT_IDENTITY_FILE": "id.txt"]
    for command in [["list"], ["find", "Ada"], ["trash", "list"]] {
      let words = command + ["--vault", "v", "--json"]
      func isVerified(_ outcome: ProcessOutcome) -> Bool? { JSON(outcome.stdout)["verified"]?.bool }
      #expect(isVerified(workspace.run(words, adding: variable)) == false)
      #expect(isVerified(workspace.run(words + ["--verify"], adding: variable)) == true)
      #expect(isVerified(workspace.run(words + ["--identity", "id.txt"])) == true)
      #expect(workspace.run(words + ["--verify"]).status == .cannotUnlock)
      #expect(
        workspace.run(words + ["--verify"], adding: ["CVAULT_IDENTITY_FILE": "missing.txt"]).status == .inputOutput)
    }
  }

  @Test(
    "options of a command may stand before its name",
    arguments: [
      "--vault v --identity=id.txt -q get Ada name", "--no-index --vault v --identity id.txt get Ada name",
      "-q -v --vault v --identity id.txt get Ada name", "-qv --vault v --identity id.txt get Ada name",
      "--lock-timeout=3 --vault=v --identity id.txt get Ada name", "--identity id.txt get --vault v Ada name",
      "--identity id.txt --vault v --output - get Ada name",
      "--max-work-factor 20 --vault v --identity id.txt get Ada name",
    ])
  func optionsFirst(_ line: String) throws {
    let run = try workspace().run(line.split(separator: " ").map(String.init))
    #expect(run.output == "Ada", "\(run.errors)")
  }

  @Test("a value of a leading option that is the name of a command is a value")
  func valueNamedAsCommand() throws {
    let workspace = try workspace()
    workspace.prepare("mv v list")
    #expect(workspace.run("--vault", "list", "list").code == 0)
    #expect(workspace.run("--vault", "list", "kinds", "list", "-q").code == 0)
    #expect(workspace.run("--vault", "list").status == .usage)
  }

  @Test(
    "a leading option that the command does not take is named, with the usage of the command",
    arguments: ["--frobnicate list", "--vault v --frobnicate list", "--frobnicate --vault v list", "--symbols list"])
  func foreignOptionFirst(_ line: String) throws {
    let run = try workspace().run(line.split(separator: " ").map(String.init))
    #expect(run.status == .usage)
    #expect(
      run.errors.contains(
        "\(line.contains("--symbols") ? "--symbols" : "--frobnicate") is not an option of vault list"))
    #expect(run.errors.contains("usage: vault list"), "\(run.errors)")
  }

  @Test("leading options without a command are refused", arguments: [["--vault"], ["--vault", "v", "generate"]])
  func optionsAlone(_ words: [String]) throws {
    #expect(try workspace().run(words).status == .usage)
  }

  @Test("options go before variables, and identities before the passphrase")
  func orderOfSources() throws {
    let workspace = try workspace()
    #expect(workspace.run("init", "other", "--generate-identity", "other.txt").code == 0)
    let wrongVariable = ["CVAULT_IDENTITY_FILE": "other.txt", "CVAULT_PASSPHRASE_FILE": "wrong.txt"]
    #expect(get(workspace, "--passphrase-file", "right.txt", adding: wrongVariable).output == "Ada")
    #expect(
      get(workspace, adding: ["CVAULT_IDENTITY_FILE": "id.txt", "CVAULT_PASSPHRASE_FILE": "wrong.txt"]).output == "Ada")
    #expect(
      get(workspace, "--passphrase-file", "wrong.txt", adding: ["CVAULT_IDENTITY_FILE": "id.txt"]).status
        == .cannotUnlock)
    // An identity without a slot leaves it to the passphrase beside it.
    #expect(get(workspace, "--identity", "other.txt", "--passphrase-file", "right.txt").output == "Ada")
    #expect(get(workspace, "--identity", "other.txt", "--identity", "id.txt").output == "Ada")
    let verbose = get(workspace, "--identity", "id.txt", "--verbose")
    #expect(verbose.errors.contains("note: key: identity id.txt (--identity)\n"))
  }

  @Test("the user's own identity is taken when the vault has a slot for it")
  func ownIdentityIsTaken() throws {
    let workspace = try workspace()
    let config = workspace.home + "/.config/cvault"
    unsafe _ = mkdir(workspace.home + "/.config", 0o700)
    unsafe _ = mkdir(config, 0o700)
    FileTree.write(try #require(FileTree.contents(of: workspace.identity)), to: config + "/identity.txt")
    #expect(get(workspace).output == "Ada")
    #expect(workspace.run("status", "--vault", "v").output.contains("(default identity)"))
    #expect(workspace.run("init", "other", "--generate-identity", "other.txt").code == 0)
    FileTree.write(try #require(FileTree.contents(of: workspace.path + "/other.txt")), to: config + "/identity.txt")
    #expect(get(workspace).status == .cannotUnlock)
  }

  @Test("a failing passphrase command is 11 and its command line is not repeated")
  func failingCommand() throws {
    let workspace = try workspace()
    let outcome = get(workspace, "--passphrase-command", "echo hunter2; exit 7")
    #expect(outcome.status == .cannotUnlock)
    #expect(outcome.errorLines.first == "vault: --passphrase-command: the command ended with exit status 7")
    #expect(!outcome.errors.contains("hunter2"))
  }

  @Test("the process that holds keys may leave no core, and has memory locked")
  func processIsHardened() throws {
    let workspace = try workspace()
    // A command of the shell looks at its parent; limits are handed down.
    let look = "{ ulimit -Sc; ulimit -Hc; } >core.txt; grep VmLck /proc/$PPID/status >locked.txt; echo correct"
    #expect(get(workspace, "--identity", "id.txt", "--verbose").code == 0)
    let outcome = get(workspace, "--passphrase-command", look)
    #expect(outcome.output == "Ada")
    #expect(workspace.text(of: "core.txt") == "0\n0\n")
    let locked = workspace.text(of: "locked.txt").split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    print("locked memory while unlocking: \(locked.first ?? 0) KiB")
    #expect((locked.first ?? 0) >= 1024 || outcome.errors.contains("could be swapped out"))
  }

  @Test("an SSH key in place of a recipient is refused with the reason, as a word and as a file", arguments: [0, 1])
  func sshKey(_ number: Int) throws {
    let isFile = number == 1
    let workspace = try workspace()
    let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqS8CMPSCXzTDwDqwcOjnoyxPUmtWWjJrDPSLYlVLtf ada@laptop"
    _ = workspace.write(line + "\n", to: "id_ed25519.pub")
    let refused = workspace.open("key", "add", isFile ? "id_ed25519.pub" : line)
    #expect(refused.status == (isFile ? .inputRefused : .usage))
    #expect(refused.errors.contains("SSH keys are not supported as recipients"), "\(refused.errors)")
    #expect(refused.errors.contains("hint: an ssh-agent signs, but opens nothing"), "\(refused.errors)")
    #expect(!refused.errors.contains("does not exist"))
  }

  @Test("the right fingerprint passes, in any case")
  func fingerprintPasses() throws {
    let workspace = try workspace()
    let fingerprint = String(workspace.run("fingerprint", "--vault", "v").output.dropLast())
    #expect(get(workspace, "--identity", "id.txt", "--require-fingerprint", fingerprint.uppercased()).output == "Ada")
    #expect(get(workspace, "--identity", "id.txt", adding: ["CVAULT_FINGERPRINT": fingerprint]).output == "Ada")
  }

  @Test("init makes what it says: slots with their label, files for the owner only")
  func initMakesSlots() throws {
    let workspace = try workspace()
    let slots = try #require(JSON(workspace.run("status", "--vault", "v", "--json").stdout)["slots"]?.items)
    #expect(slots.compactMap { $0["kind"]?.text } == ["x25519", "scrypt"])
    #expect(slots.allSatisfy { $0["label"]?.text == "both" })
    var status = stat()
    unsafe #expect(stat(workspace.identity, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    unsafe #expect(stat(workspace.vault, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    let recipient = try #require(slots[0]["recipient"]?.text)
    let made = workspace.run("init", "second", "--recipient", recipient, "--json")
    #expect(JSON(made.stdout)["slots"]?[0]?["recipient"]?.text == recipient)
    #expect(workspace.run("list", "--vault", "second", "--identity", "id.txt").code == 0)
  }

  @Test("a slot whose cost is above the limit is refused before anything is spent on it")
  func maximumWorkFactor() throws {
    let workspace = try Workspace()
    _ = workspace.write("correct\n", to: "right.txt")
    #expect(
      workspace.run("init", "v", "--passphrase", "--new-passphrase-file", "right.txt", "--work-factor", "12").code == 0)
    let refused = workspace.run(
      "get", "x", "y", "--vault", "v", "--passphrase-file", "right.txt", "--max-work-factor", "11")
    #expect(refused.status == .damaged)
    #expect(
      refused.errorLines.first?.contains("needs the work factor 12, but at most 11 is allowed") == true,
      "\(refused.errors)")
    #expect(
      workspace.run("get", "x", "y", "--vault", "v", "--max-work-factor", "23", "--passphrase-file", "right.txt").code
        == 64)
  }
}
