import Testing
import VaultTestSupport

/// A day of one person: two clones of a vault, a second vault, branches, a stash, and clocks that are wrong.
@Suite("A day of one person", .enabled(if: GitBench.isThere))
struct PersonDayTests {
  private static let clock = Need.command("faketime")

  /// In which folder a step is done, and what it does. Every step is followed by `vault verify` there.
  private static let steps = [
    ("v", "vault add login title=D username=u --generate password; commit add"),
    ("v", "vault set -g A -y; commit replace"), ("v", "vault set A username=n; commit change"),
    ("v", "vault attach B ../file; commit attach"), ("v", "vault detach B file -y; commit detach"),
    ("v", "vault checkpoint; commit checkpoint"), ("b", "git pull -q"),
    ("v", "vault remove B -y; commit remove"), ("v", "vault trash restore B; commit restore"),
    ("v", "vault remove B -y; vault checkpoint; vault trash empty -y; commit empty"), ("b", "git pull -q"),
    ("v", "vault move D --to w -y; commit move"), ("w", "vault list"), ("v", "vault trash empty -y; commit emptied"),
    // Work that is put aside and taken up again.
    ("v", "vault set A username=stashed; git stash -q"), ("v", "vault get A username"), ("v", "git stash pop -q"),
    ("v", "commit taken"), ("v", "vault add login title=E --generate password; git stash -qu"),
    ("v", "vault add login title=F --generate password; commit F"), ("v", "git stash pop -q; commit E"),
    // A branch, changes on both, back and forth, and joined.
    ("v", "git switch -qc idea; vault set A url=https://idea.example; commit idea"), ("v", "git switch -q main"),
    ("v", "vault set C username=main; commit main"), ("v", "git switch -q idea"),
    ("v", "vault checkpoint; commit list"),
    ("v", "git switch -q main"), ("v", "git merge -q idea"),
    ("v", "vault checkpoint; git add -A; git commit -qm joined || true"),
    ("v", "git branch -qd idea"),
    // The other clone changes, and both meet.
    ("b", "vault set C url=https://b.example; commit b"), ("b", "git pull -q --rebase"),
    ("v", "git pull -q ../b main"),
    ("v", "vault set F username=one; commit one"), ("v", "vault set F username=two; commit two"),
    ("b", "vault set E username=three; commit three"), ("b", "git pull -q --rebase"),
    ("v", "git pull -q --rebase ../b main"),
    ("v", "vault key add --passphrase --new-passphrase-file ../pass --label gone; commit key"),
    ("v", "vault key remove gone -y; commit unkey"), ("v", "vault rekey -y; commit rekey"), ("b", "git pull -q"),
    ("b", "vault set A username=end; commit end"), ("v", "git pull -q ../b main"),
    // Backups, and one of them restored beside the vault.
    ("v", "vault backup create --to ../backups --recipient $(sed -n 's/# public key: //p' ../id.txt)"),
    ("v", "vault backup verify ../backups/*.age"),
  ]

  /// With a clock that is a year behind, or a month ahead.
  private static let clocks = [
    ("v", "clock=-1y; vault set A username=behind; commit behind"),
    ("v", "clock=-1y; vault add login title=G --generate password; vault checkpoint; commit G"),
    ("b", "clock=+30d; git pull -q; vault set A username=ahead; commit ahead"),
    ("v", "git pull -q ../b main; vault set A username=now; vault remove G -y; vault trash empty -y; commit now"),
    ("b", "git pull -q; vault set -g A -y; commit later"),
  ]

  @Test("no act of a day raises an alarm, in either clone, on any branch, by any clock")
  func day() throws {
    let workspace = try Workspace()
    let hasClock = Self.clock.isMet(forCases: Self.clocks.count, of: "a day of one person")
    let start = """
      \(Workspace.threeRecords); echo words-of-another-key >pass; mkdir backups
      vault init w --recipient $(sed -n 's/# public key: //p' id.txt); vault vaults add v v; vault vaults add w w
      cd v; git init -qb main; vault git setup; git add -A; git commit -qm one; cd ..; git clone -q v b
      cd b; export CVAULT_DIR=$PWD; vault git setup
      """
    // The program's folder comes first for the merge driver, which git starts by its name.
    let common = """
      export PATH=$(dirname '\(Binary.path)'):$PATH; clock=; commit() { git add -A; git commit -qm "$1"; }
      vault() { ${clock:+faketime -f "$clock"} '\(Binary.path)' "$@"; }
      """
    let made = workspace.script(common + "\n" + start)
    try #require(made.code == 0, "\(made.errors)")
    for (folder, line) in Self.steps + (hasClock ? Self.clocks : []) {
      let prelude = "\(common)\nexport CVAULT_DIR=$PWD/\(folder); cd \(folder)"
      let act = workspace.script("\(prelude)\n\(line)")
      #expect(act.code == 0, "\(folder): \(line): \(act.output)\(act.errors)")
      let verified = workspace.script("\(prelude)\nvault verify")
      #expect(verified.code == 0, "\(folder): \(line): \(verified.output)\(verified.errors)")
      guard act.code == 0, verified.code == 0 else { return }
    }
  }
}
