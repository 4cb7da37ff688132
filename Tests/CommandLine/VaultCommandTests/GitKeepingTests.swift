import Testing
import VaultTestSupport

@Suite("Commits that commands make", .enabled(if: GitBench.isThere))
struct GitKeepingTests {
  private func bench() throws -> GitBench {
    let bench = try GitBench()
    try #require(bench.here.vault("git", "setup", "--commit").code == 0)
    return bench
  }

  private func subject(_ bench: GitBench) -> String { bench.here.shell("git log -1 --format=%s").output }
  private func commits(_ bench: GitBench) -> String { bench.here.shell("git rev-list --count HEAD").output }

  @Test("each command that writes makes one commit of what it wrote, with ids and names of fields only")
  func commands() throws {
    let bench = try bench()
    bench.here.shell("echo mine >staged; git add staged; echo x >untracked; sed -i 's/\\*/* /' .gitattributes")
    let before = bench.here.shell("git status --short").output
    let short = bench.id.prefix(8)
    for (words, wanted) in [
      ("set \(bench.id) username=Oslo", "vault set \(short): username\n"),
      ("set -g \(bench.id)", "vault set \(short): password\n"),
      ("add login --set title=Secretive", nil), ("remove -y \(bench.id)", "vault remove \(short)\n"),
      ("restore \(bench.id)", "vault restore \(short)\n"), ("remove -y \(bench.id)", "vault remove \(short)\n"),
      ("trash empty -y", "vault trash empty \(short)\n"),
      ("key add --generate-identity ../two.txt --label Ben", "vault key add\n"), ("checkpoint", "vault checkpoint\n"),
      ("rekey", "vault rekey: 3 records\n"), ("key remove Ben -y", "vault key remove\n"),
    ] as [(String, String?)] {
      let count = try #require(Int(commits(bench).dropLast()))
      let run = bench.here.shell("vault \(words)")
      #expect(run.code == 0, "\(words): \(run.errors)")
      #expect(!run.errors.contains("not committed"), "\(words): \(run.errors)")
      if let wanted { #expect(subject(bench) == wanted, "\(words)") }
      #expect(commits(bench) == "\(count + 1)\n", "\(words)")
      #expect(bench.here.shell("git status --short").output == before, "\(words)")
    }
    let log = bench.here.shell("git log --format=%B -11").output
    #expect(!log.contains("Li Wei"))
    #expect(!log.contains("Oslo"))
    #expect(!log.contains("Secretive"))
    #expect(!log.contains("Ben"))
    #expect(bench.here.vault("list").code == 0)
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.shell("git diff --quiet HEAD -- records trash slots vault.json checkpoint.jsonl").code == 0)
  }

  @Test("a commit that cannot be made is a note; the vault is written, and the index is as it was")
  func refused() throws {
    let bench = try bench()
    let count = commits(bench)
    bench.here.shell("printf '#!/bin/sh\\necho no way >&2; env | grep CVAULT; exit 1\\n' >.git/hooks/pre-commit")
    bench.here.shell("chmod +x .git/hooks/pre-commit")
    let refused = bench.here.vault("set", bench.id, "username=Oslo")
    #expect(refused.code == 0)
    #expect(bench.here.value("username") == "Oslo")
    let note = "note: not committed: git commit ended with exit status 1: no way\n"
    #expect(refused.errors.contains(note), "\(refused.errors)")
    #expect(refused.errors.contains("git commit -- \(bench.file)`"))
    #expect(!refused.errors.contains("CVAULT"))
    #expect(bench.here.vault("add", "login", "--set", "title=New").code == 0)
    #expect(bench.here.shell("git diff --cached --quiet").code == 0, "nothing is left in the index")
    bench.here.shell("rm .git/hooks/pre-commit; touch .git/index.lock")
    let locked = bench.here.vault("set", bench.id, "username=Rome")
    #expect(locked.code == 0, "\(locked.errors)")
    #expect(locked.errors.contains("index.lock"), "\(locked.errors)")
    bench.here.shell("rm .git/index.lock; git config user.useConfigOnly true")
    let nobody = bench.here.with(["GIT_AUTHOR_NAME": "", "GIT_COMMITTER_NAME": "", "GIT_COMMITTER_EMAIL": ""])
    let unknown = nobody.shell("unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL; vault set \(bench.id) username=Bern")
    #expect(unknown.code == 0, "\(unknown.errors)")
    #expect(unknown.errors.contains("not committed"), "\(unknown.errors)")
    #expect(commits(bench) == count)
    #expect(bench.here.value("username") == "Bern")
  }

  @Test("while git has something under way nothing is committed, and that is said")
  func underWay() throws {
    let bench = try bench()
    try bench.there.change("username", "Milan")
    bench.here.shell("git fetch -q ../b; git merge -q --no-ff --no-commit FETCH_HEAD")
    let count = commits(bench)
    #expect(bench.here.vault("set", bench.id, "username=Oslo").errors.contains("not committed: a merge is under way"))
    #expect(commits(bench) == count)
  }

  @Test("the variable wins over the setting, and the setting counts on the machine that made it only")
  func switches() throws {
    let bench = try bench()
    let count = commits(bench)
    #expect(bench.here.with(["CVAULT_GIT": "off"]).vault("set", bench.id, "username=a").code == 0)
    let wrong = bench.here.with(["CVAULT_GIT": "yes"]).vault("set", bench.id, "username=b")
    #expect(wrong.code == 0, "\(wrong.errors)")
    #expect(wrong.errors.contains("CVAULT_GIT must be commit or off"), "\(wrong.errors)")
    let elsewhere = bench.here.with(["CVAULT_STATE_DIR": bench.workspace.path + "/other"])
    let told = elsewhere.vault("set", bench.id, "username=c")
    #expect(told.code == 0, "\(told.errors)")
    #expect(told.errors.contains("nobody has allowed them on this machine"), "\(told.errors)")
    #expect(commits(bench) == count)
    #expect(elsewhere.with(["CVAULT_GIT": "commit"]).vault("set", bench.id, "username=d").code == 0)
    #expect(commits(bench) != count)
    #expect(bench.here.shell("git status --short").output.isEmpty)
    #expect(bench.here.vault("git", "setup", "--remove").code == 0)
    bench.here.shell("git commit -qam removed")
    let after = commits(bench)
    #expect(bench.here.vault("set", bench.id, "username=e").code == 0)
    #expect(commits(bench) == after)
  }

  @Test("a vault that git does not have yet, or ignores, is not committed")
  func unknown() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("git init -q .")
    let added = workspace.open("add", "login", "--set", "title=a", adding: ["CVAULT_GIT": "commit"])
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.errors.contains("git does not have this vault yet"), "\(added.errors)")
    workspace.prepare(
      "git add v/vault.json; git -c user.name=a -c user.email=a@b commit -qm v; echo v/records >.gitignore")
    let ignored = workspace.open("add", "login", "--set", "title=b", adding: ["CVAULT_GIT": "commit"])
    #expect(ignored.code == 0)
    #expect(
      ignored.errors
        == "note: git ignores 1 new file of the vault; run `git add -f v/records && git add -A v && git commit`\n")
  }
}
