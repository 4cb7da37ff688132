import Testing
import VaultTestSupport

@Suite("Former values in the history of git", .enabled(if: GitBench.isThere))
struct GitFormerTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }

  /// The password was changed twice, each time with a commit.
  init() throws {
    bench = try GitBench()
    for value in ["hyacinth", "snowdrop"] { try here.seal("password", value) }
  }

  private func run(_ words: String) -> ProcessOutcome {
    let outcome = here.with(["CVAULT_IDENTITY_FILE": ""]).shell("vault " + words)
    for secret in ["tigerlily", "hyacinth", "snowdrop", "es1:"] {
      #expect(!outcome.output.contains(secret), "\(words): \(outcome.output)")
    }
    return outcome
  }

  private func head(_ words: String) -> String { run(words).output }

  @Test("a change of a field is one line, also where it adds to the former values")
  func replaced() {
    let changed = head("diff HEAD~1 HEAD")
    #expect(changed.split(separator: "\n").count == 2, "\(changed)")
    #expect(head("log Li\\ Wei").ranges(of: "former value").isEmpty)
    #expect(JSON(run("diff HEAD~1 HEAD --json").stdout)["records"]?[0]?["former"]?.items?.isEmpty == true)
  }

  @Test("a change of former values alone is told by field and number, in log and diff, and is found by --fields")
  func dropped() {
    #expect(here.vault("forget", bench.id, "--yes").code == 0)
    let line = "  password: 2 former values dropped"
    #expect(head("diff").split(separator: "\n").last.map(String.init) == line, "\(head("diff"))")
    #expect(head("diff --stat").contains("changed login Li Wei: 2 former values\n"), "\(head("diff --stat"))")
    #expect(head("diff --markdown").contains("2 former values dropped"))
    #expect(run("diff --exit-code").status == .findings)
    let former = JSON(run("diff --json").stdout)["records"]?[0]?["former"]?[0]
    #expect(former?["dropped"] == .number(2))
    #expect(former?["added"] == .number(0))
    #expect(former?["path"]?.text == "password")
    here.shell("git commit -qam forgotten")
    #expect(head("log Li\\ Wei --limit 1").contains(line))
    #expect(head("log Li\\ Wei --fields password --limit 1").contains(line))
    #expect(!head("log Li\\ Wei --fields username").contains(line))
    let commit = here.shell("git rev-parse --short=12 HEAD").output.dropLast()
    #expect(head("log --fields password --limit 1").hasPrefix(commit))
    #expect(JSON(run("log Li\\ Wei --json").stdout)["versions"]?[0]?["former"]?[0]?["dropped"] == .number(2))
  }

  @Test("a former value that came back is called restored, also where the field was empty")
  func restored() {
    for words in [["restore", bench.id, "password", "--former", "2"], ["unset", bench.id, "password"]] {
      #expect(here.with([:]).shell("vault " + words.joined(separator: " ")).code == 0)
      if words[0] == "unset" {
        #expect(head("diff").contains("  - password: ••••••••"), "\(head("diff"))")
        here.shell("git commit -qam unset")
        #expect(here.vault("restore", bench.id, "password", "--former").code == 0)
      }
      #expect(head("diff").contains("  password: •••••••• restored from the former values"), "\(head("diff"))")
      #expect(JSON(run("diff --json").stdout)["records"]?[0]?["changes"]?[0]?["kind"]?.text == "restored")
      here.shell("git commit -qam restored")
    }
  }

  @Test("a reseal changes no former value in the history; a merge tells which ones it has joined")
  func resealedAndMerged() throws {
    #expect(here.vault("rekey", "--reseal").code == 0)
    #expect(!head("diff").contains("former value"), "\(head("diff"))")
    let other = try GitBench()
    try other.here.seal("password", "hyacinth")
    try other.there.seal("password", "snowdrop")
    let merged = other.there.shell(
      "git fetch -q ../v && git merge FETCH_HEAD; vault merge --continue --theirs --yes; git commit -qam m")
    let values = (1...3).map { other.there.vault("get", other.id, "password", "--former", "\($0)").output }
    #expect(Set(values + [other.there.value("password")]).isSuperset(of: ["hyacinth", "snowdrop"]), "\(merged.errors)")
    let log = other.there.with(["CVAULT_IDENTITY_FILE": ""]).shell("vault diff HEAD^2 HEAD").output
    #expect(log.contains("  password: 1 former value added\n"), "\(log)\(merged.output)\(merged.errors)")
  }

  @Test("in git's own diff each former value is one line with its sealing time, and a new one changes no other")
  func textconv() throws {
    let file = bench.workspace.path + "/v/" + bench.file
    let lines = head("git textconv '\(file)'").split(separator: "\n").filter { $0.hasPrefix("$vault.former") }
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("$vault.former.password: •••••••• sealed ") }, "\(lines)")
    #expect(here.vault("set", bench.id, "--secret-stdin", "password", input: "crocus").code == 0)
    let later = head("git textconv '\(file)'").split(separator: "\n").filter { $0.hasPrefix("$vault.former") }
    #expect(later.count == 3)
    #expect(Array(later.dropFirst()) == Array(lines))
  }

  @Test("an earlier version that is restored keeps the values that it replaces, and those of a removed record")
  func version() {
    #expect(here.vault("restore", "Li Wei@1", "--yes").code == 0)
    #expect(here.value("password") == "tigerlily")
    func former() -> Set<String> {
      Set((1...5).map { here.vault("get", bench.id, "password", "--former", "\($0)").output }.filter { !$0.isEmpty })
    }
    #expect(former() == ["hyacinth", "snowdrop"])
    #expect(here.vault("remove", bench.id, "--yes").code == 0)
    here.shell("git add -A; git commit -qm removed")
    let restored = here.vault("restore", "\(bench.id)@2", "--yes")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(here.value("password") == "hyacinth")
    #expect(former() == ["tigerlily", "snowdrop"])
  }

  @Test("scan of commits finds a former value")
  func scan() {
    here.shell("printf 'pw: hyacinth\n' > notes.txt; git add notes.txt; git commit -qm notes")
    let found = here.vault("scan", "--since", "HEAD~1")
    #expect(found.status == .findings, "\(found.errors)")
    #expect(found.output.contains("password (former)"), "\(found.output)")
  }
}
