import Testing
import VaultTestSupport

@Suite("Files that git does not know", .enabled(if: GitBench.isThere))
struct GitNewFilesTests {
  private func notes(_ outcome: ProcessOutcome) -> [String] {
    outcome.errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("note: ") && $0.contains(" && git") }
  }

  @Test(
    "a command that makes or removes files which git does not know prints one note with the line to type",
    arguments: [
      ("set ID username=Oslo", nil), ("add login --set title=New", "1 new file is not in git"),
      ("remove -y ID", "1 new file is not in git"),
      ("remove -y ID && git add -A && git commit -qm r && vault restore ID", "1 new file is not in git"),
      ("remove -y ID && git add -A && git commit -qm r && vault trash empty -y", "1 removed file is still in git"),
      ("attach ID ../id.txt", "1 new file is not in git"),
      (
        "attach ID ../id.txt && git add -A && git commit -qm a && vault detach -y ID id.txt",
        "1 removed file is still in git"
      ),
      ("key add --generate-identity ../two.txt --label Ben", "1 new file is not in git"),
      ("rekey", "1 new file is not in git"), ("rekey --reseal", "2 new files are not in git"),
      ("checkpoint", "1 new file is not in git"), ("export --reveal -o ../out.json -y", nil),
      ("import json ../in.json --kind login", "2 new files are not in git"), ("list", nil), ("verify", nil),
    ] as [(String, String?)])
  func note(_ words: String, _ wanted: String?) throws {
    let bench = try GitBench()
    _ = bench.workspace.write(#"[{"title": "a"}, {"title": "b"}]"#, to: "in.json")
    let run = bench.here.shell("vault " + words.replacing("ID", with: bench.id))
    #expect(run.code == 0, "\(run.errors)")
    let last = notes(run).last
    #expect(last == wanted.map { "note: \($0); run `git add -A . && git commit`" }, "\(run.errors)")
    guard wanted != nil else { return }
    #expect(bench.here.shell("git add -A . && git commit -qm line && vault check && vault git check").code == 0)
  }

  @Test(
    "a removal that is staged is told, although the folder and the last commit are whole",
    arguments: ["vault.json", "slots"])
  func staged(_ path: String) throws {
    let bench = try GitBench()
    #expect(bench.here.vault("check").code == 0)
    bench.here.shell("git rm -rq --cached \(path)")
    for words in ["check", "doctor"] {
      let told = bench.here.vault(words)
      #expect(told.status == .findings, "\(words): \(told.output)")
      #expect(told.output.contains("the next commit would lack 1 file, \(path)"), "\(words): \(told.output)")
      #expect(told.output.contains("git add -A . && git commit"), "\(words): \(told.output)")
    }
    bench.here.shell("git add -A .")
    #expect(bench.here.vault("check").code == 0)
  }

  @Test("a member who is removed as the pages say is out, and a fresh clone of what was pushed is told by name")
  func leaves() throws {
    let bench = try GitBench()
    bench.here.shell("git init -q --bare ../hub; git remote add hub ../hub")
    bench.here.shell("vault key add --generate-identity ../li.txt --label Li; git add -A; git commit -qm start")
    #expect(bench.here.vault("check").code == 0)
    let removed = bench.here.vault("key", "remove", "Li", "--rekey", "-y")
    #expect(
      notes(removed) == ["note: 2 new files are not in git; run `git add -A . && git commit`"], "\(removed.errors)")
    bench.here.shell("git commit -qam 'Li leaves'; git push -q hub HEAD")
    let slot = bench.here.shell("git ls-files -o slots").output.filter { $0 != "\n" }
    for words in ["check", "doctor", "git check"] {
      let told = bench.here.shell("vault " + words)
      #expect(told.status == .findings, "\(words): \(told.output)")
      #expect(told.output.contains(slot), "\(words): \(told.output)")
      #expect((told.output + told.errors).contains("git add -A . && git commit"), "\(words)")
    }
    bench.workspace.prepare("git clone -q hub f")
    let fresh = GitBench.Clone(bench: bench, name: "f")
    let checked = fresh.vault("git", "check")
    #expect(checked.status == .findings)
    #expect(checked.output == "\(slot) is missing\n")
    #expect(fresh.vault("git", "check", "--staged").code == 0)
    #expect(fresh.vault("doctor").output.contains("the last commit lacks slots that its vault.json names"))
    bench.here.shell("git add -A . && git commit -qm all && git push -q hub HEAD")
    fresh.shell("git pull -q")
    #expect(fresh.vault("git", "check").code == 0)
    #expect(fresh.vault("get", bench.id, "password").code == 0)
    #expect(bench.here.vault("check").code == 0)
  }

  @Test("a record that was removed and left out of the commit is found, and so is one that is still live there")
  func removed() throws {
    let bench = try GitBench()
    #expect(bench.here.vault("remove", "-y", bench.id).code == 0)
    bench.here.shell("git commit -qam gone")
    for words in ["check", "doctor", "git check"] {
      let told = bench.here.shell("vault " + words)
      #expect(told.status == .findings, "\(words)")
      #expect(told.output.contains("trash/\(bench.id).json"), "\(words): \(told.output)")
    }
    bench.there.shell("vault remove -y \(bench.id); git add trash; git commit -qm half")
    let half = bench.there.vault("git", "check")
    #expect(half.status == .findings)
    #expect(half.output.contains("\(bench.file) was removed here, and is still in git\n"), "\(half.output)")
  }

  @Test("an attachment that a committed record names and the commit lacks is found in a fresh clone")
  func attachment() throws {
    let bench = try GitBench()
    bench.here.shell("vault attach \(bench.id) ../id.txt; git commit -qam attached")
    bench.there.shell("git pull -q --no-rebase ../v")
    let found = bench.there.vault("git", "check")
    #expect(found.status == .findings)
    #expect(found.output.contains("attachments/"), "\(found.output)")
    #expect(found.output.contains(" is missing\n"))
  }

  @Test(
    "an edit that waits for its commit is no finding; a header, a new or a removed file is one",
    arguments: [
      ("vault set ID username=Oslo", 0, 0), ("vault set ID username=Oslo; git add -A", 0, 0),
      ("vault add login --set title=New; git add -A", 14, 0), ("vault add login --set title=New", 14, 14),
      ("vault key add --generate-identity ../two.txt --label Ben; git add slots", 14, 14),
      ("vault key add --generate-identity ../two.txt --label Ben; git add -A", 14, 0),
      ("vault add login --set title=New; git add -N records", 14, 14),
      ("vault add login --set title=New; git add -A; git commit -qm new", 0, 0),
      ("git update-index --skip-worktree vault.json", 0, 0), ("echo note >beside.txt", 0, 0),
      ("echo vault.json >.gitignore; git rm -q --cached vault.json; git commit -qm gone", 14, 14),
      ("echo '*' >.gitignore; git rm -rq --cached .; git commit -qm gone", 0, 0),
    ])
  func rule(_ script: String, _ check: Int32, _ index: Int32) throws {
    let bench = try GitBench()
    bench.here.shell(script.replacing("ID", with: bench.id))
    let (all, staged) = (bench.here.shell("vault doctor | grep -c '^[wf].* commit:'"), bench.here.vault("git", "check"))
    #expect(all.output == (check == 14 ? "1\n" : "0\n"), "\(bench.here.vault("doctor").output)")
    #expect(staged.code == index, "\(staged.output)\(staged.errors)")
  }

  @Test("a file that a rule keeps out of git is said when it is made, and found afterwards")
  func ignored() throws {
    let bench = try GitBench()
    bench.here.shell("echo 'slots/*' >>.gitignore; git commit -qam rule")
    let made = bench.here.vault("key", "add", "--generate-identity", "../two.txt", "--label", "Ben")
    let line = "git add -f slots && git add -A . && git commit"
    #expect(notes(made) == ["note: git ignores 1 new file of the vault; run `\(line)`"], "\(made.errors)")
    for words in ["check", "doctor", "git check"] {
      let told = bench.here.shell("vault " + words)
      #expect(told.status == .findings, "\(words)")
      #expect((told.output + told.errors).contains(line), "\(words): \(told.output)\(told.errors)")
    }
    #expect(bench.here.shell(line + " -qm all && vault git check").code == 0)
  }

  @Test("the note is left out where commands commit, where nobody reads it, and outside git")
  func silent() throws {
    let bench = try GitBench()
    for words in ["-q add login --set title=a", "add login --set title=b --json"] {
      #expect(bench.here.shell("vault " + words).errors.isEmpty, "\(words)")
    }
    let committed = bench.here.with(["CVAULT_GIT": "commit"]).vault("add", "login", "--set", "title=c")
    #expect(committed.errors.isEmpty, "\(committed.errors)")
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "--set", "title=a").errors.isEmpty)
    workspace.prepare("git init -q .; echo v >.gitignore")
    #expect(workspace.open("add", "login", "--set", "title=b").errors.isEmpty)
  }

  @Test(
    "the line works as it is pasted, wherever the vault lies and from wherever it is typed",
    arguments: [
      ("v", ".", "git add -A v && git commit"), ("v", "v", "git add -A . && git commit"),
      ("v", "v/records", "git add -A .. && git commit"), ("deep/v", "other", "git add -A ../deep/v && git commit"),
      ("two words", ".", "git add -A 'two words' && git commit"), ("it's", ".", "git add -A 'it'\\''s' && git commit"),
      ("-v", ".", "git add -A ./-v && git commit"), (":v", ".", "git add -A './:v' && git commit"),
      ("v*", ".", "git -C 'TOP/v*' add -A . && git -C 'TOP/v*' commit"), ("ü", ".", "git add -A ü && git commit"),
      ("$x", ".", "git add -A '$x' && git commit"), ("v", "..", "git -C w/v add -A . && git -C w/v commit"),
    ])
  func line(_ folder: String, _ directory: String, _ line: String) throws {
    let workspace = try Workspace()
    var environment = workspace.environment
    for role in ["AUTHOR", "COMMITTER"] {
      (environment["GIT_\(role)_NAME"], environment["GIT_\(role)_EMAIL"]) = ("Ada", "ada@example.com")
    }
    environment["CVAULT_IDENTITY_FILE"] = workspace.identity
    environment["VAULT"] = Binary.path
    func shell(_ script: String, _ directory: String) -> ProcessOutcome {
      ProcessRun(
        path: "/bin/sh", arguments: ["-c", script], environment: environment, directory: workspace.path + directory
      ).run()
    }
    let made = shell(
      "mkdir w; cd w; mkdir -p other \"$(dirname -- '\(folder.replacing("'", with: "'\\''"))')\"; git init -q .", "/")
    try #require(made.code == 0, "\(made.errors)")
    let line = line.replacing("TOP", with: workspace.path + "/w")
    let place = "/w/" + directory
    let path = directory == ".." ? "w/" + folder : workspace.path + "/w/" + folder
    environment["PLACE"] = workspace.path + "/w/" + folder
    let initialised = shell("$VAULT init \"$PLACE\" --generate-identity ../id.txt", "/w")
    try #require(initialised.code == 0, "\(initialised.errors)")
    try #require(shell("git add -A && git commit -qm start", "/w").code == 0)
    environment["PLACE"] = path
    let added = shell("$VAULT --vault=\"$PLACE\" add login --set title=a", place)
    #expect(notes(added) == ["note: 1 new file is not in git; run `\(line)`"], "\(added.errors)")
    let typed = shell(line + " -qm typed && git -C '\(workspace.path)/w' status --porcelain", place)
    #expect(typed.code == 0, "\(typed.errors)")
    #expect(typed.output.isEmpty)
  }

  @Test("in a linked work tree and in a submodule the line names the right repository")
  func others() throws {
    let bench = try GitBench()
    bench.here.shell("git worktree add -q ../tree")
    let tree = GitBench.Clone(bench: bench, name: "tree")
    let added = tree.vault("add", "login", "--set", "title=a")
    #expect(notes(added) == ["note: 1 new file is not in git; run `git add -A . && git commit`"], "\(added.errors)")
    bench.workspace.prepare(
      "git init -q whole; cd whole; git -c protocol.file.allow=always submodule --quiet add ../v sub")
    let environment = ["CVAULT_DIR": bench.workspace.path + "/whole/sub"]
    let sub = bench.here.with(environment).shell("cd ../whole; vault add login --set title=b")
    let path = bench.workspace.path + "/whole/sub"
    #expect(
      notes(sub) == ["note: 1 new file is not in git; run `git -C \(path) add -A . && git -C \(path) commit`"],
      "\(sub.errors)")
  }

  @Test("a command that writes to several vaults, or beside them, prints one note for the work tree")
  func several() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.run("init", "w", "--recipient", try recipient(workspace)).code == 0)
    workspace.prepare("git init -q .; git add -A; git -c user.name=a -c user.email=a@b commit -qm start")
    for name in ["v", "w"] {
      let named = workspace.run("vaults", "add", name, name)
      #expect(named.code == 0, "\(named.errors)")
      #expect(notes(named) == ["note: 1 new file is not in git; run `git add -A vaults.json && git commit`"])
    }
    #expect(workspace.open("add", "login", "--set", "title=Moved").code == 0)
    let moved = workspace.run(
      "move", "v:Moved", "--to", "w", "-y", adding: ["CVAULT_IDENTITY_FILE": workspace.identity])
    #expect(moved.code == 0, "\(moved.errors)")
    #expect(notes(moved).count == 1, "\(moved.errors)")
    #expect(notes(moved).first?.contains("git add -A ") == true)
  }

  private func recipient(_ workspace: Workspace) throws -> String {
    let line = workspace.text(of: "id.txt").split(separator: "\n").first { $0.hasPrefix("# public key: ") }
    return String(try #require(line).dropFirst("# public key: ".count))
  }
}
