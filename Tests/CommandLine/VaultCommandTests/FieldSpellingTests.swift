import Testing
import VaultTestSupport

/// Words of other programs for fields and kinds, and what keys are called.
@Suite("Words that people know from elsewhere")
struct FieldSpellingTests {
  @Test(
    "a field is known by the word that other programs have for it",
    arguments: [
      ("login", "url=https://a.example", "urls[0]", "https://a.example"),
      ("login", "uri=https://a.example", "url", "https://a.example"),
      ("login", "user=ada", "username", "ada"), ("login", "name=Other", "title", "Other"),
      ("login", "tag=work", "tags[0]", "work"),
      ("login", "field.city=Paris", "fields.city", "Paris"),
      ("customer", "url=a.example", "contact_info.website", "a.example"),
      ("customer", "title=Eve", "name", "Eve"),
    ])
  func assigned(_ kind: String, _ assignment: String, _ field: String, _ value: String) throws {
    let workspace = try Workspace.withVault()
    let name = kind == "login" ? "title=First" : "name=First"
    let needed = kind == "customer" ? ["--generate", "access_key"] : []
    let made = workspace.run(["add", kind, name] + needed + ["--vault", "v", "--identity", "id.txt"])
    try #require(made.code == 0, "\(made.errors)")
    let id = String(made.output.dropLast())
    let changed = workspace.open("set", id, assignment)
    #expect(changed.code == 0, "\(changed.errors)")
    #expect(workspace.open("get", id, field).output == value)
    let word = String(assignment.prefix { $0 != "=" })
    #expect(workspace.open("get", id, word).output == value, "read by the same word")
  }

  @Test("add takes the words, too, and --secret, --generate, unset and copy")
  func everywhere() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "login", "name=Bank", "user=ada", "url=https://a.example,https://b.example", "--generate", "pass",
      "--secret-stdin", "note", input: "line")
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("get", "Bank", "notes").output == "line")
    #expect(workspace.open("get", "Bank", "pass").output.utf8.count == 24)
    #expect(workspace.open("get", "Bank", "url").output.contains("https://b.example"))
    #expect(workspace.open("unset", "Bank", "user").code == 0)
    #expect(workspace.open("get", "Bank", "username").status == .notFound)
  }

  @Test("a secret is no argument under another word either", arguments: ["pass", "passwd", "password", "otp", "note"])
  func secret(_ word: String) throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "title=Bank").code == 0)
    for words in [["add", "login", "X", "\(word)=hunter2"], ["set", "Bank", "\(word)=hunter2"]] {
      let refused = workspace.run(words + ["--vault", "v", "--identity", "id.txt"])
      #expect(refused.status == .usage, "\(refused.errors)")
      #expect(!refused.errors.contains("hunter2"))
    }
  }

  @Test("above a refusal stands no note of what was not stored", arguments: ["add login X", "set Bank"])
  func noNote(_ command: String) throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "title=Bank").code == 0)
    let words = command.split(separator: " ").map(String.init)
    let refused = workspace.run(words + ["nosuch=1", "-g", "--vault", "v", "--identity", "id.txt"])
    #expect(refused.status == .inputRefused)
    #expect(!refused.errors.contains("note:"), "\(refused.errors)")
  }

  @Test(
    "one word of a kind's name stands for the kind",
    arguments: [
      ("card", "payment-card"), ("payment", "payment-card"), ("note", "secure-note"), ("secure", "secure-note"),
      ("api", "api-key"), ("ssh", "ssh-key"), ("Note", "secure-note"), ("CARD", "payment-card"),
    ])
  func kind(_ word: String, _ kind: String) throws {
    let workspace = try Workspace.withVault()
    let refused = workspace.open("add", word, "nosuch=1")
    #expect(refused.errors.contains("is not a field of the kind \(kind)"), "\(refused.errors)")
  }

  @Test("a word of two kinds' names is refused with both, also at a terminal", .atTerminal)
  func ambiguous() throws {
    let workspace = try Workspace.withVault()
    let refused = workspace.type(
      ["add", "key", "--vault", "v", "--identity", "id.txt"], [], errorsOnTerminal: true)
    #expect(refused.status == .inputRefused)
    #expect(refused.shown.contains("did you mean `api-key` or `ssh-key`?"), "\(refused.shown)")
  }

  @Test(
    "at a terminal `add card` asks for a card", .atTerminal,
    arguments: [("card", "payment-card"), ("note", "secure-note")])
  func asked(_ word: String, _ kind: String) throws {
    let workspace = try Workspace.withVault()
    let outcome = workspace.type(
      ["add", word, "--vault", "v", "--identity", "id.txt"], [("Title", "\u{4}")], errorsOnTerminal: true)
    #expect(outcome.status == .declined)
    #expect(outcome.shown.contains("A new \(kind)."), "\(outcome.shown)")
  }

  @Test("a key that is made here is called user@host, and another one is told apart; a given label counts")
  func labels() throws {
    let workspace = try Workspace()
    let user = ["USER": "ada", "LOGNAME": "ada"]
    _ = workspace.write("correct horse\n", to: "words.txt")
    let made = workspace.run(
      [
        "init", "v", "--generate-identity", "id.txt", "--passphrase", "--new-passphrase-file", "words.txt",
        "--work-factor", "10",
      ],
      adding: user)
    #expect(made.code == 0, "\(made.errors)")
    #expect(workspace.open("key", "add", "--generate-identity", "b.txt", adding: user).code == 0)
    #expect(workspace.open("key", "add", "--generate-identity", "c.txt", "--label", "", adding: user).code == 0)
    #expect(workspace.open("key", "add", "--generate-identity", "d.txt", "--label", "safe", adding: user).code == 0)
    let slots = JSON(workspace.open("key", "list", "--json").stdout)["slots"]?.items ?? []
    let labels = slots.compactMap { $0["label"]?.text }
    let shortest = labels.filter { $0.hasPrefix("ada@") }.min { $0.count < $1.count }
    let host = String(shortest?.drop { $0 != "@" } ?? "")
    #expect(host.utf8.count > 1)
    #expect(Set(labels) == ["ada\(host)", "ada\(host) 2", "ada\(host) 3", "", "safe"])
    #expect(workspace.open("key", "remove", "ada\(host) 3").code == 0)
  }
}
