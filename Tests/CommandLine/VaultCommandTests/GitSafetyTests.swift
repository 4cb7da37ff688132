import Testing
import VaultTestSupport

@Suite("What git brings, and what it may start", .enabled(if: GitBench.isThere))
struct GitSafetyTests {
  // MARK: - Commits that are made again

  @Test(
    "two commits of one record are made again on top of another change of it, without an alarm",
    arguments: ["rebase", "pull --rebase", "cherry-pick"])
  func replayed(_ operation: String) throws {
    let bench = try GitBench()
    try bench.there.change("title", "Other")
    try bench.here.change("username", "Oslo")
    try bench.here.seal("password", "rose")
    let script =
      switch operation {
      case "pull --rebase": "git pull -q --rebase ../b"
      case "cherry-pick":
        "git fetch -q ../b; git branch own; git reset -q --hard FETCH_HEAD; git cherry-pick own~1 own"
      default: "git fetch -q ../b; git \(operation) FETCH_HEAD"
      }
    let run = bench.here.shell(script)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    for (field, value) in [("title", "Other"), ("username", "Oslo"), ("password", "rose")] {
      #expect(bench.here.value(field) == value, "\(field)")
    }
    let verified = bench.here.vault("verify")
    #expect(verified.code == 0, "\(verified.errors)")
    #expect(bench.here.vault("set", bench.id, "username=Rome").code == 0)
  }

  @Test("an old version that is no part of what is made again is refused, and the way on works")
  func seen() throws {
    let bench = try GitBench()
    try bench.there.change("title", "Other")
    bench.here.shell("git branch before")
    try bench.here.change("username", "Oslo")
    try bench.here.change("username", "Rome")
    bench.here.shell("git switch -q --detach before")
    let state = ["CVAULT_STATE_DIR": bench.workspace.path + "/state-other"]
    try bench.here.with(state).change("username", "Bern")
    let merged = bench.bring("merge -q")
    #expect(merged.code != 0)
    #expect(merged.errors.contains("this machine has seen a later version"), "\(merged.errors)")
    let left = bench.here.vault("merge", "--continue")
    #expect(left.status == .partlyDone)
    let line = left.errors.split(separator: "`").first { $0.hasPrefix("vault pin update") }
    let accepted = bench.here.shell(String(try #require(line, "\(left.errors)")))
    #expect(accepted.code == 0, "\(accepted.errors)")
    let joined = bench.here.vault("merge", "--continue")
    #expect(joined.code == 0, "\(joined.output)\(joined.errors)")
    #expect(bench.here.value("title") == "Other")
    #expect(bench.here.value("username") == "Bern")
  }

  // MARK: - Changes of only one side

  private func shell(_ clone: GitBench.Clone, _ script: String) -> ProcessOutcome {
    clone.shell(
      script.replacing("FILE", with: clone.bench.file).replacing("ID", with: clone.bench.id))
  }

  @Test(
    "a commit that brings back, forges or exchanges a record is refused before the merge begins",
    arguments: [
      ("git checkout -q HEAD^ -- FILE", 14, "went back"), ("sed -i s/Wei/Lee/ FILE", 14, "without a key"),
      ("cp $(git ls-files records | grep -v ID | head -1) FILE", 14, ""),
      (
        "sed -i 's/\"revision\" : 2/\"revision\" : 9/' FILE; sed -i 's/\"mac\" : \"..../\"mac\" : \"AAAA/' FILE", 13,
        "does not verify"
      ),
    ] as [(String, Int32, String)], [false, true])
  func offered(_ attack: (String, Int32, String), _ isParted: Bool) throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    bench.there.shell("git pull -q ../v")
    _ = shell(bench.there, attack.0 + "; git add -A; git commit -qm offered")
    if isParted { bench.here.shell("git commit -q --allow-empty -m own") }
    bench.here.shell("git fetch -q ../b")
    let head = bench.here.shell("git rev-parse HEAD").output
    let fresh = bench.here.with(["CVAULT_STATE_DIR": bench.workspace.path + "/fresh"])
    let merged = fresh.vault("merge", "FETCH_HEAD")
    #expect(merged.code == attack.1, "\(merged.output)\(merged.errors)")
    #expect(merged.errors.contains(attack.2), "\(merged.errors)")
    #expect(bench.here.shell("git rev-parse HEAD").output == head)
    #expect(bench.here.shell("git status --porcelain").output.isEmpty)
  }

  @Test(
    "a commit that puts a live record into the trash as well is refused, also where this side has changed the record",
    arguments: [
      "mkdir -p trash; cp FILE trash/ID.json", "vault remove ID -y; git checkout -q HEAD -- FILE",
      "mkdir -p trash; cp FILE trash/ID.json; vault set ID username=z || true",
    ], [false, true])
  func twin(_ attack: String, _ isChangedHere: Bool) throws {
    let bench = try GitBench()
    _ = shell(bench.there, attack + "; git add -A; git commit -qm offered")
    if isChangedHere { try bench.here.change("title", "Own") }
    bench.here.shell("git fetch -q ../b")
    let merged = bench.here.vault("merge", "FETCH_HEAD")
    #expect(merged.status == .findings, "\(merged.output)\(merged.errors)")
    #expect(merged.errors.contains("is among the records and in the trash"), "\(merged.errors)")
    #expect(bench.here.shell("git status --porcelain").output.isEmpty)
  }

  @Test("an honest commit is taken, and what could not be verified is said")
  func honest() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    bench.here.shell("git fetch -q ../b")
    let taken = bench.here.vault("merge", "FETCH_HEAD", "-v")
    #expect(taken.code == 0, "\(taken.errors)")
    #expect(taken.errors.contains("verified what only the other side changed: 1"), "\(taken.errors)")
    bench.there.shell("vault key add --generate-identity ../two.txt --label Ben; git add -A; git commit -qm two")
    try bench.there.change("username", "Rome")
    bench.here.shell("git fetch -q ../b")
    let told = bench.here.vault("merge", "FETCH_HEAD")
    #expect(told.code == 0, "\(told.errors)")
    #expect(told.errors.contains("so 1 record that only it changed is not verified"), "\(told.errors)")
    #expect(bench.here.vault("verify").code == 0)
  }

  // MARK: - Programs

  @Test("no filter of a repository runs when a merge is planned, and a touched file is no change")
  func filter() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    bench.here.shell(
      """
      git fetch -q ../b; mkdir -p .git/info; echo '* filter=x filter=a=b' >.git/info/attributes
      git config filter.x.clean 'id >../ran; cat'; git config filter.x.smudge 'id >../ran; cat'
      git config filter.x.required true; git config filter.x.process 'id >../ran'
      touch vault.json records/*/*
      """)
    let planned = bench.here.vault("merge", "FETCH_HEAD", "--dry-run", "--no-input")
    #expect(planned.code == 0, "\(planned.errors)")
    for words in ["check", "doctor", "git check"] { _ = bench.here.shell("vault " + words) }
    #expect(FileTree.mode(of: bench.workspace.path + "/ran") == nil)
    bench.here.shell("echo ' ' >>\(bench.file)")
    let changed = bench.here.vault("merge", "FETCH_HEAD", "--dry-run")
    #expect(changed.status == .findings)
    #expect(changed.errors.contains("has changes that are not committed"))
    #expect(FileTree.mode(of: bench.workspace.path + "/ran") == nil)
  }

  @Test("hooks of a merge and the editor get none of the program's variables")
  func variables() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    bench.here.shell("vault add login --set title=Own; git add -A; git commit -qm own; git fetch -q ../b")
    for hook in ["post-index-change", "reference-transaction", "prepare-commit-msg"] {
      bench.here.shell(
        "printf '#!/bin/sh\\nenv >>../seen; echo ran >>../seen\\n' >.git/hooks/\(hook); chmod +x .git/hooks/\(hook)")
    }
    let given = bench.here.with(["CVAULT_PASSPHRASE_COMMAND": "echo MARKER"])
    #expect(given.vault("merge", "FETCH_HEAD").code == 0)
    let seen = bench.workspace.text(of: "seen")
    #expect(seen.contains("ran"))
    #expect(!seen.contains("CVAULT_"), "\(seen)")
    bench.here.shell("printf '#!/bin/sh\\nenv >../edited\\n' >../editor; chmod +x ../editor")
    let editor = given.with(["CVAULT_PASSPHRASE_COMMAND": "", "EDITOR": bench.workspace.path + "/editor"])
    _ = editor.type(["edit", bench.id], [])
    let edited = bench.workspace.text(of: "edited")
    #expect(edited.contains("EDITOR="))
    #expect(!edited.contains("CVAULT_"), "\(edited)")
  }

  @Test(
    "CVAULT_GIT does not start programs of a clone to which nobody has agreed on this machine",
    arguments: [
      "echo 'echo >../ran' >>.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
      "git config core.hooksPath hooks", "git config filter.x.clean 'echo >../ran; cat'",
      "git config gpg.program ../evil", "git config core.fsmonitor ../evil", "git config include.path ../evil",
    ])
  func consent(_ script: String) throws {
    let bench = try GitBench()
    bench.here.shell("echo '#!/bin/sh' >.git/hooks/pre-commit; " + script)
    let committing = bench.here.with(["CVAULT_GIT": "commit"])
    let refused = committing.vault("set", bench.id, "username=Oslo")
    #expect(refused.code == 0)
    #expect(refused.errors.contains("not committed: a commit in this clone starts programs"), "\(refused.errors)")
    #expect(refused.errors.contains("vault git setup --commit"))
    #expect(FileTree.mode(of: bench.workspace.path + "/ran") == nil)
    #expect(bench.here.shell("git status --porcelain").output.contains(bench.file))
    #expect(bench.here.shell("git config --unset core.hooksPath; vault git setup --commit").code == 0)
    let allowed = committing.vault("set", bench.id, "username=Rome")
    #expect(!allowed.errors.contains("a commit in this clone starts programs"))
  }

  // MARK: - Servers

  /// The example of docs/git.md.
  private static let hook = """
    #!/bin/sh
    # hooks/pre-receive of the bare repository
    while read -r old new ref; do
      case $new in *[!0]*) ;; *) continue ;; esac
      git cat-file -e "$old^{commit}" 2>/dev/null || old=HEAD
      vault git check "$old..$new" --vault VAULT || exit 1
    done

    """

  @Test(
    "a server's hook takes an honest push and refuses a bad one, at the top and in a folder", arguments: ["", "ops"])
  func server(_ folder: String) throws {
    let bench = try GitBench()
    let text = Self.hook.replacing("VAULT", with: folder.isEmpty ? "." : folder)
    bench.here.shell("git init -q --bare ../hub; git remote add hub ../hub")
    _ = bench.workspace.write(text, to: "hub/hooks/pre-receive")
    bench.here.shell("chmod +x ../hub/hooks/pre-receive")
    if !folder.isEmpty {
      bench.here.shell(
        "mkdir \(folder); git mv vault.json slots records .gitattributes .gitignore \(folder); git commit -qm moved")
    }
    let inner = bench.here.with(["CVAULT_DIR": bench.here.path + "/" + folder])
    let push = "env -u CVAULT_DIR git push -q hub HEAD:main"
    let first = inner.shell(push)
    #expect(first.code == 0, "\(first.errors)")
    #expect(inner.shell("vault set \(bench.id) username=Oslo; git commit -qam good; \(push)").code == 0)
    let attached = inner.shell("vault attach \(bench.id) ../id.txt; git add -A; git commit -qm attached; \(push)")
    #expect(attached.code == 0, "\(attached.errors)")
    let file = (folder.isEmpty ? "" : folder + "/") + bench.file
    let bad = inner.shell("sed -i s/Oslo/Rome/ \(file); git commit -qam bad; \(push)")
    #expect(bad.code != 0)
    #expect((bad.output + bad.errors).contains("was changed without a key"), "\(bad.errors)")
    let lost = inner.shell(
      "git reset -q --hard HEAD^; vault key add --generate-identity ../2.txt --label B; git commit -qam lost; \(push)")
    #expect(lost.code != 0)
    #expect((lost.output + lost.errors).contains(".age is missing"), "\(lost.errors)")
  }
}
