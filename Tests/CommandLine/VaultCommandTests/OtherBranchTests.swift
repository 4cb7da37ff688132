import Testing
import VaultTestSupport

@Suite("Another branch or a stash that keeps the later state", .enabled(if: GitBench.isThere))
struct OtherBranchTests {
  /// The vault `v` with the records A, B and C in a first commit of the branch `main`.
  private static let start =
    Workspace.threeRecords + "\ncommand git init -qb main v; git add -A; git commit -qm one\n"
  private static let git = #"git() { command git -C v "$@"; }; commit() { git add -A; git commit -qm "$1"; }"#
  private static let ids = #"A=$(vault list | awk '$3 == "A" { print $1 }'); A=$(cd v; ls records/*/$A.json)"#

  private func workspace(after lines: String) throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.script([Self.git, Self.start, Self.ids, lines].joined(separator: "\n"))
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  @Test(
    "is no alarm: what this machine has seen last is named in a note, and every command works",
    arguments: [
      ("vault set A username=n; commit two", "the branch other"), ("vault remove A -y; commit two", "the branch other"),
      ("vault add login title=D --generate password; commit two", "the branch other"),
      ("vault checkpoint; commit two", "the branch other"),
      ("vault set A username=n; vault set A username=m; commit two", "the branch other"),
      (
        "echo words-of-another-key >pass; vault key add --passphrase --new-passphrase-file pass; commit two",
        "the branch other"
      ),
      ("vault set A username=n; vault checkpoint; commit two; git switch -qc 'a;b' main~0", "the branch other"),
      ("vault set A username=n; git stash -q", "stash@{0}"),
      ("vault add login title=D --generate password; git stash -qu", "stash@{0}"),
      ("vault set A username=n; git stash -q; vault set B username=m; git stash -q", "stash@{"),
    ])
  func kept(_ acts: String, _ place: String) throws {
    let workspace = try workspace(after: "git switch -qc other\n\(acts)\ngit switch -q main")
    for command in [
      "verify", "get A username", "verify", "set C username=p", "checkpoint", "set A username=p", "set B username=p",
    ] {
      let run = workspace.script("vault " + command)
      #expect(run.code == 0, "\(command): \(run.errors)")
      if command == "verify" { #expect(run.errors.contains("is kept in " + place), "\(run.errors)") }
    }
    let back = workspace.script("\(Self.git)\ncommit own; git switch -q other; vault verify")
    #expect(back.code == 0, "\(back.errors)")
  }

  @Test("the note names the branch or the stash, and the line that brings the state here")
  func note() throws {
    let switched = try workspace(
      after: "git switch -qc 'it;is'; vault set A username=n; commit two; git switch -q main")
    let run = switched.script("vault get A username")
    #expect(run.output == "u")
    #expect(
      run.errors == """
        note: this folder is older than what this machine has seen; the newer state is kept in the branch it;is: \
        `git merge 'it;is'` brings it here

        """)
    let stashed = try workspace(after: "vault set A username=n; git stash -q")
    #expect(stashed.script("vault get A username").errors.contains("`git stash pop stash@{0}` brings it back"))
    let merged = switched.script("\(Self.git)\ngit merge -q 'it;is'; vault get A username")
    #expect(merged.output == "n", "\(merged.errors)")
    #expect(merged.errors.isEmpty)
    // If the header is the earlier one, showing the pin reports it, too.
    let header = try workspace(
      after: """
        echo words-of-another-key >pass; git switch -qc other
        vault key add --passphrase --new-passphrase-file pass; commit two; git switch -q main
        """)
    let status = header.script("vault status")
    #expect(status.code == 0, "\(status.errors)")
    #expect(status.output.contains("the later header is kept in the branch other"), "\(status.output)")
  }

  @Test(
    "is none where the branch here had the later state: a rollback is still found",
    arguments: [
      // A file that was put back, with and without another branch that has the later one.
      "cp v/$A old; git switch -qc other; vault set A username=n; cp old v/$A",
      "cp v/$A old; vault set A username=n; commit two; git branch other; cp old v/$A",
      "vault set A username=n; commit two; git branch other; git checkout -q HEAD~1 -- records",
      "vault set A username=n; commit two; git branch other; git rm -q $A",
      // Commits that take back.
      "vault set A username=n; commit two; git branch other; git revert --no-edit HEAD >log",
      "vault set A username=n; commit two; git branch other; git rm -q $A; git commit -qm three",
      // The branch here has had the state by another way than a merge.
      "git switch -qc other; vault set A username=n; commit two; git switch -q main; git merge -q --squash other; commit sq; "
        + "git revert --no-edit HEAD >log",
      "git switch -qc other; vault set A username=n; commit two; git switch -q main; git commit -q --allow-empty -m x; "
        + "git cherry-pick other >log; git revert --no-edit HEAD >log",
      "vault set A username=n; git stash -q; git stash apply -q; commit two; git revert --no-edit HEAD >log",
      // A write on one branch removes nothing from the memory of another.
      "git switch -qc other; vault set A username=n; vault set A username=m; commit two; git switch -q main; "
        + "vault set A username=k; commit own; git switch -q other; git revert --no-edit HEAD >log",
      // Only the reflog has it, or nobody.
      "vault set A username=n; commit two; git reset -q --hard HEAD~1",
      "vault set A username=n; git stash -q; git stash drop -q", "vault set A username=n; git checkout -q -- .",
      "git switch -qc other; vault set A username=n; commit two; git switch -q main; git branch -qD other",
      // A single commit.
      "vault set A username=n; commit two; git switch -q --detach HEAD~1",
      // Another branch has the latest, and the one here a later one than the work tree.
      """
      cp v/$A old; vault set A username=n; commit two; git switch -qc other; vault set A username=m; commit three
      git switch -q main; cp old v/$A
      """,
      """
      vault set A username=n; commit two; git switch -qc other; vault set A username=m; commit three
      git switch -q main; rm v/$A
      """,
      // The same, and it is committed.
      """
      cp v/$A old; vault set A username=n; commit two; git switch -qc other; vault set A username=m; commit three
      git switch -q main; cp old v/$A; commit back
      """,
      // The header and the list of all records.
      "cp v/vault.json old; vault kinds add wifi.json; commit two; git branch other; cp old v/vault.json",
      "vault checkpoint; cp v/checkpoint.jsonl old; vault checkpoint; commit two; git branch other; cp old v/checkpoint.jsonl",
      "vault checkpoint; commit two; git branch other; rm v/checkpoint.jsonl",
      // A branch of another history.
      """
      vault set A username=n; commit two; git checkout -q --orphan other; git commit -qm new; git switch -q main
      git reset -q --hard HEAD~1
      """,
    ])
  func rollbacks(_ acts: String) throws {
    let kind = #"""
      echo '{"title":"wifi","type":"object","properties":{"title":{"type":"string"},
        "password":{"type":"string","x-sealed":true}}}' >wifi.json\#n
      """#
    let workspace = try workspace(after: kind + acts)
    let verified = workspace.script("vault verify")
    #expect(verified.status == .unexpectedVault, "\(verified.output)\(verified.errors)")
    #expect(!verified.errors.contains("is kept in"), "\(verified.errors)")
  }

  @Test("two branches are joined while a third one has a later version", arguments: [false, true])
  func third(_ isSetUp: Bool) throws {
    let setUp = isSetUp ? "export PATH=$(dirname '\(Binary.path)'):$PATH; (cd v; vault git setup)" : ":"
    let workspace = try workspace(
      after: """
        \(setUp); commit setup || true
        git switch -qc feat; vault set A username=f; commit f; git switch -qc third main
        for number in 1 2 3; do vault set A username=t$number; commit t; done
        git switch -q main; vault set A urls=https://m.example; commit m; git switch -q third; vault verify
        git switch -q main; git merge -q feat >log 2>&1 || vault merge --continue
        """)
    let run = workspace.script("vault get A username; vault verify")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("f"), "\(run.output)")
  }

  @Test("a rebase that has stopped leaves its own branch and others ahead")
  func rebase() throws {
    let workspace = try workspace(
      after: """
        git switch -qc other; vault set A username=n; commit two; git switch -q main
        vault set B username=m; commit three; vault set C username=p; commit four
        GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -qi HEAD~2 2>/dev/null || :
        """)
    let stopped = workspace.script("vault verify")
    #expect(stopped.code == 0, "\(stopped.errors)")
    // Which record is asked about first goes by its id.
    let places = [
      "branch main: `git rebase --continue` goes on to it", "branch other: `git merge other` brings it here",
    ]
    #expect(places.contains { stopped.errors.contains($0) }, "\(stopped.errors)")
    let done = workspace.script(
      "\(Self.git)\ngit rebase --continue >/dev/null 2>&1; vault get C username; vault verify")
    #expect(done.code == 0, "\(done.errors)")
    #expect(done.output.hasPrefix("p"))
    #expect(done.errors.contains(places[1]), "\(done.errors)")
  }

  @Test("the note's line means the branch, and not a tag of the same name")
  func tag() throws {
    let workspace = try workspace(
      after: "git switch -qc next; vault set A username=n; commit two; git switch -q main; git tag next")
    let line = "git -c merge.ff=only $(vault verify 2>&1 | sed -n 's/.*`git \\(.*\\)`.*/\\1/p')"
    let run = workspace.script("\(Self.git)\neval \"\(line)\" >/dev/null; vault verify >&2; vault get A username")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output == "n")
    #expect(!run.errors.contains("note:"), "\(run.errors)")
  }

  @Test("several records of another branch are one note")
  func many() throws {
    let workspace = try workspace(
      after: """
        git switch -qc other
        for number in 1 2 3; do vault set A username=n$number; vault set B username=n$number; commit $number; done
        git switch -q main
        """)
    let run = workspace.script("vault verify")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errorLines.count { $0.contains("the newer state is kept") } == 1, "\(run.errors)")
  }
}
