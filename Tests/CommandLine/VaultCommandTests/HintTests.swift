import Testing
import VaultTestSupport

/// The message for a mistyped command line, and its suggestion.
@Suite("Hints")
struct HintTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let code: Int32
    let first: String
    /// The text of a hint; nil if nothing is suggested.
    let hint: String?

    init(_ arguments: [String], _ code: Int32, _ first: String, _ hint: String?) {
      (self.arguments, self.code, self.first, self.hint) = (arguments, code, "vault: " + first, hint)
    }

    /// A usage error.
    init(_ arguments: [String], _ first: String, _ hint: String?) { self.init(arguments, 64, first, hint) }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let commands = [
    Mistake(["lst"], "lst is not a command of vault", "did you mean `vault list`?"),
    Mistake(["key", "lst"], "lst is not a command of vault key", "did you mean `vault key list`?"),
    Mistake(["backup", "stat"], "stat is not a command of vault backup", "did you mean `vault backup status`?"),
    Mistake(["trash", "lst"], "lst is not a command of vault trash", "did you mean `vault trash list`?"),
    Mistake(["help", "nosuch"], "nosuch is not a command of vault", nil),
    Mistake(["help", "key", "lst"], "lst is not a command of vault key", "did you mean `vault key list`?"),
    Mistake(["publish"], "publish is not a command", nil), Mistake(["account"], "account is not a command", nil),
    Mistake(["quux"], "quux is not a command", nil),
    Mistake(["\u{1b}[31mlist"], "\\u001b[31mlist is not a command", nil),
    Mistake(["--vault", "v", "lst"], "lst is not a command of vault", "did you mean `vault list`?"),
    Mistake(["--vault", "v", "--quiet"], "no command is given", "`vault --help` lists the commands"),
    Mistake(["--foo"], "--foo is not an option of vault", "`vault --help` lists the commands"),
    Mistake(["--quiet", "--vualt"], "--vualt is not an option of vault", "did you mean `--vault`?"),
    Mistake(["rename", "A", "B"], "rename is not a command of vault", "`vault set RECORD title=NEW`"),
    Mistake(["mv", "A", "B"], "--to is missing", "`vault set RECORD title=NEW`"),
    Mistake(["undo"], "undo is not a command of vault", "`vault restore RECORD FIELD --former`"),
    Mistake(["share", "Ada"], "share is not a command of vault", "`vault key add --recipient"),
    Mistake(["sync"], "sync is not a command of vault", "`vault git setup --commit`"),
    Mistake(["passwd"], "passwd is not a command of vault", "`vault key change-passphrase SLOT`"),
    Mistake(["config"], "config is not a command of vault", "`vault status`"),
    Mistake(["version"], "version is not a command of vault", "`vault --version`"),
    Mistake(["list", "--limt", "3"], "--limt is not an option of vault list", "did you mean `--limit`?"),
    Mistake(
      ["list", "-kind", "login"], "vault list does not have one of the options", "needs two dashes: `--kind`"
    ),
    Mistake(
      ["list", "-kinds=x"], "vault list does not have one of the options", "needs two dashes: `--kind`"),
    Mistake(["show", "A", "-reveal"], "-r is not an option of vault show", "needs two dashes: `--reveal`"),
    Mistake(["list", "-x"], "-x is not an option of vault list", nil),
    Mistake(["run", "true"], 125, "there is one argument too many", "`vault run -- PROGRAM`"),
    Mistake(["exec", "A", "true"], 125, "there are 2 arguments too many", "`vault run -- PROGRAM`"),
    Mistake(["list", "login"], "there is one argument too many", "`vault list --kind KIND` lists one kind"),
    Mistake(["list", "--nope"], "--nope is not an option of vault list", nil),
    Mistake(["rm", "x", "--yse"], "--yse is not an option of vault remove", nil),
    Mistake(
      ["list", "--sort", "size"], "--sort must be name, created or updated, not 'size'", nil),
    Mistake(["list", "--sort=nmae"], "--sort must be name, created or updated, not 'nmae'", "did you mean `name`?"),
    Mistake(["export", "--format", "jsn"], "--format must be ", "did you mean `json`?"),
    Mistake(["export", "--format", "\u{1b}[2J"], "--format must be ", nil),
    Mistake(["list", "--limit", "-3"], "--limit must be 1 or more", nil),
    Mistake(["due", "--older-than", "-3"], "--older-than takes an age", nil),
    Mistake(["list", "--limit", "soon"], "the value of --limit is not valid", nil),
    Mistake(["store", "copy", "v", "postgresql://h/d"], "TO: the address of a database does not name the vault", nil),
  ]

  private static let malformed = "one argument is not of the form FIELD=VALUE"

  static let inVault = [
    Mistake(["import", "bitwarden", "f.csv"], "bitwarden is not a format", "did you mean `bitwarden-csv`"),
    Mistake(["find", "--where", "titl=A"], 10, "no record matches --where", "did you mean `title`?"),
    Mistake(
      ["export", "--where", "titl=A", "--format", "csv"], 10, "no record matches --where", "did you mean `title`?"),
    Mistake(["find", "--where", "quux=A"], 10, "no record matches --where", nil),
    Mistake(["find", "username=u"], 10, "\"username=u\": no record matches", "`--where username=VALUE`"),
    Mistake(["add", "logn"], 17, "logn: no kind has this name", "did you mean `login`?"),
    Mistake(["list", "--kind", "logn"], 17, "logn: no kind has this name", "did you mean `login`?"),
    Mistake(["add", "login", "GitLab", "hunter2"], malformed, nil),
    Mistake(
      ["add", "login", "--secret", "password", "hunter2"], malformed,
      "put the name before the option"),
    Mistake(["set", "username=x", "AWS"], "record: the record must come before", "`vault set RECORD FIELD=VALUE`"),
    Mistake(["get", "password", "AWS"], 10, "password: the vault has no such record", "`vault get RECORD FIELD`"),
    Mistake(["attach", "README.md", "AWS"], 18, "AWS does not exist", "`vault attach RECORD FILE`"),
    Mistake(
      ["add", "login", "--set", "titel=x"], 17, "titel is not a field of the kind login", "did you mean `title`?"),
    Mistake(
      ["set", "AWS", "titel=x"], 17, "titel is not a field of the kind login",
      "`vault kinds show login` lists the fields of the kind"),
    Mistake(["set", "AWS", "username", "hunter2"], malformed, "write username=VALUE"),
    Mistake(["set", "AWS", "password", "hunter2"], malformed, "use --secret password"),
    Mistake(["set", "AWS", "hunter2"], malformed, nil),
    Mistake(["list", "--fields", "titel"], 17, "titel is not a field of any kind or record", "did you mean `title`?"),
    Mistake(["find", "A", "--kind", "login", "--fields", "quux"], 17, "quux is not a field of the kind login", nil),
    Mistake(
      ["export", "--fields", "titel"], 17, "titel is not a field of any kind or record", "did you mean `title`?"),
    Mistake(["log", "AWS", "--fields", "quux"], 17, "quux is not a field of any kind or record", nil),
    Mistake(["unlock", "--for", "soon"], "--for takes a time such as 30s, 15m, 8h or 2d", nil),
    Mistake(["add", "GitHub3"], 17, "GitHub3: no kind has this name", "write `vault add login GitHub3`"),
    Mistake(["set", "AWS", "--secret", "password=x"], "--secret takes a field alone, without =VALUE", nil),
    Mistake(["get", "AWS", "a=b"], "FIELD must be a field alone, without =VALUE", nil),
    Mistake(["get", "cvault://AWS"], "RECORD: the reference does not name a field", "`vault ref RECORD FIELD`"),
    Mistake(
      ["get", "cvault://AWS/username", "password"], "FIELD cannot follow a reference, which already names the field",
      "leave FIELD out"),
    Mistake(["get", "AWS"], "<field> is missing", "add a field: `vault get RECORD FIELD`"),
    Mistake(["get", "AWS", "passwrod"], 10, "passwrod: the record has no such field", "did you mean `password`?"),
    Mistake(["unset", "AWS", "usernmae"], 10, "usernmae: the record has no such field", "did you mean `username`?"),
    Mistake(["rm", "twin"], 10, "twin: 2 records match", nil),
    Mistake(["list", "--vault", "README.md"], 6, "README.md is not a vault: it is a file", nil),
    Mistake(
      ["init", "README.md", "--generate-identity", "z"], 5, "README.md is a file, but a vault is a folder", nil),
    Mistake(["backup", "verify", "b"], 18, "b has no recorded backup whose file exists", "`vault backup list b`"),
    Mistake(
      ["backup", "restore", "b", "--to", "w"], 18, "b is a folder, not a backup file", "`vault backup list b`"),
    Mistake(["backup", "verify", "none"], 18, "none does not exist", nil),
    Mistake(["backup", "prune", "b", "--keep-last", "-2"], "--keep-last must be a number", nil),
    Mistake(["backup", "prune", "README.md", "--keep-last", "1"], 18, "README.md is not a folder", nil),
    Mistake(
      ["get", "AWS", "username", "--identity", "big.txt"], 17, "big.txt is too large for an identity file", nil),
    Mistake(["key", "add", "--recipient", "foo"], "--recipient is not an age recipient: ", nil),
  ]

  private func check(_ mistake: Mistake, _ outcome: ProcessOutcome) {
    #expect(outcome.code == mistake.code, "\(outcome.errors)")
    #expect(outcome.errorLines.first?.hasPrefix(mistake.first) == true, "\(outcome.errors)")
    #expect(!outcome.errors.contains("hunter2"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("--yes"), "\(outcome.errors)")
    if let hint = mistake.hint {
      #expect(
        outcome.errorLines.dropFirst().contains { $0.hasPrefix("hint: ") && $0.contains(hint) }, "\(outcome.errors)")
    } else {
      #expect(!outcome.errors.contains("did you mean"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("Did you mean"), "\(outcome.errors)")
    }
  }

  @Test(
    "a word in the place of a command, an option or a choice is shown, and what is near is proposed",
    arguments: commands)
  func commandIsTold(_ mistake: Mistake) throws {
    let workspace = try Workspace()
    check(mistake, workspace.run(mistake.arguments))
  }

  @Test(
    "a value that is not one of the choices ends the message, in printable form",
    arguments: [("jsn", "jsn"), ("\u{1b}[2J", "\\u001b[2J")])
  func choiceIsTold(_ value: String, _ shown: String) throws {
    let refused = try Workspace().run("export", "--format", value)
    #expect(refused.status == .usage)
    #expect(refused.errorLines.first?.hasSuffix(", not '\(shown)'") == true, "\(refused.errors)")
  }

  @Test("what is wrong is said of the thing that is wrong, with a way on that fits")
  func faultIsTold() throws {
    let workspace = try Workspace.withVault()
    for title in ["AWS", "Twin", "twin"] {
      let made = workspace.open("add", "login", "title=\(title)", "--set", "username=u", "--generate", "password")
      try #require(made.code == 0, "\(made.errors)")
    }
    #expect(workspace.open("set", "AWS", "--set", "username=x", "tags=cloud").code == 0)
    #expect(workspace.open("get", "AWS", "username").output == "x")
    #expect(!workspace.open("get", "AWS").errors.contains("--url"))
    #expect(workspace.open("show", "aws").output.contains("AWS"))
    _ = workspace.write("not a vault\n", to: "README.md")
    _ = workspace.write(String(repeating: "x", count: 300_000), to: "big.txt")
    FileTree.makeFolder(workspace.path + "/b")
    for mistake in Self.inVault {
      let names = mistake.arguments
      let key = names.contains("--identity") ? [] : ["--identity", "id.txt"]
      let isInit = names.first == "init"
      let place = names.contains("--vault") || isInit || names.first == "backup" ? [] : ["--vault", "v"]
      let takesKey = !isInit && !["prune"].contains(names.dropFirst().first ?? "") && !names.contains("--vault")
      check(mistake, workspace.run(names + place + (takesKey ? key : [])))
    }
    #expect(!FileTree.names(in: workspace.path).contains("z"))
  }

  @Test("in a working directory that is gone a vault is not made, which is said")
  func workingDirectoryIsGone() throws {
    let workspace = try Workspace()
    var plan = ProcessRun(path: "/bin/sh", environment: workspace.environment, directory: workspace.path)
    plan.environment["V"] = Binary.path
    plan.arguments = ["-c", "mkdir gone && cd gone && rmdir ../gone && \"$V\" init x --generate-identity y"]
    let run = plan.run()
    #expect(run.status == .inputOutput, "\(run.code): \(run.errors)")
    #expect(run.errors.hasPrefix("vault: "), "\(run.code): \(run.errors)")
  }

  @Test("a pattern is not what somebody at a prompt is told")
  func promptsAreForPeople() throws {
    let workspace = try Workspace.withVault()
    let outcome = workspace.type(
      ["add", "payment-card", "--vault", "v", "--identity", "id.txt"],
      [("Title]: ", "\n"), ("Holder: ", "Ada\n"), ("Number, not shown: ", "4111x\n"), ("Number, not shown: ", "\u{3}")])
    #expect(outcome.shown.contains("That must be digits, such as 4111 1111 1111 1111."), "\(outcome.shown)")
    #expect(!outcome.shown.contains("[0-9]"))
    let set = workspace.open(
      "add", "payment-card", "holder=Ada", "expiry=soon", "--secret-stdin", "number", input: "4111")
    #expect(set.errorLines.first == "vault: expiry must be a month, such as 08/29 or 2029-08", "\(set.errors)")
  }

  @Test("of a declared kind the description says what a pattern asks for; without one, that there is a form")
  func describedPatterns() throws {
    let workspace = try Workspace.withVault()
    let schema = workspace.write(
      #"{"type":"object","properties":{"title":{"type":"string"},"door":{"type":"string","pattern":"^[A-F]$","#
        + #""description":"One letter from A to F"},"floor":{"type":"string","pattern":"^[0-9]$"}}}"#, to: "room.json")
    try #require(workspace.open("kinds", "add", schema).code == 0)
    let door = workspace.open("add", "room", "title=a", "door=x")
    #expect(door.errorLines.first == "vault: door does not fit the description in its kind: One letter from A to F")
    let floor = workspace.open("add", "room", "title=a", "floor=x")
    #expect(floor.errorLines.first == "vault: floor does not have the form that its kind requires")
    #expect(!floor.errors.contains("[0-9]"))
  }

  @Test("an answer that the kind derives something from is checked when it is given")
  func derivedIsChecked() throws {
    let workspace = try Workspace.withVault()
    let outcome = workspace.type(
      ["add", "ssh-key", "--vault", "v", "--identity", "id.txt"],
      [("Title]: ", "\n"), ("Public key: ", "garbage\n"), ("Public key: ", "\u{3}")])
    #expect(outcome.shown.contains("That is not a public key as in a .pub file."), "\(outcome.shown)")
  }

  @Test("where there is no vault, the way to one is said as it would be typed")
  func noVaultIsTold() throws {
    let workspace = try Workspace()
    let standard = workspace.home + "/.local/share/cvault"
    for words in [["list"], ["find", "x"], ["show", "x"], ["get", "x", "password"]] {
      let outcome = workspace.run(words)
      #expect(outcome.status == .noVault)
      let first = "vault: there is no vault in this folder, in a folder above it, or in \(standard)"
      #expect(outcome.errorLines.first == first, "\(outcome.errors)")
      #expect(outcome.errorLines.dropFirst().first == "hint: `vault init` makes a vault", "\(outcome.errors)")
    }
    let named = workspace.run("list", "--vault", "my vault")
    #expect(
      named.errorLines.prefix(2) == [
        "vault: my vault is not a vault: it does not exist", "hint: `vault init 'my vault'` makes a vault",
      ])
    _ = workspace.write("", to: "README.md")
    let file = workspace.run("list", "--vault", "README.md")
    #expect(file.errorLines.last == "hint: name the folder of a vault with --vault DIR or CVAULT_DIR")
  }

  @Test("`init` tells a person where the vault is, what the number is and what to do next; scripts get the number")
  func nextIsTold() throws {
    let workspace = try Workspace()
    let arguments = ["init", "v", "--generate-identity", "id.txt"]
    let made = workspace.type(arguments, [], errorsOnTerminal: true)
    try #require(made.code == 0)
    #expect(made.output.utf8.count == 41)
    #expect(
      made.shown.contains("note: the vault is in \(workspace.path)/v; compare its fingerprint"), "\(made.shown)")
    let variables = "CVAULT_DIR=\(workspace.path)/v CVAULT_IDENTITY_FILE=\(workspace.path)/id.txt"
    #expect(
      made.shown.hasSuffix("next: export \(variables)\r\nnext: vault add login NAME\r\nnext: vault copy NAME\r\n"))
    let standard = workspace.type(
      ["init", "--generate-identity", "id2.txt"], [], errorsOnTerminal: true, adding: ["CVAULT_DIR": "w"])
    #expect(standard.shown.contains("next: export CVAULT_IDENTITY_FILE="), "\(standard.shown)")
    // The usual place of the identity is made, and later commands look there.
    let place = workspace.home + "/.config/cvault/identity.txt"
    let usual = workspace.type(["init", "--generate-identity", place], [], errorsOnTerminal: true)
    try #require(usual.code == 0, "\(usual.shown)")
    #expect(usual.shown.contains("next: vault add login NAME"))
    #expect(!usual.shown.contains("export"), "\(usual.shown)")
    #expect(FileTree.mode(of: workspace.home + "/.config/cvault") == 0o700)
    #expect(workspace.run("add", "login", "GitHub", "username=ada").code == 0)
    let nowhere = workspace.run("init", "z", "--generate-identity", "none/id.txt")
    #expect(nowhere.status == .inputOutput)
    let quiet = workspace.type(["init", "q", "--generate-identity", "q.txt", "-q"], [], errorsOnTerminal: true)
    #expect(quiet.code == 0)
    #expect(quiet.shown.isEmpty)
    #expect(!workspace.run("init", "s", "--generate-identity", "s.txt").errors.contains("next:"))
  }

  @Test("`init` says that a folder has other things in it; those of git are expected")
  func othersAreTold() throws {
    let workspace = try Workspace()
    for (folder, file, isTold) in [("a", "letter.txt", true), ("b", ".gitignore", false)] {
      FileTree.makeFolder(workspace.path + "/" + folder)
      _ = workspace.write("", to: "\(folder)/\(file)")
      let made = workspace.run("init", folder, "--generate-identity", "\(folder).txt")
      #expect(made.code == 0)
      #expect(made.errors.contains("\(folder) also holds other files") == isTold, "\(made.errors)")
    }
  }

  @Test("`backup create` says which vault has no recipient")
  func vaultIsNamed() throws {
    let workspace = try Workspace()
    _ = workspace.write("correct", to: "p")
    FileTree.makeFolder(workspace.path + "/b")
    try #require(
      workspace.run("init", "pv", "--passphrase", "--new-passphrase-file", "p", "--work-factor", "10").code == 0)
    let outcome = workspace.run("backup", "create", "--to", "b", "--vault", "pv")
    #expect(outcome.errors.contains("vault: --recipient is needed: no slot of the vault pv has a recipient"))
  }
}
