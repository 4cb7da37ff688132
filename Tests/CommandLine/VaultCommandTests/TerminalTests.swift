import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("At a terminal", .atTerminal)
struct TerminalTests {
  /// A vault with a passphrase that was typed twice.
  ///
  /// - Parameter record: the name of a login to add, because no passphrase is asked for a missing record.
  private func withPassphrase(record: String? = nil) throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.type(
      ["init", "v", "--passphrase", "--work-factor", "10"],
      [("New passphrase (Enter makes six words): ", "correct horse\n"), ("New passphrase, again: ", "correct horse\n")])
    try #require(made.code == 0, "\(made.errors)\(made.shown)")
    #expect(made.output.utf8.count == 41)
    #expect(!made.shown.contains("correct"))
    if let record {
      let added = workspace.type(
        ["add", "login", "title=\(record)", "--generate", "password", "--vault", "v"],
        [("Passphrase of v: ", "correct horse\n")])
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  @Test("a new passphrase is asked for twice and never shown; the two must be the same")
  func newPassphraseIsAskedTwice() throws {
    let workspace = try withPassphrase()
    let differing = workspace.type(
      ["init", "w", "--passphrase", "--work-factor", "10"],
      [
        ("New passphrase (Enter makes six words): ", "one\n"), ("again: ", "two\n"),
        ("New passphrase (Enter makes six words): ", "three\n"), ("again: ", "three\n"),
      ])
    #expect(differing.code == 0, "\(differing.shown)")
    #expect(differing.shown.contains("The two are different"))
    let empty = workspace.type(
      ["init", "x", "--passphrase"],
      [("New passphrase (Enter makes six words): ", "\n")] + Array(repeating: ("wrote down: ", "no\n"), count: 3))
    #expect(empty.status == .declined)
    #expect(empty.errorLines.first == "vault: terminal: the words were not typed correctly, so nothing was changed")
    #expect(FileTree.names(in: workspace.path + "/x").isEmpty)
  }

  @Test("a passphrase is asked for without being shown, and again when it is wrong")
  func passphraseIsAskedFor() throws {
    let workspace = try withPassphrase()
    let added = workspace.type(
      ["add", "customer", "--set", "name=Ada", "--generate", "access_key", "--vault", "v"],
      [("Passphrase of v: ", "wrong\n"), ("Passphrase of v: ", "correct horse\n")])
    #expect(added.code == 0, "\(added.errors)\(added.shown)")
    #expect(added.output.utf8.count == 37)
    #expect(!added.shown.contains("wrong\r"))
    #expect(!added.shown.contains("correct"))
    let refused = workspace.type(
      ["get", "Ada", "name", "--vault", "v"], Array(repeating: ("Passphrase of v: ", "wrong\n"), count: 3))
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errorLines.first == "vault: v: the passphrase opens no slot of the vault")
  }

  @Test("what is said after the end of input begins on a line of its own")
  func endOfInputEndsTheLine() throws {
    let workspace = try withPassphrase(record: "Ada")
    let outcome = workspace.type(["get", "Ada", "name", "--vault", "v"], [("Passphrase of v: ", "\u{4}")])
    #expect(outcome.status == .declined)
    #expect(outcome.errorLines.first == "vault: terminal: nothing was entered")
    #expect(outcome.shown.hasSuffix("\r\n"), "\(outcome.shown)")
  }

  @Test("--no-input asks nothing, even at a terminal")
  func noInputAsksNothing() throws {
    let workspace = try withPassphrase()
    let outcome = workspace.type(["get", "Ada", "name", "--vault", "v", "--no-input"], [])
    #expect(outcome.status == .cannotUnlock)
    #expect(outcome.shown == "")
  }

  @Test("get ends with a newline at a terminal")
  func getEndsWithNewline() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = workspace.type(
      ["get", "Shai Mishali", "atm_code", "--vault", "v", "--identity", "id.txt"], [], outputOnTerminal: true)
    #expect(outcome.shown == "000522\r\n")
  }

  @Test("add asks field by field, for sealed ones without showing them")
  func addAsks() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.type(
      ["add", "customer", "--vault", "v", "--identity", "id.txt"],
      [
        ("Name: ", "\n"), ("Name: ", "Ada Example\n"), ("Access key, not shown: ", "typed-secret\n"),
        ("Access key, again: ", "typed-sercet\n"), ("Access key, not shown: ", "typed-secret\n"),
        ("Access key, again: ", "typed-secret\n"), ("[ATM code], not shown: ", "\n"), ("[Added on]: ", "yesterday\n"),
        ("[Added on]: ", "2026-11-21T01:40:28Z\n"),
        ("More? Street, City", "y\n"),
        ("[Street]: ", "\n"), ("[City]: ", "London\n"), ("[Zip]: ", "\n"), ("[Home phone]: ", "\n"),
        ("[Cellular phone]: ", "\n"), ("[Email]: ", "ada@example.com\n"), ("[Website]: ", "\n"),
        ("[Tags, separated by commas]: ", "vip, gold\n"),
      ])
    #expect(added.code == 0, "\(added.errors)\(added.shown)")
    #expect(!added.shown.contains("typed-secret"))
    let record = JSON(workspace.open("show", "Ada Example", "--reveal", "--json").stdout)["record"]
    #expect(
      record
        == JSON(
          #"{"name":"Ada Example","access_key":"typed-secret","added_on":"2026-11-21T01:40:28Z","#
            + #""address":{"city":"London"},"contact_info":{"email":"ada@example.com"},"tags":["vip","gold"]}"#))
  }

  @Test("a secret that is typed is asked for twice")
  func secretTwice() throws {
    let workspace = try Workspace.withCustomers()
    let arguments = ["set", "Shai Mishali", "--secret", "access_key", "--vault", "v", "--identity", "id.txt"]
    let (first, again) = ("access_key, not shown: ", "access_key, again: ")
    let set = workspace.type(arguments, [(first, "one\n"), (again, "two\n"), (first, "three\n"), (again, "three\n")])
    #expect(set.code == 0)
    #expect(set.shown.contains("The two are different."))
    #expect(workspace.open("get", "Shai Mishali", "access_key").output == "three")
    let empty = workspace.type(arguments, [(first, "\n"), (first, "\u{4}")])
    #expect(empty.status == .declined)
    #expect(workspace.open("get", "Shai Mishali", "access_key").output == "three")
  }

  @Test("remove and export --reveal ask, and take no for an answer")
  func questionsAreAsked() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let key = ["--vault", "v", "--identity", "id.txt"]
    let kept = workspace.type(["remove", "Shai Mishali"] + key, [("[y/N] ", "n\n")])
    #expect(kept.status == .declined)
    #expect(kept.shown.contains("Remove \"Shai Mishali\""))
    #expect(workspace.snapshot() == before)
    let refused = workspace.type(["export", "--reveal"] + key, [("[y/N] ", "\n")])
    #expect(refused.status == .declined)
    #expect(refused.stdout.isEmpty)
    #expect(workspace.type(["export", "--reveal"] + key, [("[y/N] ", "yes\n")]).code == 0)
    #expect(workspace.type(["export", "--reveal", "--yes"] + key, []).code == 0)
    #expect(workspace.type(["remove", "Shai Mishali"] + key, [("[y/N] ", "y\n")]).code == 0)
    #expect(workspace.open("show", "Shai Mishali").status == .notFound)
  }

  @Test("what is typed while a key is made is not shown, and is the next answer; the terminal is as before afterwards")
  func typedAhead() throws {
    let workspace = try withPassphrase()
    let script = """
      \(Binary.path) add secure-note --set title=n --secret text --vault v; echo "code $?"; stty -a | grep -o -- '[-]*echo '
      """
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    // The end of the line is shown once it was read: the key is made from then on.
    plan.terminal = [("Passphrase of v: ", "correct horse\n"), ("\r\n", "hunter2\nhunter2\n")]
    let outcome = plan.run()
    #expect(!outcome.hung)
    #expect(outcome.output.hasSuffix("code 0\necho \n"), "\(outcome.output)\(outcome.errors)\(outcome.shown)")
    #expect(!outcome.shown.contains("hunter2"), "\(outcome.shown)")
    let got = workspace.type(["get", "n", "text", "--vault", "v"], [("Passphrase of v: ", "correct horse\n")])
    #expect(got.output == "hunter2")
  }

  @Test("what was typed ahead is not left to the shell when the command fails, and is no second passphrase")
  func typedAheadOfAFailure() throws {
    let workspace = try withPassphrase(record: "n")
    let script = "\(Binary.path) get n text --vault v; echo \"code $?\"; read -r left; echo \"left $left\""
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    plan.outputOnTerminal = true
    plan.terminal = [("Passphrase of v: ", "correct horse\nhunter2\n"), ("code 10", "end\n")]
    let outcome = plan.run()
    #expect(outcome.shown.contains("left end"), "\(outcome.shown)\(outcome.errors)")
    #expect(!outcome.shown.contains("hunter2"))
    let wrong = workspace.type(
      ["get", "n", "text", "--vault", "v"],
      [("Passphrase of v: ", "wrong\ncorrect horse\n"), ("Try again.", "correct horse\n")])
    #expect(wrong.status == .notFound, "\(wrong.errors)\(wrong.shown)")
  }

  @Test("Ctrl-C at a prompt ends with 130, shows what is typed again, and changes nothing")
  func interruptEndsAPrompt() throws {
    let workspace = try withPassphrase(record: "Ada")
    let before = workspace.snapshot()
    // The shell outlives the key press and tells whether the terminal shows what is typed.
    let script = "trap : INT; \(Binary.path) get Ada name --vault v; echo \"code $?\"; stty -a | grep -o -- '[-]*echo '"
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    plan.terminal = [("Passphrase of v: ", "\u{03}")]
    let outcome = plan.run()
    #expect(outcome.output == "code 130\necho \n", "\(outcome.output)\(outcome.errors)\(outcome.shown)")
    #expect(workspace.snapshot() == before)
  }

  @Test(
    "a signal to end, at a prompt, ends with 128 and its number",
    arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131)] as [(Int32, Int32)])
  func terminationEndsAPrompt(_ number: Int32, _ code: Int32) throws {
    let workspace = try withPassphrase(record: "Ada")
    var plan = workspace.plan(["get", "Ada", "name", "--vault", "v"])
    plan.terminal = []
    plan.signal = ("Passphrase of v: ", number)
    let outcome = plan.run()
    #expect(outcome.code == code)
    #expect(outcome.stdout.isEmpty)
  }

  @Test("a closed terminal keeps the text that was typed, and says where")
  func closedTerminalKeepsTheText() throws {
    let workspace = try Workspace.withCustomers()
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"])
    plan.environment["EDITOR"] =
      "typing() { echo >>\"$1\"; echo begun >&2; \(EditorScript.waiting); }; typing"
    plan.terminal = []
    plan.signal = ("begun", SIGHUP)
    let outcome = plan.run()
    #expect(outcome.code == 129, "\(outcome.errors)")
    let kept = outcome.errorLines.compactMap { $0.split(separator: "kept in ").last }.last.map(String.init)
    let path = try #require(kept?.split(separator: ":").first.map(String.init))
    #expect(FileTree.contents(of: path) != nil, "\(outcome.errors)")
    FileTree.remove(Binary.parent(path))
  }

  // No SIGABRT: a process that is started by a test inherits it blocked.
  @Test("a crash says nothing of registers or memory", arguments: [SIGSEGV, SIGBUS, SIGILL] as [Int32])
  func crashSaysNothing(_ number: Int32) throws {
    let workspace = try withPassphrase(record: "Ada")
    var plan = workspace.plan(["get", "Ada", "name", "--vault", "v"])
    plan.terminal = []
    plan.signal = ("Passphrase of v: ", number)
    let outcome = plan.run()
    #expect(outcome.code == -number)
    #expect(outcome.stdout.isEmpty, "\(outcome.errors)")
    #expect(outcome.stderr.isEmpty, "\(outcome.errors)")
  }
}
