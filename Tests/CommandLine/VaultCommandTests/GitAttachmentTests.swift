import Testing
import VaultTestSupport

@Suite("Attachments, when git merges", .enabled(if: GitBench.isThere))
struct GitAttachmentTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }
  private var there: GitBench.Clone { bench.there }

  /// Both clones have a record with the attachments `kept` and `gone`.
  init() throws {
    bench = try GitBench()
    for (index, name) in ["kept", "gone", "mine", "yours"].enumerated() {
      bench.workspace.prepare("head -c \(70_000 + index) /dev/urandom >\(name)")
    }
    try attach(here, "kept", "gone")
    #expect(bench.bring("merge --ff-only", into: there).code == 0)
  }

  private func attach(_ clone: GitBench.Clone, _ names: String...) throws {
    for name in names {
      let run = clone.vault("attach", bench.id, bench.workspace.path + "/" + name)
      try #require(run.code == 0, "\(run.errors)")
    }
    clone.shell("git add -A; git commit -qm attached")
  }

  private func detach(_ clone: GitBench.Clone, _ names: String...) throws {
    for name in names {
      let run = clone.vault("detach", "-y", bench.id, name)
      try #require(run.code == 0, "\(run.errors)")
    }
    clone.shell("git add -A; git commit -qm detached")
  }

  /// The vault verifies, each attachment opens as what it was, and the commit is that of the work tree.
  private func expect(_ names: [String], in clone: GitBench.Clone, _ note: Comment) {
    for command in ["verify", "lint"] {
      let run = clone.vault(command)
      #expect(run.code == 0, "\(note): \(command): \(run.output)\(run.errors)")
    }
    let listed = clone.vault("attachments", bench.id).output.split(separator: "\n").map { line in
      line.split(separator: " ").last.map(String.init) ?? ""
    }
    #expect(listed == names.sorted(), note)
    for name in Set(names) {
      let got = clone.vault("get", bench.id, "--attachment", name, "-o", bench.workspace.path + "/got", "--yes")
      #expect(got.code == 0, "\(note): \(name): \(got.errors)")
      let (one, other) = (FileTree.contents(of: bench.workspace.path + "/" + name), bench.workspace.path + "/got")
      #expect((one == FileTree.contents(of: other)) == true, "\(note): \(name)")
    }
    clone.shell("git add -A; git commit -qm merged")
    #expect(clone.shell("git status --porcelain").output.isEmpty, note)
  }

  @Test("both sides attach and detach, and change fields: git's driver joins them, and all verifies")
  func joined() throws {
    try detach(here, "gone")
    try attach(here, "mine")
    try here.change("username", "Oslo")
    try attach(there, "yours")
    try there.seal("password", "rose")
    let merged = bench.bring("merge --no-edit")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    expect(["kept", "mine", "yours"], in: here, "joined")
    #expect(here.value("username") == "Oslo")
    #expect(here.value("password") == "rose")
  }

  @Test(
    "where both have changed a field, whoever wins it, attachments are joined and no file is missing",
    arguments: ["--ours", "--theirs", "--newest"])
  func conflict(_ side: String) throws {
    try detach(here, "gone", "kept")
    try attach(here, "mine")
    try here.change("username", "Oslo")
    there.shell("sleep 1.1")
    try attach(there, "yours")
    try there.change("username", "Milan")
    #expect(bench.bring("merge --no-edit").code == 1)
    let merged = here.vault("merge", "--continue", side)
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    expect(["mine", "yours"], in: here, "\(side)")
  }

  @Test("a record that one side has deleted for good comes back whole, with its files", arguments: [true, false])
  func deleted(_ isHere: Bool) throws {
    let (deleting, other) = isHere ? (here, there) : (there, here)
    #expect(deleting.vault("remove", "-y", bench.id).code == 0)
    #expect(deleting.vault("trash", "empty", "-y").code == 0)
    deleting.shell("git add -A; git commit -qm deleted")
    try attach(other, "mine")
    try other.change("username", "Oslo")
    _ = bench.bring("merge --no-edit")
    let merged = here.vault("merge", "--continue", isHere ? "--theirs" : "--ours")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    expect(["gone", "kept", "mine"], in: here, "deleted")
  }

  @Test("a removed record and a changed one: its files are those that it names", arguments: ["--ours", "--theirs"])
  func removed(_ side: String) throws {
    #expect(here.vault("remove", "-y", bench.id).code == 0)
    here.shell("git add -A; git commit -qm removed")
    try detach(there, "gone")
    try attach(there, "yours")
    _ = bench.bring("merge --no-edit")
    let merged = here.vault("merge", "--continue", side)
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    if side == "--ours" { #expect(here.vault("restore", bench.id).code == 0) }
    expect(["kept", "yours"], in: here, "\(side)")
  }

  @Test("the program's own merge and a cherry-pick leave what verifies")
  func others() throws {
    try attach(here, "mine")
    try detach(there, "gone")
    there.shell("git fetch -q ../v")
    let merged = there.vault("merge", "FETCH_HEAD")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    expect(["kept", "mine"], in: there, "vault merge")
    try attach(there, "yours")
    // The picked commit follows versions that are missing here, so a person must choose to take it whole.
    #expect(bench.bring("cherry-pick").code == 1)
    let picked = here.vault("merge", "--continue", "--theirs")
    #expect(picked.code == 0, "\(picked.output)\(picked.errors)")
    expect(["kept", "mine", "yours"], in: here, "cherry-pick")
  }
}
