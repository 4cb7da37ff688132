import Testing
import VaultTestSupport

@Suite("A commit merged in one process", .enabled(if: GitBench.isThere))
struct GitWholeMergeTests {
  /// Fetches the other clone's branch, and merges it by the program.
  private func merge(_ bench: GitBench, _ words: String = "", in clone: GitBench.Clone? = nil) -> ProcessOutcome {
    (clone ?? bench.here).shell("git fetch -q ../b; vault merge FETCH_HEAD \(words)")
  }

  private func commit(_ clone: GitBench.Clone, _ script: String) throws {
    let done = clone.shell("\(script) && git add -A && git commit -qm step")
    try #require(done.code == 0, "\(script): \(done.errors)")
  }

  @Test(
    "records, ways to unlock and checkpoints of both are joined; what needs a choice is left; others take the result")
  func joined() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try commit(bench.here, "vault set Ada username=Rome && vault key add --generate-identity ../a.txt --label Ann")
    try commit(bench.here, "vault checkpoint")
    try bench.there.seal("password", "rose")
    try commit(bench.there, "vault set Ada username=Bern && vault key add --generate-identity ../b.txt --label Ben")
    try commit(bench.there, "vault checkpoint; vault checkpoint")
    let before = bench.here.shell("git rev-parse HEAD; git status --short").output

    let nobody = bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    let planned = nobody.shell("git fetch -q ../b; vault merge FETCH_HEAD --dry-run")
    #expect(planned.status == .partlyDone, "\(planned.errors)")
    #expect(planned.output.contains("merged \(bench.file) (Li Wei)\n"), "\(planned.errors)")
    #expect(planned.output.contains("(Ada): username: both sides have changed it\n"), "\(planned.output)")
    #expect(nobody.shell("vault merge FETCH_HEAD").status == .cannotUnlock)
    #expect(bench.here.shell("git rev-parse HEAD; git status --short").output == before, "nothing is begun")

    let left = merge(bench)
    #expect(left.status == .partlyDone, "\(left.output)")
    #expect(left.output.contains("merged vault.json\nmerged checkpoint.jsonl\n"), "\(left.output)")
    #expect(bench.here.shell("git diff --name-only --diff-filter=U | wc -l").output == "1\n")
    #expect(bench.here.vault("merge", "--abort").code == 0)
    #expect(bench.here.shell("git rev-parse HEAD; git status --short").output == before)
    #expect(bench.here.vault("verify").code == 0, "no alarm is left behind")

    let chosen = merge(bench, "--theirs Ada")
    #expect(chosen.code == 0, "\(chosen.output)\(chosen.errors)")
    #expect(bench.here.shell("git commit -q --no-edit && git rev-list --parents -1 HEAD | wc -w").output == "3\n")
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.value("password") == "rose")
    #expect(bench.here.vault("get", "Ada", "username").output == "Bern")
    let keys = bench.here.vault("key", "list").output
    #expect(keys.contains("Ann"))
    #expect(keys.contains("Ben"))
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.bring("merge -q", into: bench.there).code == 0)
    #expect(bench.there.vault("verify").code == 0)
    #expect(merge(bench).errors.contains("this branch already contains "))
  }

  @Test(
    "two who have emptied the trash have no alarm after the merge, and what one has deleted is listed by neither",
    arguments: [
      ("vault trash empty -y", "vault set Ada username=n; vault trash empty Shai -y"),
      ("vault trash empty Shai -y", "vault trash empty Ada -y"), ("vault trash empty Shai -y", "vault checkpoint"),
      ("vault checkpoint; vault checkpoint", "vault trash empty -y"), ("vault checkpoint", "vault checkpoint"),
    ])
  func emptied(_ ours: String, _ theirs: String) throws {
    let bench = try GitBench()
    try commit(bench.here, "vault remove Shai Ada -y && vault checkpoint")
    bench.there.shell("git pull -q ../v; vault verify")
    try commit(bench.here, ours)
    try commit(bench.there, theirs.replacing("set Ada", with: "set 'Li Wei'"))
    let merged = merge(bench)
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    try #require(bench.here.shell("git add -A; git commit -q --no-edit").code == 0)
    for clone in [bench.here, bench.there] {
      if clone.name == "b" { try #require(bench.bring("merge -q", into: clone).code == 0) }
      let verified = clone.vault("verify")
      #expect(verified.code == 0, "\(clone.name): \(verified.errors)")
      #expect(clone.vault("checkpoint").code == 0)
    }
  }

  @Test("a record is itself by its id, whatever git takes for a renaming")
  func ids() throws {
    let bench = try GitBench()
    let title = String(repeating: "long enough to be alike ", count: 60)
    try commit(bench.here, "vault set \(bench.id) title='\(title)'")
    bench.there.shell("git pull -q --no-edit ../v")
    // git takes the new record for the old one under another name.
    try commit(
      bench.here,
      "vault remove -y \(bench.id) && vault trash empty -y && vault add login --set title='\(title)' --set username=new"
    )
    try bench.there.change("username", "Oslo")
    let left = merge(bench)
    #expect(left.status == .partlyDone, "\(left.output)\(left.errors)")
    #expect(left.output.contains("left \(bench.file)"), "\(left.output)\(left.errors)")
    #expect(left.output.contains("one side has removed the record, and the other has changed it"))
    #expect(
      bench.here.shell("git commit -qm early").code == 128, "git waits for it, though it has paired it with another")
    let kept = bench.here.vault("merge", "--continue", "--theirs", bench.id)
    #expect(kept.code == 0, "\(kept.output)\(kept.errors)")
    #expect(bench.here.shell("git commit -q --no-edit; git status --short").output.isEmpty)
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.vault("verify").output.hasPrefix("4 records"))
  }

  @Test("where the branches have merged each other before, all joins as well")
  func crissCross() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    bench.here.shell("git branch before")
    #expect(bench.bring("merge -q --no-edit").code == 0)
    #expect(bench.there.shell("git fetch -q ../v before && git merge -q --no-edit FETCH_HEAD").code == 0)
    try bench.here.change("title", "Here")
    try bench.there.change("username", "Rome")
    let planned = merge(bench, "--dry-run")
    #expect(planned.status == .partlyDone, "\(planned.errors)")
    #expect(planned.errors.contains("have several common ancestors"), "\(planned.errors)")
    let merged = merge(bench)
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(bench.here.shell("git commit -q --no-edit").code == 0)
    #expect(bench.here.vault("verify").code == 0)
    for (field, value) in [("title", "Here"), ("username", "Rome"), ("password", "rose")] {
      #expect(bench.here.value(field) == value)
    }
  }

  @Test("headers that cannot be joined stay in conflict, the records wait for them, and what leads on is said")
  func header() throws {
    let bench = try GitBench()
    try commit(bench.here, "vault rekey && vault set \(bench.id) username=a")
    try commit(bench.there, "vault rekey && vault set \(bench.id) username=b")
    let left = bench.here.shell("git fetch -q ../b; git merge FETCH_HEAD; vault merge --continue")
    #expect(left.status == .partlyDone, "\(left.output)\(left.errors)")
    let reason = "left vault.json: the two sides are under different root keys"
    #expect(left.output.contains(reason), "\(left.output)\(left.errors)")
    #expect(left.errors.contains("`vault merge --abort` aborts the merge"))
    #expect(left.errors.contains("`vault diff "))
    #expect(bench.here.shell("git ls-files -u vault.json | wc -l; cat vault.json").output.contains("<<<<<<< "))
    #expect(bench.here.vault("merge", "--abort").code == 0)
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test(
    "where both replaced the root key nothing is begun, and the steps that are named lead on",
    arguments: ["", " --reseal"])
  func bothRotated(_ rotation: String) throws {
    let bench = try GitBench()
    try commit(bench.there, "vault set \(bench.id) username=before")
    let before = bench.there.shell("git rev-parse --short HEAD").output.filter { $0 != "\n" }
    try commit(bench.there, "vault rekey\(rotation)")
    try commit(bench.there, "vault set Ada username=after")
    try commit(bench.here, "vault set Shai username=here && vault rekey\(rotation)")
    for words in ["", "--dry-run", "--adopt-old-root -y"] {
      let refused = merge(bench, words)
      #expect(refused.status == .findings)
      #expect(refused.errors.contains("has replaced the root key, and so has this branch"))
      #expect(refused.errors.contains("`vault merge \(before) --adopt-old-root`"), "\(refused.errors)")
      #expect(bench.here.shell("test -e .git/MERGE_HEAD").code == 1)
    }
    let taken = bench.here.vault("merge", before, "--adopt-old-root", "-y", bench.id)
    #expect(taken.code == 0, "\(taken.output)\(taken.errors)")
    bench.here.shell("git commit -q --no-edit")
    let again = merge(bench)
    #expect(again.status == .findings, "that is done: \(again.errors)")
    #expect(!again.errors.contains("--adopt-old-root"), "that is done: \(again.errors)")
    let shown = bench.here.vault("diff", before, "FETCH_HEAD").output
    #expect(shown.contains("Ada"), "\(shown)")
    #expect(shown.contains("username: \"x\" → \"after\""), "\(shown)")
    try commit(bench.here, "vault set Ada username=after")
    #expect(bench.here.shell("git merge -q -s ours FETCH_HEAD").code == 0)
    #expect(bench.here.value("username") == "before")
    #expect(bench.here.vault("get", "Ada", "username").output == "after")
    #expect(bench.here.vault("get", "Shai", "username").output == "here")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("a rotation on their side has to be known here; the merge waits for that, and can be given up")
  func rotated() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try commit(bench.there, "vault rekey")
    let refused = merge(bench)
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    #expect(refused.errors.contains("note: the merge has begun"), "\(refused.errors)")
    #expect(bench.here.vault("merge", "--abort").code == 0)
    #expect(bench.here.vault("verify").code == 0)
    #expect(merge(bench).status == .unexpectedVault)
    let fingerprint = bench.there.vault("fingerprint").output.filter { $0 != "\n" }
    #expect(bench.here.vault("pin", "update", "-y", "--fingerprint", fingerprint).code == 0)
    #expect(bench.here.vault("merge", "--continue").code == 0)
    #expect(bench.here.shell("git commit -q --no-edit").code == 0)
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test(
    "killed at any moment, git has begun nothing, or can go on and go back", arguments: [0.02, 0.05, 0.1, 0.2, 0.4])
  func killed(_ seconds: Double) throws {
    let bench = try GitBench()
    for name in ["Li Wei", "Ada", "Shai"] {
      try commit(bench.here, "vault set '\(name)' username=here")
      try commit(bench.there, "vault set -g '\(name)'")
    }
    bench.here.shell(
      "git fetch -q ../b; setsid -w sh -c 'echo $$ >../session; timeout -s KILL \(seconds) vault merge FETCH_HEAD'")
    // git itself goes on, with children of its own: all of them are in the session of the command.
    bench.here.shell("while pgrep -r D,R,S,T -s \"$(cat ../session)\" >/dev/null; do sleep 0.05; done")
    let isBegun = bench.here.shell("test -e .git/MERGE_HEAD").code == 0
    #expect(bench.here.vault("merge", isBegun ? "--continue" : "FETCH_HEAD").code == 0)
    #expect(bench.here.shell("git ls-files --unmerged").output.isEmpty)
    #expect(bench.here.vault("merge", "--abort").code == 0)
    #expect(bench.here.shell("git status --short").output.isEmpty)
    #expect(bench.here.vault("verify").code == 0)
    #expect(merge(bench).code == 0)
    #expect(bench.here.shell("git commit -q --no-edit").code == 0)
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("joined headers of a merge that git began are made by --continue")
  func continued() throws {
    let bench = try GitBench()
    try commit(bench.here, "vault key add --generate-identity ../a.txt --label Ann")
    try commit(bench.there, "vault key add --generate-identity ../b.txt --label Ben")
    let nobody = bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    #expect(bench.bring("merge", into: nobody).code == 1)
    let conflict = bench.workspace.text(of: "v/vault.json")
    #expect(conflict.contains("<<<<<<< "))
    #expect(nobody.vault("merge", "--continue").status == .cannotUnlock)
    #expect(bench.workspace.text(of: "v/vault.json") == conflict, "without a key both sides stay there")
    let done = bench.here.vault("merge", "--continue")
    #expect(done.code == 0, "\(done.output)\(done.errors)")
    #expect(done.output == "merged vault.json\n", "\(done.output)\(done.errors)")
    #expect(bench.here.shell("git commit -q --no-edit").code == 0)
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test(
    "no driver is started for a file of the vault, whatever the clone names; all else git merges as it is set up to",
    arguments: [".", "a \"b\" [c]*\\"])
  func drivers(_ folder: String) throws {
    let bench = try GitBench(settingUp: false)
    bench.workspace.prepare("mkdir merging")
    let clones = [bench.here, bench.there].map { clone in
      clone.with(["CVAULT_DIR": clone.path + "/" + folder, "TMPDIR": bench.workspace.path + "/merging"])
    }
    if folder != "." {
      let move = "for file in $(git ls-files | cut -d/ -f1 | sort -u); do git mv $file \"$CVAULT_DIR/\"; done"
      try commit(clones[0], "mkdir \"$CVAULT_DIR\" && \(move)")
    }
    try commit(clones[0], "printf 'records/**/*.json merge=vault\\n' >\"$CVAULT_DIR/.gitattributes\"")
    try commit(clones[0], "echo base >other && echo base >lines")
    clones[1].shell("git pull -q ../v")
    for (clone, field) in zip(clones, ["username", "title"]) {
      clone.shell("printf 'other merge=other\\nlines merge=union' >.git/info/attributes")
      clone.shell("git config merge.vault.driver 'echo vault >>../called; exit 1'")
      clone.shell("git config merge.other.driver 'echo other >>../called; cat %B >>%A'")
      try commit(clone, "vault set \(bench.id) \(field)=\(clone.name); echo \(clone.name) | tee -a other >>lines")
    }
    let merged = merge(bench, in: clones[0])
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(bench.workspace.text(of: "called").hasSuffix("other\n"))
    #expect(!bench.workspace.text(of: "called").contains("vault"))
    #expect(bench.workspace.text(of: "v/lines") == "base\nv\nb\n")
    #expect(bench.workspace.text(of: "v/other") == "base\nv\nbase\nb\n")
    #expect(clones[0].shell("git commit -q --no-edit; git status --short; ls ../merging").output.isEmpty)
    #expect(clones[0].value("username") == "v")
    #expect(clones[0].value("title") == "b")
    #expect(clones[0].vault("verify").code == 0)
  }

  @Test("nothing is begun where it cannot be done, and that is said")
  func refused() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    func refuses(_ words: String, _ code: Int32, _ reason: String) {
      let run = merge(bench, words)
      #expect(run.code == code, "\(words): \(run.code) \(run.errors)")
      #expect(run.errors.contains(reason), "\(words): \(run.code) \(run.errors)")
      #expect(bench.here.shell("test -e .git/MERGE_HEAD").code == 1)
    }
    #expect(bench.here.vault("set", "Ada", "username=y").code == 0)
    refuses("", 14, "has changes that are not committed")
    bench.here.shell("git stash -q")
    #expect(bench.here.vault("merge", "nosuch").status == .notFound)
    #expect(bench.here.vault("merge", "--", "--all").status == .notFound)
    let none = bench.here.vault("merge", "--abort")
    #expect(none.status == .findings, "\(none.errors)")
    #expect(none.errors.contains("git has no merge under way"), "\(none.errors)")
    bench.here.shell(
      "git checkout -q --orphan none; git rm -rqf .; git commit -q --allow-empty -m none; git checkout -q master")
    #expect(bench.here.vault("merge", "none").status == .noVault)
    refuses("--ours --theirs", 64, "cannot be combined with")
    #expect(merge(bench).errors.contains("only the other side had commits"))
    #expect(bench.here.value("username") == "Oslo")
  }
}
