import Testing
import VaultTestSupport

@Suite("Secrets at a prompt", .atTerminal)
struct PromptTests {
  private static let key = ["--vault", "v", "--identity", "id.txt"]
  private static let password = "Password, not shown (Enter makes one, - for none): "
  private static let notes = "[Notes], not shown (a line, or @ for a file or the editor): "

  /// A new login, of which only the password and the notes are answered.
  private func addLogin(
    _ workspace: Workspace, _ options: [String] = [], password: [(String, String)] = [(Self.password, "-\n")],
    notes: [(String, String)] = [(Self.notes, "\n")], adding: [String: String] = [:]
  ) -> ProcessOutcome {
    workspace.type(
      ["add", "login", "n"] + options + Self.key,
      [("[User name]: ", "\n")] + password
        + [("[Addresses", "\n"), ("More? Key of one-time", "y\n"), ("[Key of one-time", "\n")] + notes
        + [("[Field, its", "\n"), ("[Secret field", "\n"), ("[Tags", "\n")], adding: adding)
  }

  @Test("Enter makes a password, shown masked; - is none")
  func passwordIsMade() throws {
    let workspace = try Workspace.withVault()
    let made = addLogin(workspace, password: [(Self.password, "\n")])
    #expect(made.code == 0, "\(made.errors)\(made.shown)")
    #expect(made.shown.contains("Password: •••••••• generated, 24 characters, 142 bits"), "\(made.shown)")
    let password = workspace.open("get", "n", "password").output
    #expect(password.utf8.count == 24)
    #expect(!made.shown.contains(password))
    let none = try Workspace.withVault()
    #expect(addLogin(none).code == 0)
    #expect(none.open("get", "n", "password").status == .notFound)
  }

  @Test("a new login asks for four things, and for the others behind one question")
  func fourThings() throws {
    let workspace = try Workspace.withVault()
    let made = workspace.type(
      ["add", "login"] + Self.key,
      [
        ("Title: ", "Bank\n"), ("[User name]: ", "ada\n"), (Self.password, "-\n"), ("[Addresses", "\n"),
        ("More? Key of one-time", "\n"),
      ])
    #expect(made.code == 0, "\(made.shown)")
    #expect(!made.shown.contains("[Notes]"), "\(made.shown)")
    #expect(workspace.open("get", "Bank", "username").output == "ada")
  }

  @Test("--length, --symbols and --words say what is made, at a prompt and by --generate, as for `generate`")
  func recipes() throws {
    let workspace = try Workspace.withVault()
    let made = addLogin(workspace, ["--words", "5"], password: [(Self.password, "\n")])
    #expect(made.code == 0, "\(made.shown)")
    #expect(made.shown.contains("generated, 5 words, 81 bits"), "\(made.shown)")
    func password() -> String { workspace.open("get", "n", "password").output }
    #expect(password().split(separator: "-").count == 5)
    #expect(workspace.open("set", "n", "--generate", "password", "--length", "40").code == 0)
    #expect(password().utf8.count == 40)
    #expect(workspace.open("set", "n", "--generate", "password=60", "--symbols").code == 0)
    #expect(password().utf8.count == 60)
    #expect(password().contains { !$0.isLetter && !$0.isNumber })
    #expect(workspace.open("add", "login", "m", "--generate", "password", "--words", "4").code == 0)
    #expect(workspace.open("get", "m", "password").output.split(separator: "-").count == 4)
    let set = workspace.type(
      ["set", "n", "--secret", "password", "--length", "9"] + Self.key,
      [("password, not shown (Enter makes one): ", "\n")])
    #expect(set.code == 0)
    #expect(password().utf8.count == 9)
    for wrong in [
      ["--generate", "password=9", "--words", "4"], ["--generate", "password", "--words", "4", "--symbols"],
      ["--generate", "password", "--length", "7"], ["username=x", "--symbols"],
    ] {
      let refused = workspace.run(["set", "n"] + wrong + Self.key)
      #expect(refused.status == .usage, "\(wrong): \(refused.errors)")
    }
    #expect(password().utf8.count == 9)
  }

  @Test("what belongs to something that is there is not made up")
  func givenIsNotMadeUp() throws {
    let workspace = try Workspace.withVault()
    FileTree.write(Array("-----BEGIN\nx\n-----END\n".utf8), to: workspace.home + "/key")
    let added = workspace.type(
      ["add", "ssh-key", "k"] + Self.key,
      [
        ("Public key: ", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFEHeSU5zB0AHGoE/Zy0MyMsUfdNlY1oLBjPn8r9Cwqd c\n"),
        ("Private key, not shown (a line, or Enter for a file or the editor): ", "@none\n"),
        ("Private key, not shown", "\n"), ("File (Enter for the editor): ", "none\n"),
        ("Private key, not shown", "@~/key\n"), ("[Passphrase of the private key], not shown: ", "\n"),
        ("More? Fingerprint", "\n"),
      ])
    #expect(added.code == 0, "\(added.errors)\(added.shown)")
    #expect(!added.shown.contains("@none"), "\(added.shown)")
    #expect(added.shown.contains("That file does not exist."), "\(added.shown)")
    #expect(added.shown.contains("Private key: 22 bytes from \(workspace.home)/key"), "\(added.shown)")
    #expect(workspace.open("get", "k", "private_key").output == "-----BEGIN\nx\n-----END\n")
    #expect(workspace.open("get", "k", "passphrase").status == .notFound)
  }

  @Test("a text of several lines is a line typed once, a file, or what the editor has; @@ begins a line with @")
  func linesComeFromElsewhere() throws {
    let workspace = try Workspace.withVault()
    let typed = addLogin(workspace, notes: [(Self.notes, "@@home\n")])
    #expect(typed.code == 0, "\(typed.shown)")
    #expect(!typed.shown.contains("home\r"), "\(typed.shown)")
    #expect(workspace.open("get", "n", "notes").output == "@home")
    let editor = workspace.write("#!/bin/sh\nprintf 'one\\ntwo\\n' >>\"$1\"\n", to: "editor.sh")
    workspace.prepare("chmod +x \(editor)")
    let edited = try Workspace.withVault()
    let outcome = addLogin(
      edited, notes: [(Self.notes, "@\n"), ("File (Enter for the editor): ", "\n")], adding: ["EDITOR": editor])
    #expect(outcome.code == 0, "\(outcome.shown)")
    #expect(outcome.shown.contains("[Notes]: 8 bytes from the editor"), "\(outcome.shown)")
    #expect(edited.open("get", "n", "notes").output == "one\ntwo\n")
    #expect(!outcome.shown.contains("two"))
    let none = try Workspace.withVault()
    let empty = addLogin(
      none, notes: [(Self.notes, "@\n"), ("File (Enter for", "\n"), (Self.notes, "\n")], adding: ["EDITOR": "true"])
    #expect(empty.code == 0, "\(empty.shown)")
    #expect(none.open("get", "n", "notes").status == .notFound, "\(empty.shown)")
  }

  @Test("six words are made at Enter, shown once, and typed as they were written down")
  func sixWords() throws {
    let workspace = try Workspace()
    let words = { @Sendable (shown: String) -> [Substring] in
      shown.split(whereSeparator: \.isWhitespace).filter { $0.split(separator: "-").count == 6 }
    }
    var plan = workspace.plan(["init", "v", "--passphrase", "--work-factor", "10"])
    plan.terminal = [
      ("New passphrase (Enter makes six words): ", "\n"), ("wrote down: ", "a-b\n"), ("wrote down: ", "\0"),
    ]
    plan.reply = { words($0)[0] + "\n" }
    plan.environment["TERM"] = "xterm"
    let made = plan.run()
    #expect(made.code == 0, "\(made.errors)\(made.shown)")
    #expect(words(made.shown).count == 1, "\(made.errors)\(made.shown)")
    #expect(made.shown.contains("That does not match the words above."))
    #expect(made.shown.hasSuffix("The passphrase is six words.\r\n"))
    #expect(made.shown.contains("\u{1B}[7A"), "the words are taken off the screen")
    let passphrase = try #require(words(made.shown).first)
    let added = workspace.type(
      ["add", "login", "title=n", "--generate", "password", "--vault", "v"], [("Passphrase of v: ", passphrase + "\n")])
    #expect(added.code == 0, "\(added.errors)")
  }

  @Test(
    "a weak passphrase or password is said to be so, in words without it, and taken all the same",
    .enabled(if: Need.zxcvbn.isMet(forCases: 1, of: "weak passwords")))
  func weakIsSaid() throws {
    let workspace = try Workspace.withVault()
    func addKey(_ passphrase: String) -> ProcessOutcome {
      _ = workspace.write(passphrase, to: "p")
      return workspace.open("key", "add", "--passphrase", "--new-passphrase-file", "p", "--work-factor", "10")
    }
    let weak = addKey("hunter2")
    #expect(weak.code == 0)
    #expect(!weak.errors.contains("hunter2"))
    #expect(
      weak.errorLines.first?.hasPrefix("note: the passphrase is weak: it could be guessed in about 2,000 tries") == true
    )
    #expect(addKey("correct horse").errors.contains("200 million tries"))
    #expect(addKey("lefeg-poziz-kafuf-punas-dadet").errors.isEmpty)
    let added = addLogin(
      workspace, password: [(Self.password, "password\n"), ("Password, again: ", "password\n")])
    #expect(added.code == 0)
    #expect(
      added.errors.contains("note: the password is weak: it could be guessed in about one try"), "\(added.errors)")
    #expect(!added.shown.contains("password\r"))
    let made = workspace.type(
      ["set", "n", "--secret", "password", "--length", "8"] + Self.key, [("password, not shown", "\n")])
    #expect(made.code == 0)
    #expect(!made.errors.contains("weak"), "\(made.errors)")
  }
}
