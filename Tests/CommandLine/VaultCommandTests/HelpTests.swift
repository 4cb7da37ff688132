import Testing
import VaultTestSupport

@Suite("Help")
struct HelpTests {
  private static let firstDay = [
    "init", "import", "add", "get", "copy", "otp", "list", "find", "set", "edit", "rm", "restore", "run", "key",
    "backup", "check",
  ]

  @Test(
    "the first page fits a screen and shows the commands of a first day", arguments: [["--help"], ["help"], ["-h"]])
  func firstPage(_ words: [String]) throws {
    let help = try Workspace().run(words)
    #expect(help.code == 0)
    #expect(help.errors.isEmpty)
    let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 31)
    #expect(lines.filter { $0.count > 80 } == [])
    let shown = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("  vault ") && !$0.hasPrefix("  export ") }
    #expect(shown.map { $0.split(separator: " ")[0] } == Self.firstDay.map { $0[...] })
    // Each has its line from the command itself.
    #expect(shown.filter { $0.split(separator: " ").count < 3 } == [])
  }

  @Test("`help all` shows every command, and `help topics` what else there is")
  func everything() throws {
    let workspace = try Workspace()
    let all = workspace.run("help", "all")
    #expect(all.code == 0)
    for name in Self.firstDay + ["generate", "audit", "verify", "lint", "doctor", "status", "store", "credential"] {
      #expect(all.output.contains("\n  \(name)") || all.output.contains(", \(name)"), "\(name)")
    }
    let topics = workspace.run("help", "topics")
    #expect(topics.code == 0)
    let names = topics.output.split(separator: "\n").map(String.init)
    #expect(names.starts(with: ["all", "options"]))
    for name in names {
      let topic = workspace.run("help", name)
      #expect(topic.code == 0, "\(name)")
      #expect(topic.output.utf8.count > 200, "\(name)")
    }
  }

  @Test("a page is folded at the screen, without marks of Markdown, and its links lead somewhere")
  func pages() throws {
    let workspace = try Workspace()
    let topics = Set(workspace.run("help", "topics").output.split(separator: "\n").map(String.init))
    #expect(topics.isSuperset(of: ["backups", "git.md", "from-pass"]))
    for topic in topics where !["all", "options"].contains(topic) {
      let lines = workspace.run("help", topic).output.split(separator: "\n").map(String.init)
      let prose = lines.filter { !$0.hasPrefix("    ") }
      // A word of its own can be longer than a line.
      #expect(prose.filter { $0.count > 80 && $0.contains(" ") } == [], "\(topic)")
      #expect(prose.filter { $0.contains("](") || $0.contains("**") || $0.hasPrefix("#") || $0.hasPrefix("|") } == [])
      let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
      for line in words.split(separator: "`vault help ").dropFirst() {
        let named = String(line.prefix { $0 != "`" })
        #expect(topics.union(["TOPIC", "PAGE", "topics", "design"]).contains(named) || named.contains(" "), "\(named)")
      }
    }
  }

  @Test("a page that is longer than the screen goes through a pager")
  func paged() throws {
    let workspace = try Workspace()
    let lines = workspace.screen(["help", "backups"], rows: 10, adding: ["CVAULT_PAGER": "echo paged; cat"]).lines
    #expect(lines.first == "paged")
    #expect(lines.dropFirst().first?.contains("Backups") == true)
  }

  @Test("without a vault, `vault` says in three lines how to make one")
  func noVault() throws {
    let workspace = try Workspace()
    // Nobody asked for help in a script: it ends with an error.
    let script = workspace.run([])
    #expect(script.status == .usage)
    #expect(script.stdout.isEmpty)
    #expect(script.errorLines.count == 3)
    #expect(script.errors.contains("vault init my-vault --generate-identity identity.txt"))
    let person = workspace.type([], [], outputOnTerminal: true, errorsOnTerminal: true)
    #expect(person.code == 0)
    #expect(person.shown.contains("vault init my-vault"))
    #expect(!person.shown.contains("USAGE"))
  }

  @Test(
    "a word that stands for a list shows it alone, with the options of the list",
    arguments: ["trash", "key", "kinds", "vaults", "agent"])
  func lists(_ word: String) throws {
    let workspace = try Workspace.withVault()
    _ = workspace.run("vaults", "add", "ours", "v")
    let list = word == "agent" ? "status" : "list"
    let options = ["--json"] + (["vaults", "agent"].contains(word) ? [] : ["--vault", "v"])
    let whole = workspace.run([word, list] + options)
    let short = workspace.run([word] + options)
    #expect(whole.code == 0, "\(whole.errors)")
    #expect(short.code == 0, "\(short.errors)")
    #expect(short.output == whole.output)
    let help = workspace.run(word, "--help")
    #expect(help.output.contains("USAGE: vault \(word)"))
  }

  @Test("the name of a record in the place of a command leads to `get`")
  func recordName() throws {
    let workspace = try Workspace.withVault()
    for title in ["AWS", "two words"] {
      let made = workspace.open("add", "login", "title=\(title)", "username=u")
      try #require(made.code == 0, "\(made.errors)")
    }
    for (words, line) in [
      (["AWS"], "vault get AWS"), (["aws", "username"], "vault get aws"), (["two words"], "vault get 'two words'"),
    ] {
      let outcome = workspace.run(words, adding: ["CVAULT_DIR": workspace.vault])
      #expect(outcome.status == .usage)
      #expect(outcome.errorLines.dropFirst().first == "hint: a record has this name: `\(line)`", "\(outcome.errors)")
    }
    let other = workspace.run(["GCP"], adding: ["CVAULT_DIR": workspace.vault])
    #expect(!other.errors.contains("vault get"), "\(other.errors)")
  }
}
