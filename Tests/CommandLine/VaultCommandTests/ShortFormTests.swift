import Testing
import VaultTestSupport

@Suite("What may be left out", .atTerminal)
struct ShortFormTests {
  private static let key = ["--vault", "v", "--identity", "id.txt"]

  private func type(
    _ workspace: Workspace, _ arguments: String..., outputOnTerminal: Bool = false
  ) -> ProcessOutcome {
    workspace.type(
      arguments + Self.key, [], outputOnTerminal: outputOnTerminal, errorsOnTerminal: true, adding: ["NO_COLOR": "1"])
  }

  @Test("-g makes the password up, or the fields beside it, and says which")
  func madeUp() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "-g", "GitHub", "username=ada")
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.errors == "note: password: generated, 24 characters\n", "\(added.errors)")
    let first = workspace.open("get", "GitHub", "password").output
    #expect(first.utf8.count == 24)
    #expect(type(workspace, "set", "-g", "git", "--words", "4", "--yes").shown.contains("password: generated, 4 words"))
    let second = workspace.open("get", "GitHub", "password").output
    #expect(second.split(separator: "-").count == 4)
    #expect(workspace.open("set", "GitHub", "username=eve", "-g", "secrets.recovery").errors.isEmpty)
    #expect(workspace.open("get", "GitHub", "password").output == second)
    #expect(workspace.open("get", "GitHub", "secrets.recovery").output.utf8.count == 24)
    #expect(workspace.open("get", "GitHub", "username").output == "eve")
    #expect(workspace.open("add", "customer", "-g", "Ada", "access_key").code == 0)
    #expect(workspace.open("get", "Ada", "access_key").output.utf8.count == 24)
  }

  @Test("-g makes up no token, no note and nothing readable, and takes no value of a secret")
  func notMadeUp() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "GitHub", "-g").code == 0)
    for words in [
      ["add", "secure-note", "-g", "n"], ["add", "api-key", "issuer=x", "-g"], ["add", "ssh-key", "-g", "title=k"],
      ["set", "GitHub", "-g", "username"], ["set", "-g", "GitHub", "password=12345678"],
    ] {
      let refused = workspace.run(words + Self.key)
      #expect(refused.status == .usage, "\(words): \(refused.errors)")
    }
    #expect(workspace.open("set", "GitHub", "-g", "nothing").status == .inputRefused)
    #expect(workspace.run("list", "--vault", "v", "--json").output.components(of: "\"id\"") == 1)
  }

  @Test("at a terminal a new record is a login where nothing else can be meant; elsewhere its kind is named")
  func login() throws {
    let workspace = try Workspace.withVault()
    let added = type(workspace, "add", "-g", "GitHub", "username=ada")
    #expect(added.code == 0, "\(added.shown)")
    #expect(workspace.open("get", "GitHub", "username").output == "ada")
    for words in [
      ["add", "-g", "logn"], ["add", "-g", "Login"], ["add", "-g", "data"], ["add", "-g", "password"],
      ["add", "-g", "url=x"], ["add", "--secret-stdin", "password", "hunter2"], ["add", "Mail", "--no-input", "-g"],
      ["add", "Mail", "--json", "-g"],
    ] {
      let refused = workspace.type(words + Self.key, [], errorsOnTerminal: true)
      // A word that could be the secret is not shown as a kind.
      let expected: Ending = words.contains("hunter2") ? .usage : .inputRefused
      #expect(refused.status == expected, "\(words): \(refused.shown)")
      #expect(!refused.shown.contains("hunter2"))
    }
    #expect(workspace.open("add", "-g", "Mail").status == .inputRefused, "no terminal")
    let asked = workspace.type(
      ["add", "Mail"] + Self.key, [("[User name]: ", "\u{4}")], errorsOnTerminal: true)
    #expect(asked.status == .declined, "\(asked.shown)")
    #expect(asked.shown.hasPrefix("A new login."), "\(asked.shown)")
    #expect(workspace.open("add", "-g", "login", "Bank").code == 0, "a kind's name is a kind")
  }

  @Test("on the screen the main secret needs no field; a pipe names it")
  func mainSecret() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "GitHub", "-g").code == 0)
    let password = workspace.open("get", "GitHub", "password").output
    let shown = type(workspace, "get", "git", outputOnTerminal: true)
    #expect(shown.code == 0, "\(shown.shown)")
    #expect(shown.shown == "note: GitHub (login)\r\n\(password)\r\n", "\(shown.shown)")
    #expect(type(workspace, "get", "git").status == .usage)
    #expect(type(workspace, "get", "git", "--no-reveal", outputOnTerminal: true).status == .declined)
  }

  /// The recipient of an identity that nobody has added yet.
  private func recipient(_ workspace: Workspace) throws -> String {
    try #require(workspace.run("init", "w", "--generate-identity", "ada.key").code == 0)
    let slots = JSON(workspace.run("key", "list", "--vault", "w", "--json").stdout)["slots"]
    return try #require(slots?[0]?["recipient"]?.text)
  }

  @Test("a person is added by a recipient, or by a file with one, which names the slot")
  func addedPerson() throws {
    let workspace = try Workspace.withVault()
    let ada = try recipient(workspace)
    _ = workspace.write("# Ada\n\(ada)\n", to: "ada.pub")
    _ = workspace.write("\(ada)\n\(ada)\n", to: "two.pub")
    #expect(workspace.open("key", "add", "two.pub").status == .inputRefused)
    #expect(workspace.open("key", "add", "none.pub").status == .inputOutput)
    let secret = workspace.open("key", "add", "ada.key")
    #expect(secret.status == .inputRefused, "an identity is no recipient")
    #expect(!secret.errors.contains("AGE-SECRET"), "an identity is no recipient")
    for words in [["ada.pub", "--recipient", ada], ["ada.pub", "Ada", "--label", "Ada"], ["age1nonsense"]] {
      #expect(workspace.run(["key", "add"] + words + Self.key).status == .usage, "\(words)")
    }
    let added = workspace.open("key", "add", "./ada.pub")
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.errors.contains("is for \(ada)"), "\(added.errors)")
    #expect(workspace.run("key", "list", "--vault", "v").output.contains("\(ada)  ada\n"))
    #expect(workspace.run("list", "--vault", "v", "--verify", "--identity", "ada.key").code == 0)
    #expect(workspace.open("key", "remove", "ada").code == 0)
    #expect(workspace.open("key", "add", ada, "Ada's laptop").code == 0)
    #expect(workspace.run("key", "list", "--vault", "v").output.contains("  Ada's laptop\n"))
  }

  @Test("a person is removed by a part of the label, which is asked about, and what to replace is listed")
  func removedPerson() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("key", "add", try recipient(workspace), "Ada's laptop").code == 0)
    #expect(workspace.open("add", "login", "GitHub", "-g").code == 0)
    #expect(workspace.open("key", "remove", "ada").status == .notFound)
    #expect(type(workspace, "key", "remove", "ada", "--yes").status == .notFound)
    let question = "Remove the slot \"Ada's laptop\""
    let kept = workspace.type(["key", "rm", "ada"] + Self.key, [(question, "n\n")], errorsOnTerminal: true)
    #expect(kept.status == .declined, "\(kept.shown)")
    let removed = workspace.type(
      ["key", "rm", "ada"] + Self.key, [(question, "y\n"), ("Reseal the vault now?", "y\n")], errorsOnTerminal: true)
    #expect(removed.code == 0, "\(removed.shown)")
    #expect(removed.output.contains("  GitHub  password  sealed "), "\(removed.shown)")
    #expect(workspace.run("list", "--verify", "--vault", "v", "--identity", "ada.key").status == .cannotUnlock)
  }

  @Test("a file alone is imported by how it begins; a format's name is a format")
  func importedFile() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("title,username,password\na,b,c\n", to: "x.csv")
    _ = workspace.write("title,username,password\na,b,c\n", to: "csv")
    let imported = workspace.open("import", "x.csv")
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(imported.output.contains("1 stored"), "\(imported.errors)")
    for (words, code) in [(["import", "none.csv"], 18), (["import", "csv"], 64), (["import", "-"], 64)] {
      #expect(workspace.run(words + Self.key).code == Int32(code), "\(words)")
    }
  }
}

extension String {
  /// How often a text stands in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
