import Testing
import VaultTestSupport

@Suite("Commits that git replays on a vault", .enabled(if: GitBench.isThere))
struct GitReplayTests {
  /// What `b` does with two commits of `v` that follow its own.
  private static let operations = [
    "git pull -q --rebase", "git cherry-pick origin/main~1 origin/main", "git am -q -3 ../patches/*",
  ]

  private func parted(_ ours: String, _ theirs: String) throws -> GitDesk {
    let desk = try GitDesk()
    desk.make()
    desk.at("v", "vault add login title=A username=x --generate password")
    desk.clone("b")
    desk.at("v", theirs + "; git format-patch -q -2 -o ../patches")
    let done = desk.at("b", ours + "; git fetch -q")
    try #require(done.code == 0, "\(done.errors)")
    return desk
  }

  @Test("several commits of one record on both sides join by field", arguments: operations)
  func joins(_ operation: String) throws {
    let desk = try parted(
      "for n in 1 2 3; do vault set A fields.b=$n; done", "vault set A username=1; vault set A username=2")
    let done = desk.at("b", operation)
    #expect(done.code == 0, "\(done.output)\(done.errors)")
    let read = desk.at("b", "vault verify; vault get A username; vault get A fields.b; git status --porcelain")
    #expect(read.code == 0, "\(read.errors)")
    #expect(read.output.hasSuffix("23"), "\(read.output)")
  }

  @Test(
    "two values of one field stop git, and each line that is named works when it is typed",
    arguments: operations, ["--ours", "--theirs"])
  func lines(_ operation: String, _ side: String) throws {
    let desk = try parted(
      "vault set A username=b1; vault set A fields.b=1", "vault set A username=v1; vault set A fields.v=1")
    let stopped = desk.at("b", operation)
    #expect(stopped.code != 0)
    #expect(stopped.errors.contains("hint: `vault merge --continue` asks at a terminal; --ours"), "\(stopped.errors)")
    for _ in 1...3 {
      let merged = desk.at("b", "vault merge --continue \(side)")
      #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
      guard let line = merged.errors.split(separator: "`").dropFirst().first, line.hasPrefix("git ") else { break }
      let next = desk.at("b", String(line))
      #expect(next.code == 0 || next.errors.contains("vault merge --continue"), "\(line): \(next.output)\(next.errors)")
    }
    let read = desk.at(
      "b", "vault verify; vault get A username; vault get A fields.b; vault get A fields.v; git status")
    #expect(read.code == 0, "\(read.output)\(read.errors)")
    #expect(read.output.contains("working tree clean"), "\(read.output)")
    // In a rebase, ours is what is rebased onto.
    let isTheirs = (side == "--theirs") != operation.contains("rebase")
    #expect(read.output.contains((isTheirs ? "v1" : "b1") + "11"), "\(read.output)")
  }

  @Test("a stash joins by field, and if both have changed the field, the lines that are named finish it")
  func stash() throws {
    let desk = try parted("CVAULT_GIT=off vault set A fields.b=1; git stash -q", "vault set A username=v1")
    let joined = desk.at(
      "b", "git merge -q origin/main; git stash pop -q; vault verify; vault get A username; vault get A fields.b")
    #expect(joined.code == 0, "\(joined.errors)")
    #expect(joined.output.hasSuffix("v11"))
    let twice = try parted("CVAULT_GIT=off vault set A username=b1; git stash -q", "vault set A username=v1")
    #expect(twice.at("b", "git merge -q origin/main; git stash pop -q").code == 1)
    let finished = twice.at(
      "b",
      "vault merge --continue --theirs; git stash drop -q; git commit -qam popped; vault verify; vault get A username")
    #expect(finished.code == 0, "\(finished.errors)")
    #expect(finished.errors.contains("`git stash drop`"), "\(finished.errors)")
    #expect(finished.output.hasSuffix("b1"))
  }

  @Test("`git am` is called by its name while it waits")
  func am() throws {
    let desk = try parted("vault set A username=b1", "vault set A username=v1; vault set A fields.v=1")
    #expect(desk.at("b", "git am -q -3 ../patches/*").code != 0)
    let told = desk.at("b", "vault doctor | grep merge:").output
    #expect(told.contains("`git am` is under way"), "\(told)")
  }
}
