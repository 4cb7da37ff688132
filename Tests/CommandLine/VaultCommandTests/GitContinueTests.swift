import Testing
import VaultTestSupport

@Suite("What git has left unmerged", .enabled(if: GitBench.isThere))
struct GitContinueTests {
  /// Two sides of one field, in a merge that has stopped.
  private func stopped(by operation: String = "merge") throws -> GitBench {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.change("username", "Milan")
    try bench.there.seal("password", "rose")
    #expect(bench.bring(operation).code == 1)
    return bench
  }

  @Test("what only needed the key is made with it, in a merge and in a rebase", arguments: ["merge", "rebase"])
  func withKey(_ operation: String) throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    let nobody = bench.here.with(["CVAULT_IDENTITY_FILE": ""])
    #expect(bench.bring(operation, into: nobody).code == 1)
    #expect(nobody.vault("merge", "--continue").status == .cannotUnlock)
    let finished = bench.here.vault("merge", "--continue")
    #expect(finished.code == 0, "\(finished.errors)")
    #expect(finished.output == "merged \(bench.file) (Li Wei)\n", "\(finished.errors)")
    let last = operation == "merge" ? "git commit -q --no-edit" : "GIT_EDITOR=true git rebase --continue"
    #expect(bench.here.shell(last).code == 0)
    #expect(bench.here.shell("git status --short").output.isEmpty)
    #expect(bench.here.value("username") == "Oslo")
    #expect(bench.here.value("password") == "rose")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("a field that both changed is listed and left; a side wins where somebody says so, and the rest is of both")
  func choice() throws {
    for (side, value) in [("--ours", "Oslo"), ("--theirs", "Milan")] {
      let bench = try stopped()
      let left = bench.here.vault("merge", "--continue")
      #expect(left.status == .partlyDone, "\(left.errors)")
      #expect(left.output == "left \(bench.file) (Li Wei): username: both sides have changed it\n")
      #expect(bench.here.file.contains("<<<<<<< ours\n"), "nothing was written")
      let planned = JSON(bench.here.vault("merge", "--continue", "--json", "--dry-run").stdout)
      #expect(planned["left"]?.items?.first?["conflicts"]?.items?.first?["field"]?.text == "username")
      #expect(bench.here.vault("merge", "--continue", "--dry-run", side).code == 0)
      #expect(bench.here.shell("git ls-files --unmerged").output.isEmpty == false)
      let named = bench.here.vault("merge", "--continue", side, "Li Wei")
      #expect(named.code == 0, "\(named.errors)")
      #expect(bench.here.value("username") == value)
      #expect(bench.here.value("password") == "rose")
      #expect(bench.here.shell("git commit -q --no-edit").code == 0)
      #expect(bench.here.vault("verify").code == 0)
      // A machine that has seen either side accepts the result as a later version.
      #expect(bench.bring("merge -q --no-edit", into: bench.there).code == 0)
      #expect(bench.there.vault("verify").code == 0)
      #expect(bench.there.value("username") == value)
    }
  }

  @Test("a merge that is given up after that leaves no alarm behind")
  func givenUp() throws {
    let bench = try stopped()
    #expect(bench.here.vault("merge", "--continue", "--theirs").code == 0)
    #expect(bench.here.shell("git merge --abort").code == 0)
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.value("username") == "Oslo")
  }

  @Test(
    "a record that one side removed and the other changed is kept, or removed, with its change",
    arguments: [true, false])
  func removed(_ keeps: Bool) throws {
    let bench = try GitBench()
    #expect(bench.here.vault("remove", "-y", bench.id).code == 0)
    bench.here.shell("git add -A; git commit -qm removed")
    try bench.there.change("username", "Oslo")
    #expect(bench.bring("merge").code == 1)
    let left = bench.here.vault("merge", "--continue")
    #expect(left.status == .partlyDone, "\(left.output)\(left.errors)")
    #expect(left.output.contains("one side has removed the record"), "\(left.output)\(left.errors)")
    let chosen = bench.here.vault("merge", "--continue", keeps ? "--theirs" : "--ours")
    #expect(chosen.code == 0, "\(chosen.errors)")
    #expect(bench.here.shell("git commit -q --no-edit; git status --short").output.isEmpty)
    #expect(bench.here.vault("verify").code == 0)
    let places = bench.here.shell("git ls-files records trash").output
    #expect(places.contains(bench.file) == keeps)
    #expect(places.contains("trash/\(bench.id).json") == !keeps)
    if !keeps { #expect(bench.here.vault("trash", "restore", bench.id).code == 0) }
    #expect(bench.here.value("username") == "Oslo", "the change is not lost either way")
    bench.here.shell("git add -A; git commit -qm restored")
    #expect(bench.bring("merge -q --no-edit", into: bench.there).code == 0)
    #expect(bench.there.vault("verify").code == 0)
  }

  @Test("a record that one side deleted for good and the other changed is kept, or deleted", arguments: [true, false])
  func deleted(_ keeps: Bool) throws {
    let bench = try GitBench()
    #expect(bench.here.vault("remove", "-y", bench.id).code == 0)
    #expect(bench.here.vault("trash", "empty", "-y").code == 0)
    bench.here.shell("git add -A; git commit -qm deleted")
    try bench.there.change("username", "Oslo")
    #expect(bench.bring("merge").code == 1)
    #expect(bench.here.vault("merge", "--continue").status == .partlyDone)
    #expect(bench.here.vault("merge", "--continue", keeps ? "--theirs" : "--ours").code == 0)
    #expect(bench.here.shell("git commit -q --no-edit; git status --short").output.isEmpty)
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.vault("get", bench.id, "username").code == (keeps ? 0 : 10))
  }

  @Test("what a revert would take back becomes a newer version")
  func reverted() throws {
    let bench = try GitBench()
    for value in ["Oslo", "Milan"] { try bench.here.change("username", value) }
    #expect(bench.here.shell("git revert --no-edit HEAD^").code == 1)
    #expect(bench.here.vault("merge", "--continue", "--theirs").code == 0)
    #expect(bench.here.shell("git revert --continue").code == 0)
    #expect(bench.here.value("username") == "x")
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.file.contains("\"revision\" : 4"))
  }

  @Test("a side that does not verify is never made a record, whatever is preferred")
  func forged() throws {
    let bench = try GitBench()
    try bench.here.change("username", "Oslo")
    bench.there.shell("sed -i 's/\"x\"/\"forged\"/' \(bench.file); git commit -qam forged")
    #expect(bench.bring("merge").code == 1)
    for words in [["merge", "--continue"], ["merge", "--continue", "--theirs"]] {
      let run = bench.here.shell("vault \(words.joined(separator: " "))")
      #expect(run.status == .partlyDone, "\(run.output)\(run.errors)")
    }
    #expect(bench.here.vault("merge", "--continue", "--ours").code == 0)
    #expect(bench.here.vault("verify").code == 0)
    #expect(bench.here.value("username") == "Oslo")
  }

  @Test("it says what it cannot do")
  func refused() throws {
    let bench = try GitBench()
    #expect(bench.here.vault("merge").status == .usage)
    #expect(bench.here.vault("merge", "--continue").errors.contains("no file of the vault is left unmerged"))
    let stopped = try stopped()
    #expect(stopped.here.vault("merge", "--continue", "--ours", "--theirs").status == .usage)
    let unknown = stopped.here.vault("merge", "--continue", "Shai")
    #expect(unknown.status == .notFound, "\(unknown.errors)")
    #expect(unknown.errors.contains("is not one of the records"), "\(unknown.errors)")
    // A header with both sides in it comes first.
    stopped.here.shell("(echo '<<<<<<< ours'; cat vault.json) >x; mv x vault.json")
    #expect(stopped.here.vault("merge", "--continue", "--ours").status == .damaged)
  }
}
