import Testing
import VaultTestSupport

@Suite("Records by parts of their names", .atTerminal)
struct LookupTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    for title in ["GitLab", "GitHub", "Émile", "Émile Zola", "東京銀行"] {
      let added = workspace.open("add", "login", "title=\(title)", "username=of \(title)", "--generate", "password")
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  private func type(
    _ workspace: Workspace, _ arguments: String..., typing answers: [(prompt: String, reply: String)] = []
  ) -> ProcessOutcome {
    workspace.type(
      arguments + ["--vault", "v", "--identity", "id.txt"], answers, errorsOnTerminal: true,
      adding: ["NO_COLOR": "1"])
  }

  @Test(
    "at a terminal a part of one name is enough, in any case and without marks, and it is told which record that is",
    arguments: [("lab", "GitLab"), ("HUB", "GitHub"), ("emile", "Émile"), ("zola", "Émile Zola"), ("銀行", "東京銀行")])
  func part(_ word: String, _ name: String) throws {
    let workspace = try workspace()
    let got = type(workspace, "get", word, "username")
    #expect(got.code == 0, "\(got.shown)")
    #expect(got.output == "of \(name)", "\(got.shown)")
    #expect(got.shown == "note: \(name) (login)\r\n", "\(got.shown)")
    #expect(type(workspace, "show", word, "--json").status == .notFound, "a program asks")
    #expect(type(workspace, "set", word, "username=new").code == 0)
    #expect(workspace.open("get", name, "username").output == "new")
  }

  @Test("several are shown to choose from by number; Enter chooses none, and an exact name is never asked about")
  func several() throws {
    let workspace = try workspace()
    let chosen = type(workspace, "get", "git", "username", typing: [("Which one? [1-2] ", "7\n"), ("[1-2] ", "2\n")])
    #expect(chosen.output == "of GitLab")
    #expect(chosen.code == 0)
    #expect(chosen.shown.contains("1  GitHub  login  of GitHub  now  "), "\(chosen.shown)")
    let none = type(workspace, "get", "git", "username", typing: [("[1-2] ", "\n")])
    #expect(none.status == .declined)
    #expect(none.output == "")
    #expect(type(workspace, "get", "émile", "username").shown == "")
    #expect(workspace.open("add", "login", "title=GitLab", "username=second", "--generate", "password").code == 0)
    let twins = type(workspace, "get", "gitlab", "username", typing: [("[1-2] ", "1\n")])
    #expect(twins.code == 0)
    #expect(twins.shown.contains("second"))
  }

  @Test("removing still asks, and with --yes takes whole names only")
  func removing() throws {
    let workspace = try workspace()
    let kept = type(workspace, "remove", "lab", typing: [("Remove \"GitLab\"", "n\n")])
    #expect(kept.status == .declined, "\(kept.shown)")
    #expect(type(workspace, "remove", "lab", "--yes").status == .notFound)
    #expect(type(workspace, "remove", "lab", typing: [("[y/N] ", "y\n")]).code == 0)
    #expect(workspace.open("show", "GitLab").status == .notFound)
  }

  @Test("what was removed comes back by a part of its name, or is chosen; emptying the trash takes whole names")
  func restoring() throws {
    let workspace = try workspace()
    #expect(workspace.open("remove", "GitLab", "GitHub", "-y").code == 0)
    #expect(workspace.open("restore", "lab").status == .notFound)
    #expect(type(workspace, "trash", "empty", "lab", "--yes").status == .notFound)
    let restored = type(workspace, "restore", "lab")
    #expect(restored.code == 0, "\(restored.shown)")
    #expect(restored.shown.hasPrefix("note: GitLab (login)\r\n"), "\(restored.shown)")
    #expect(workspace.open("remove", "GitLab", "-y").code == 0)
    let chosen = type(workspace, "trash", "restore", "git", typing: [("Which one? [1-2] ", "1\n")])
    #expect(chosen.code == 0, "\(chosen.shown)")
    #expect(workspace.open("get", "GitHub", "username").code == 0, "\(chosen.shown)")
    #expect(type(workspace, "restore", "zzzz").status == .notFound)
    #expect(workspace.open("restore", "gitlab").code == 0, "a whole name, in any case")
  }

  @Test("accept and repair take a part of a name as well, where they ask")
  func health() throws {
    let workspace = try workspace()
    let file = try workspace.recordFile("GitLab")
    workspace.prepare("sed -i s/'of GitLab'/changed/ v/\(file)")
    #expect(workspace.open("repair", "lab").status == .notFound)
    #expect(type(workspace, "repair", "lab", "--yes").status == .notFound)
    let plan = type(workspace, "repair", "lab", "--dry-run")
    #expect(plan.status == .damaged)
    #expect(plan.output.contains(file))
    #expect(plan.shown.hasPrefix("note: GitLab (login)\r\n"))
    #expect(type(workspace, "repair", "hub", "--dry-run").status == .notFound, "nothing is wrong with it")
    #expect(workspace.open("accept", "lab", "--no-baseline").status == .notFound)
    #expect(type(workspace, "accept", "lab", "--no-baseline", "--yes").status == .notFound)
    let accepted = type(workspace, "accept", "lab", "--no-baseline", typing: [("Accept this record", "y\n")])
    #expect(accepted.code == 0, "\(accepted.shown)")
    #expect(workspace.open("get", "GitLab", "username").output == "changed", "\(accepted.shown)")
  }

  @Test("without a terminal, and with --no-input, a name is exact, and similar names are a hint")
  func exact() throws {
    let workspace = try workspace()
    for word in ["gitl", "gtlab"] {
      let refused = workspace.open("get", word, "username")
      #expect(refused.status == .notFound)
      #expect(refused.errorLines[0] == "vault: \(word): the vault has no such record")
      #expect(refused.errorLines[1].hasPrefix("hint: similar names: \"GitLab\""), "\(refused.errors)")
      #expect(type(workspace, "get", word, "username", "--no-input").status == .notFound)
    }
    #expect(workspace.open("get", "nobody", "username").errorLines.count == 2)
  }

  @Test("where a file says no name, since it is damaged, a name that no other has leads to it")
  func damaged() throws {
    let workspace = try workspace()
    let file = try workspace.recordFile("GitHub")
    workspace.prepare("head -c 60 v/\(file) >cut; cp cut v/\(file)")
    for words in [["get", "GitHub", "username"], ["show", "GitHub"], ["get", "GitHub", "username", "--no-index"]] {
      let run = workspace.run(
        words + ["--vault", workspace.vault], adding: ["CVAULT_IDENTITY_FILE": workspace.identity])
      #expect(run.status == .notFound, "\(words): \(run.errors)")
      #expect(run.errors.contains("hint: \(file) cannot be read"), "\(words): \(run.errors)")
    }
    #expect(!workspace.open("get", String(file.suffix(41).prefix(36)), "username").errors.contains("cannot be read"))
  }

  @Test("no passphrase is asked for a record that is not there, and a part of a name is settled before")
  func passphrase() throws {
    let workspace = try Workspace()
    let passphrase = [("Passphrase of v: ", "correct horse\n")]
    let made = workspace.type(
      ["init", "v", "--passphrase", "--work-factor", "10"],
      [("New passphrase (Enter makes six words): ", "correct horse\n"), ("again: ", "correct horse\n")])
    try #require(made.code == 0)
    let add = ["add", "login", "title=GitLab", "username=ada", "--generate", "password", "--vault", "v"]
    try #require(workspace.type(add, passphrase).code == 0)
    for command in [["get", "bank", "username"], ["set", "bank", "username=x"], ["show", "bank", "--reveal"]] {
      let refused = workspace.type(command + ["--vault", "v"], [], errorsOnTerminal: true)
      #expect(refused.status == .notFound, "\(refused.shown)")
      #expect(!refused.shown.contains("Passphrase"), "\(refused.shown)")
    }
    let got = workspace.type(["get", "git", "username", "--vault", "v"], passphrase, errorsOnTerminal: true)
    #expect(got.output == "ada", "\(got.shown)")
    #expect(got.shown.hasPrefix("note: GitLab (login)\r\nPassphrase"), "\(got.shown)")
  }
}

@Suite("What find says", .atTerminal)
struct FindTests {
  @Test("where a text stands, and of how many records these are")
  func places() throws {
    let workspace = try Workspace.withCustomers()
    let find = ["find", "--vault", "v"]
    let found = workspace.screen(find + ["paris"]).lines
    #expect(found[0].split(separator: " ") == ["NAME", "MATCH", "KIND", "AGE", "ID"])
    #expect(found[1].contains("Amélie Dubois"))
    #expect(found[1].contains("address.city: Paris"))
    #expect(workspace.screen(find + ["SHAI"]).lines[1].contains("  name  "))
    let limited = workspace.screen(find + ["example", "--limit", "2"], columns: 120).lines
    #expect(limited[1].contains("contact_info.email: …"))
    #expect(limited[1].contains("@example.com"))
    #expect(limited.contains("note: 2 of 24 records, not verified"))
    let colored = workspace.screen(find + ["paris"], adding: ["NO_COLOR": ""]).lines
    #expect(colored[1].contains("\u{1B}[1mParis\u{1B}[0m"), "\(colored[1].debugDescription)")
  }

  @Test("nothing is 10; what is near is shown at a terminal, and named in a pipe")
  func near() throws {
    let workspace = try Workspace.withCustomers()
    let shown = workspace.screen(["find", "kierkegard", "--vault", "v"])
    #expect(shown.outcome.code == 0)
    #expect(shown.lines[0] == "note: no record contains \"kierkegard\"; similar records:")
    #expect(shown.lines[2].hasPrefix("Søren Kierkegaard"))
    for more in [[], ["--no-index"]] {
      let piped = workspace.run(["find", "kierkegard", "--vault", "v"] + more)
      #expect(piped.status == .notFound)
      #expect(piped.stdout.isEmpty)
      #expect(piped.errors.hasPrefix("vault: \"kierkegard\": no record matches\nhint: similar names: \"Søren Kier"))
    }
    let value = workspace.run("find", "piermnt", "--vault", "v")
    #expect(value.status == .notFound, "\(value.errors)")
    #expect(value.errors.contains("Shai Mishali"), "\(value.errors)")
    let nothing = workspace.run("find", "zzzzqqqq", "--vault", "v", "--json")
    #expect(nothing.status == .notFound)
    #expect(JSON(nothing.stdout)["records"]?.items?.isEmpty == true)
    #expect(JSON(nothing.stderr)["code"]?.text == "nothing_found")
    #expect(!nothing.errors.contains("near"))
    #expect(workspace.screen(["find", "zzzzqqqq", "--vault", "v"]).outcome.status == .notFound)
  }
}
