import Testing
import VaultTestSupport

@Suite("A branch from before a rotation", .enabled(if: GitBench.isThere))
struct GitAdoptionTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }
  private var there: GitBench.Clone { bench.there }

  init() throws { bench = try GitBench() }

  private func commit(_ clone: GitBench.Clone, _ script: String) throws {
    let done = clone.shell("\(script) && git add -A && git commit -qm step")
    try #require(done.code == 0, "\(script): \(done.errors)")
  }

  private func id(_ name: String, _ clone: GitBench.Clone) -> String {
    JSON(clone.vault("show", name, "--json").stdout)["id"]?.text ?? ""
  }

  /// Here the vault has another root key; there one record is changed, one added, one removed.
  private func part(_ rotation: String) throws -> (ids: [String], names: [String]) {
    try commit(here, "vault rekey\(rotation) && vault set '\(bench.id)' username=Oslo && vault set Ada username=Rome")
    try commit(there, "printf rose | vault set '\(bench.id)' --secret-stdin password")
    try commit(there, "printf lily | vault add login --set title=New --set username=n --secret-stdin password")
    let removed = id("Shai", there)
    try commit(there, "vault remove -y Shai")
    here.shell("git fetch -q ../b")
    return ([bench.id, id("New", there), removed], ["Li Wei", "New", "Shai"])
  }

  private func merge(_ words: String) -> ProcessOutcome { here.shell("vault merge FETCH_HEAD \(words)") }

  private func expectAllTaken() {
    #expect(here.shell("git commit -q --no-edit; git status --short").output.isEmpty)
    #expect(here.value("username") == "Oslo")
    #expect(here.value("password") == "rose")
    #expect(here.vault("get", "New", "password").output == "lily")
    #expect(here.vault("get", "Ada", "username").output == "Rome")
    #expect(here.vault("trash", "list").output.contains("Shai"))
    let verified = here.vault("verify")
    #expect(verified.code == 0, "\(verified.errors)")
    #expect(verified.output.hasPrefix("3 records, 1 in the trash"), "\(verified.errors)")
  }

  @Test(
    "what needs the key of then is left, and said; nothing under it is taken unasked", arguments: ["", " --reseal"])
  func left(_ rotation: String) throws {
    let (ids, names) = try part(rotation)
    let nobody = here.with(["CVAULT_IDENTITY_FILE": ""])
    let planned = nobody.shell("vault merge FETCH_HEAD --dry-run")
    #expect(planned.status == .partlyDone)
    #expect(planned.output.contains("(New): it was written under a replaced root key"))
    let left = merge("")
    #expect(left.status == .partlyDone, "\(left.output)\(left.errors)")
    #expect(left.errors.contains("--adopt-old-root"), "\(left.output)\(left.errors)")
    for name in names.prefix(2) { #expect(left.output.contains("(\(name)): "), "\(left.output)") }
    #expect(here.shell("git commit -qm early").code == 128, "git waits for the new record as well")
    // After a rewrap the other two have joined already.
    let named = rotation.isEmpty ? "" : ids.joined(separator: " ")
    let done = here.shell("vault merge --continue --adopt-old-root -y \(named)")
    #expect(done.code == 0, "\(done.output)\(done.errors)")
    #expect(here.vault("merge", "--continue").errors.contains("nothing is left unmerged"))
    expectAllTaken()
  }

  @Test("after a rewrap it is shown and asked about once; secrets keep their tokens")
  func rewrap() throws {
    let (ids, _) = try part("")
    let before = here.shell("git rev-parse HEAD; git status --short").output
    let declined = merge("--adopt-old-root")
    #expect(declined.status == .declined)
    #expect(declined.output.contains("old \(ids[0]) (Li Wei): changed at 20"))
    // Within one second of the old value, the time cannot tell a new value from one that was sealed again.
    let told = ["replaced", "resealed"].filter { declined.output.contains(" by Ada\n  password: •••••••• \($0)\n") }
    #expect(told.count == 1, "\(declined.output)")
    #expect(declined.output.contains("old \(ids[1]) (New): added at 20"))
    #expect(here.shell("git rev-parse HEAD; git status --short").output == before, "nothing is begun")
    #expect(merge("--adopt-old-root --dry-run").output.contains("merged \(bench.file) (Li Wei)\n"))
    let taken = merge("--adopt-old-root -y")
    #expect(taken.code == 0, "\(taken.output)\(taken.errors)")
    let file = "records/\(ids[1].prefix(2))/\(ids[1]).json"
    let changed = here.shell("git diff FETCH_HEAD --numstat -- \(file)").output
    #expect(changed.hasPrefix("1\t1\t"), "only the wrap is another: \(changed)")
    expectAllTaken()
  }

  @Test("after a reseal ids have to be named; what comes in is due, as all that somebody who left could read")
  func reseal() throws {
    let (ids, _) = try part(" --reseal")
    for words in ["--adopt-old-root", "--adopt-old-root -y"] {
      let refused = merge(words)
      #expect(refused.status == .declined, "\(words): \(refused.errors)")
      #expect(refused.errors.contains("somebody who left"), "\(words): \(refused.errors)")
      #expect(here.shell("test -e .git/MERGE_HEAD").code == 1)
    }
    let some = merge("--adopt-old-root -y \(ids[0])")
    #expect(some.status == .partlyDone, "\(some.output)\(some.errors)")
    #expect(some.output.contains("merged \(bench.file)"), "\(some.output)\(some.errors)")
    #expect(some.output.contains("left records/\(ids[1].prefix(2))"), "\(some.output)")
    #expect(here.vault("merge", "--abort").code == 0)
    #expect(here.vault("verify").code == 0)
    let all = merge("--adopt-old-root -y \(ids.joined(separator: " "))")
    #expect(all.code == 0, "\(all.output)\(all.errors)")
    expectAllTaken()
    let due = here.vault("due", "--leaver").output
    #expect(due.contains("Li Wei"), "\(due)")
    #expect(due.contains("New"), "\(due)")
    #expect(!here.shell("git cat-file --batch-all-objects --batch --buffer | grep -ac 'rose'").output.hasPrefix("1"))
  }

  @Test("a field that both changed is a conflict there as well, and a side wins")
  func conflict() throws {
    try commit(here, "vault rekey --reseal && printf tulip | vault set '\(bench.id)' --secret-stdin password")
    try commit(there, "printf rose | vault set '\(bench.id)' --secret-stdin password")
    here.shell("git fetch -q ../b")
    let left = merge("--adopt-old-root -y \(bench.id)")
    #expect(left.status == .partlyDone, "\(left.output)")
    #expect(left.output.contains("password: both sides have sealed a new value"), "\(left.output)")
    let taken = here.vault("merge", "--continue", "--adopt-old-root", "-y", "--theirs", bench.id)
    #expect(taken.code == 0, "\(taken.output)\(taken.errors)")
    #expect(here.value("password") == "rose", "\(taken.output)\(taken.errors)")
    #expect(here.vault("verify").code == 0)
  }

  @Test("where it is ours that is old, their keys are accepted first, and the same way leads on")
  func oursIsOld() throws {
    _ = try part(" --reseal")
    let fingerprint = here.vault("fingerprint").output.filter { $0 != "\n" }
    let ids = [
      bench.id, id("New", there),
      JSON(there.vault("trash", "list", "--json").stdout)["records"]?.items?.first?["id"]?.text ?? "",
    ]
    there.shell("git fetch -q ../v")
    let stopped = there.shell("vault merge FETCH_HEAD --adopt-old-root -y \(ids.joined(separator: " "))")
    #expect(stopped.status == .unexpectedVault, "\(stopped.errors)")
    #expect(stopped.errors.contains("the merge has begun"), "\(stopped.errors)")
    #expect(there.vault("pin", "update", "-y", "--fingerprint", fingerprint).code == 0)
    let done = there.shell("vault merge --continue --adopt-old-root -y \(ids.joined(separator: " "))")
    #expect(done.code == 0, "\(done.output)\(done.errors)")
    #expect(there.shell("git commit -q --no-edit").code == 0)
    #expect(there.vault("verify").code == 0)
    #expect(there.value("username") == "Oslo")
    #expect(there.value("password") == "rose")
  }

  @Test("a key added on the old side is not taken, and that is said; what does not verify is never taken")
  func hostile() throws {
    try commit(here, "vault rekey --reseal")
    try commit(there, "vault key add --generate-identity ../five.txt --label Eve")
    try commit(there, "vault set '\(bench.id)' username=Oslo && vault set Ada username=forged")
    try commit(there, "sed -i 's/forged/mallory/' records/*/*.json")
    here.shell("git fetch -q ../b")
    let ids = [bench.id, id("Ada", here)]
    let taken = merge("--adopt-old-root -y \(ids.joined(separator: " "))")
    #expect(taken.status == .partlyDone, "\(taken.output)\(taken.errors)")
    #expect(taken.output.contains("merged vault.json\n"), "\(taken.output)\(taken.errors)")
    #expect(taken.errors.contains("has a new way to unlock: Eve"))
    #expect(taken.errors.contains("not adopted: "))
    #expect(!here.vault("key", "list").output.contains("Eve"))
    #expect(here.vault("merge", "--continue", "--ours", "Ada").code == 0)
    #expect(here.shell("git commit -q --no-edit").code == 0)
    #expect(here.vault("verify").code == 0)
    #expect(here.value("username") == "Oslo")
    #expect(here.vault("get", "Ada", "username").output == "x")
  }

  @Test(
    "what git has settled from before a rotation is named with the command that takes it over, and that does",
    arguments: ["", " --reseal"], ["merge", "rebase"])
  func settled(_ rotation: String, _ operation: String) throws {
    try commit(here, "vault rekey\(rotation)")
    try commit(there, "printf lily | vault add login --set title=New --set username=n --secret-stdin password")
    let new = id("New", there)
    // The person who rebases has fetched the new keys, and accepts them.
    let clone = operation == "merge" ? here : there
    #expect(bench.bring("\(operation) -q", into: clone).code == 0)
    if operation == "rebase" {
      let fingerprint = here.vault("fingerprint").output.filter { $0 != "\n" }
      #expect(there.vault("pin", "update", "-y", "--fingerprint", fingerprint).code == 0)
    }
    for words in [["verify"], ["check"], ["show", new]] {
      let run = clone.shell("vault \(words.joined(separator: " "))")
      #expect(run.status == .damaged, "\(run.errors)")
      #expect(run.errors.contains("`vault merge --continue --adopt-old-root`"), "\(run.errors)")
    }
    let left = clone.vault("merge", "--continue")
    #expect(left.status == .partlyDone)
    #expect(left.output.contains("(New): it was written under a replaced root key"))
    #expect(left.errors.contains("--adopt-old-root"), "\(left.errors)")
    let unnamed = clone.vault("merge", "--continue", "--adopt-old-root", "-y")
    #expect(unnamed.code == (rotation.isEmpty ? 0 : 3), "\(unnamed.output)\(unnamed.errors)")
    if !rotation.isEmpty {
      let taken = clone.vault("merge", "--continue", "--adopt-old-root", "-y", new)
      #expect(taken.code == 0, "\(taken.output)\(taken.errors)")
      #expect(taken.errors.contains("`git commit` keeps"), "\(taken.output)\(taken.errors)")
    }
    #expect(clone.vault("verify").code == 0)
    #expect(clone.vault("get", "New", "password").output == "lily")
    #expect(clone.shell("git commit -qm taken; git status --short").output.isEmpty)
    #expect(clone.vault("merge", "--continue").errors.contains("no file of the vault is left unmerged"))
  }

  @Test("an old file that was put back after a rotation is no way to an older state")
  func putBack() throws {
    try commit(here, "vault set '\(bench.id)' username=Oslo && vault rekey && vault set '\(bench.id)' username=Rome")
    #expect(here.vault("verify").code == 0)
    here.shell("git checkout -q HEAD~1 -- \(bench.file) && git commit -qm back")
    let refused = here.vault("merge", "--continue", "--adopt-old-root", "-y")
    #expect(refused.status == .partlyDone, "\(refused.errors)")
    #expect(refused.output.contains("this machine has seen a later version"), "\(refused.errors)")
  }

  @Test("at a terminal each record is asked about", .atTerminal)
  func asked() throws {
    try commit(here, "vault rekey --reseal")
    try commit(there, "vault set '\(bench.id)' username=Oslo && vault set Ada username=Bern")
    here.shell("git fetch -q ../b")
    let ada = id("Ada", here)
    let answers = [bench.id, ada].sorted().map { id in
      (prompt: "Adopt \(id) (\(id == ada ? "Ada" : "Li Wei"))? [y/N] ", reply: id == ada ? "n\n" : "y\n")
    }
    let run = here.type(["merge", "FETCH_HEAD", "--adopt-old-root"], answers)
    #expect(run.status == .partlyDone, "\(run.output)\(run.errors)")
    #expect(run.output.contains("merged \(bench.file)"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("(Ada): it was written") || run.output.contains("(Ada): one side was sealed"))
  }
}
