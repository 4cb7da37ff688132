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
    #expect(bench.here.value("username") == "Oslo" && bench.here.value("password") == "rose")
    #expect(bench.here.vault("verify").code == 0 && bench.here.shell("git status --short").output.isEmpty)
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
    #expect(bench.here.value("username") == "Oslo" && bench.here.value("password") == "rose")
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
    #expect(bench.here.file == bench.there.file && bench.here.file.contains("Oslo"))
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
    let field = isSealed ? "password: both have sealed a new value, ours at 20" : "username: both have changed it"
    #expect(brought.code == 1 && brought.errors.contains("\(bench.file) (Li Wei): \(field)"), "\(brought.errors)")
    #expect(bench.here.file.contains("<<<<<<< ours\n"))
    #expect(bench.here.vault("verify").code == 13 && bench.here.vault("get", bench.id, "username").code == 13)
    for (side, value) in [("ours", "Oslo"), ("theirs", "Milan")] {
      bench.here.shell("git checkout -q --\(side) -- \(bench.file)")
      let key = ["CVAULT_STATE_DIR": bench.workspace.path + "/fresh-" + side]
      #expect(bench.here.with(key).value(isSealed ? "password" : "username") == value)
    }
    #expect(bench.here.shell("git merge --abort").code == 0 && bench.here.vault("verify").code == 0)
  }

  @Test("without a key what needs one is a conflict")
  func withoutKey() throws {
    let bench = try GitBench()
    let nobody = bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    bench.here.shell("git fetch -q ../b")
    let merged = nobody.shell("git merge FETCH_HEAD")
    #expect(merged.code == 1 && merged.errors.contains("the new version needs the key"), "\(merged.errors)")
    #expect(nobody.vault("list").code == 13, "the file is no record")
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
    #expect(bench.here.value("password") == "rose" && bench.here.vault("verify").code == 0)
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
    #expect(bench.here.file.contains("<<<<<<< ours\n") && bench.here.file.contains("Wei Li"))
    #expect(bench.here.vault("verify").code == 13)
    #expect(bare.shell("git diff").output.contains("Oslo"), "a diff goes on without the program")
  }

  @Test("what git means to take back would be an older version: it is a conflict")
  func reverted() throws {
    let bench = try GitBench()
    for value in ["Oslo", "Milan"] { try bench.here.change("username", value) }
    let reverted = bench.here.shell("git revert --no-edit HEAD^")
    #expect(reverted.code == 1 && reverted.errors.contains("is older than what both come from"), "\(reverted.errors)")
    #expect(bench.here.shell("git revert --abort").code == 0 && bench.here.value("username") == "Milan")
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
    #expect(merged.code == 1 && merged.errors.contains("one side has removed the record"), "\(merged.errors)")
    let files = bench.here.shell("git ls-files").output
    #expect(files.contains("records/\(bench.id.prefix(2))/\(twin).json") && !files.contains("trash/\(twin)"))
  }

  @Test("the header of one side alone is taken, that of both is a conflict, and neither is lost")
  func header() throws {
    let bench = try GitBench()
    #expect(bench.there.vault("key", "add", "--generate-identity", "../two.txt").code == 0)
    bench.there.shell("git add -A; git commit -qm key")
    try bench.here.change("username", "Oslo")
    #expect(bench.bring("merge -q --no-edit").code == 0 && bench.here.vault("verify").code == 0)
    for (clone, name) in [(bench.here, "three"), (bench.there, "four")] {
      #expect(clone.vault("key", "add", "--generate-identity", "../\(name).txt").code == 0)
      clone.shell("git add -A; git commit -qm key")
    }
    let merged = bench.bring("merge")
    #expect(merged.code == 1 && merged.errors.contains("vault.json: both have written it"), "\(merged.errors)")
    #expect(bench.here.vault("list").code == 13)
    bench.here.shell("git checkout -q --ours -- vault.json")
    #expect(bench.here.vault("list").code == 0)
  }
}
