import Testing
import VaultTestSupport

@Suite("git merges by field", .enabled(if: GitBench.isThere))
struct GitMergeTests {
  @Test(
    "different fields of one record join, readable and sealed, and all verifies",
    arguments: ["merge -q --no-edit", "rebase -q", "cherry-pick"])
  func differentFields(_ operation: String) throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    let brought = bench.bring(operation)
    #expect(brought.code == 0, "\(brought.output)\(brought.errors)")
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.value("password") == "rose")
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.shell("git status --short").output.isEmpty)
    #expect(bench.here.file.contains("\"revision\" : 3"))
    #expect(!bench.here.shell("git log -p --text").output.contains("rose"))
  }

  @Test("a stash comes back over another's change")
  func stash() throws {
    let bench = try GitBench()
    try bench.there.change("username", "Oslo")
    #expect(bench.here.vault("set", bench.id, "--secret-stdin", "password", input: "rose").code == 0)
    bench.here.shell("git stash -q")
    #expect(bench.bring("merge -q").code == 0)
    let popped = bench.here.shell("git stash pop -q")
    #expect(popped.code == 0, "\(popped.output)\(popped.errors)")
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.value("password") == "rose")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("two machines that merge the same two commits write the same bytes")
  func sameBytes() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    bench.here.shell("git branch old")
    #expect(bench.bring("merge -q --no-edit").code == 0)
    bench.there.shell("git fetch -q ../v old")
    #expect(bench.there.shell("git merge -q --no-edit FETCH_HEAD").code == 0)
    #expect(bench.here.file == bench.there.file)
    #expect(bench.here.file.contains("Oslo"))
    // So the machines have nothing against each other's.
    #expect(bench.bring("merge -q --no-edit").code == 0)
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test(
    "the same field in two ways is a conflict that names it; both sides stay, and nothing takes what is left for a record",
    arguments: [true, false])
  func sameField(_ isSealed: Bool) throws {
    let bench = try GitBench()
    for (clone, value) in [(bench.here, "Oslo"), (bench.there, "Milan")] {
      if isSealed { try clone.seal("password", value) } else { try clone.change("username", value) }
    }
    let brought = bench.bring("merge")
    let field =
      isSealed ? "password: both sides have sealed a new value, ours at 20" : "username: both sides have changed it"
    #expect(brought.code == 1, "\(brought.errors)")
    #expect(brought.errors.contains("\(bench.file) (Li Wei): \(field)"), "\(brought.errors)")
    #expect(bench.here.file.contains("<<<<<<< ours\n"))
    #expect(bench.here.vault("verify").status == .damaged)
    #expect(bench.here.vault("get", bench.id, "username").status == .damaged)
    for (side, value) in [("ours", "Oslo"), ("theirs", "Milan")] {
      bench.here.shell("git checkout -q --\(side) -- \(bench.file)")
      let key = ["CVAULT_STATE_DIR": bench.workspace.path + "/fresh-" + side]
      #expect(bench.here.with(key).value(isSealed ? "password" : "username") == value)
    }
    #expect(bench.here.shell("git merge --abort").code == 0)
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("without a key what needs one is a conflict")
  func withoutKey() throws {
    let bench = try GitBench()
    let nobody = bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    bench.here.shell("git fetch -q ../b")
    let merged = nobody.shell("git merge FETCH_HEAD")
    #expect(merged.code == 1, "\(merged.errors)")
    #expect(merged.errors.contains("the new version needs the key"), "\(merged.errors)")
    #expect(nobody.vault("list").status == .damaged, "the file is no record")
    bench.here.shell("git merge --abort")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("a rewrap beside an edit joins without a key")
  func rewrap() throws {
    let bench = try GitBench()
    #expect(bench.here.vault("rekey").code == 0)
    bench.here.shell("git add -A; git commit -qm rotated")
    try bench.there.seal("password", "rose")
    let merged = bench.bring("merge -q --no-edit", into: bench.here.with(["CVAULT_IDENTITY_FILE": ""]))
    #expect(merged.code == 0, "\(merged.errors)")
    #expect(bench.here.value("password") == "rose")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test(
    "where the program is missing, too old, fails or is killed, git leaves its own markers and both sides",
    arguments: ["", "exit 127", "exit 64", "exit 13", "kill -9 $$", "kill -15 $$"])
  func withoutProgram(_ program: String) throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.change("title", "Wei Li")
    bench.here.shell("git fetch -q ../b")
    FileTree.makeFolder(bench.workspace.path + "/bin")
    if !program.isEmpty {
      _ = bench.workspace.write("#!/bin/sh\n\(program)\n", to: "bin/vault")
      bench.workspace.prepare("chmod +x bin/vault")
    }
    let bare = bench.here.with(["PATH": bench.workspace.path + "/bin:/usr/bin:/bin"])
    #expect(bare.shell("git merge FETCH_HEAD").code == 1)
    #expect(bench.here.file.contains("<<<<<<< ours\n"))
    #expect(bench.here.file.contains("Wei Li"))
    #expect(bench.here.vault("verify").status == .damaged)
    #expect(bare.shell("git diff").output.contains("Oslo"), "a diff goes on without the program")
  }

  @Test("what git means to take back would be an older version: it is a conflict")
  func reverted() throws {
    let bench = try GitBench()
    for value in ["Oslo", "Milan"] { try bench.here.change("username", value) }
    let reverted = bench.here.shell("git revert --no-edit HEAD^")
    #expect(reverted.code == 1, "\(reverted.errors)")
    #expect(reverted.errors.contains("one side is older than the common ancestor"), "\(reverted.errors)")
    #expect(bench.here.shell("git revert --abort").code == 0)
    #expect(bench.here.value("username") == "Milan")
  }

  @Test("removed here and changed there is a conflict; a record that others add stays among the records")
  func removed() throws {
    let bench = try GitBench()
    #expect(bench.here.vault("remove", "-y", bench.id).code == 0)
    bench.here.shell("git add -A; git commit -qm removed")
    try bench.there.change("username", "Oslo")
    // git would take the folder for one that was renamed to the trash.
    let twin = String(bench.id.prefix(2)) + "000000-0000-4000-8000-000000000001"
    bench.there.shell("sed s/\(bench.id)/\(twin)/ \(bench.file) >records/\(bench.id.prefix(2))/\(twin).json")
    bench.there.shell("git add -A; git commit -qm another")
    let merged = bench.bring("merge")
    #expect(merged.code == 1, "\(merged.errors)")
    #expect(merged.errors.contains("one side has removed the record"), "\(merged.errors)")
    let files = bench.here.shell("git ls-files").output
    #expect(files.contains("records/\(bench.id.prefix(2))/\(twin).json"))
    #expect(!files.contains("trash/\(twin)"))
  }

  /// Runs the program on either side, commits, and merges here; the result as it is there after merging that.
  private func header(_ bench: GitBench, here: String, there: String, withKey: Bool = true) -> ProcessOutcome {
    for (clone, script) in [(bench.here, here), (bench.there, there)] {
      let done = clone.shell("\(script) && git add -A && git commit -qm header")
      #expect(done.code == 0, "\(script): \(done.errors)")
    }
    bench.here.shell("git branch -f old")
    return bench.bring("merge --no-edit", into: withKey ? nil : bench.here.with(["CVAULT_IDENTITY_FILE": ""]))
  }

  @Test("ways to unlock and kinds that either side added are there, what either removed is not, and all verifies")
  func header() throws {
    let bench = try GitBench()
    let first = bench.here.vault("key", "add", "--generate-identity", "../two.txt", "--label", "two")
    #expect(first.code == 0)
    bench.here.shell("git add -A; git commit -qm key")
    #expect(bench.bring("merge -q", into: bench.there).code == 0, "one side alone is taken")
    for name in ["wifi", "door"] {
      _ = bench.workspace.write("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", to: name)
    }
    let merged = header(
      bench,
      here: "vault key add --generate-identity ../three.txt --label three && vault kinds add ../wifi --name wifi",
      there: "vault key remove -y two && vault key add --generate-identity ../four.txt --label four "
        + "&& vault kinds add ../door --name door")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    let keys = bench.here.vault("key", "list").output
    #expect(keys.contains("three"), "\(keys)")
    #expect(keys.contains("four"), "\(keys)")
    #expect(!keys.contains("two"), "\(keys)")
    let kinds = bench.here.vault("kinds", "list").output
    #expect(kinds.contains("wifi"))
    #expect(kinds.contains("door"))
    #expect(bench.here.vault("verify").code == 0, "\(bench.here.vault("verify").errors)")
    for name in ["three", "four"] {
      let other = ["CVAULT_IDENTITY_FILE": bench.workspace.path + "/\(name).txt"]
      #expect(bench.here.with(other).value("username") == "x")
    }
    bench.there.shell("git fetch -q ../v old")
    #expect(bench.there.shell("git merge -q --no-edit FETCH_HEAD").code == 0)
    #expect(bench.workspace.text(of: "b/vault.json") == bench.workspace.text(of: "v/vault.json"))
  }

  @Test(
    "headers that cannot be joined, or without a key, are a conflict, and neither is lost",
    arguments: [
      (
        "vault key add --generate-identity ../3.txt", "vault key add --generate-identity ../4.txt",
        "both sides have changed it"
      ),
      (
        "vault key remove -y two", "vault key remove -y two && vault key add --generate-identity ../3.txt",
        "both sides have removed the same way to unlock"
      ),
      (
        "vault kinds add ../kind-a --name k", "vault kinds add ../kind-b --name k",
        "kinds.k: both sides have changed it"
      ),
      ("vault rekey", "vault key add --generate-identity ../3.txt", "the two sides are under different root keys"),
    ])
  func headerConflict(_ here: String, _ there: String, _ reason: String) throws {
    let bench = try GitBench()
    #expect(bench.here.vault("key", "add", "--generate-identity", "../two.txt", "--label", "two").code == 0)
    bench.here.shell("git add -A; git commit -qm key")
    #expect(bench.bring("merge -q", into: bench.there).code == 0)
    for name in ["a", "b"] {
      let kind = "{\"type\":\"object\",\"properties\":{\"\(name)\":{\"type\":\"string\"}}}"
      _ = bench.workspace.write(kind, to: "kind-" + name)
    }
    let merged = header(bench, here: here, there: there, withKey: !reason.hasPrefix("both sides have changed"))
    #expect(merged.code == 1, "\(merged.errors)")
    #expect(merged.errors.contains("vault: vault.json: " + reason), "\(merged.errors)")
    #expect(bench.here.vault("list").status == .damaged)
    bench.here.shell("git checkout -q --ours -- vault.json")
    #expect(bench.here.vault("list").code == 0)
  }
}
