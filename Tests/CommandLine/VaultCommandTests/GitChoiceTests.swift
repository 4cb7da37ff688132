import Testing
import VaultTestSupport

@Suite("Who wins where both have changed something", .enabled(if: GitBench.isThere))
struct GitChoiceTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }

  /// Both have changed the user name and sealed a password, there later; a merge has stopped at it.
  init() throws {
    bench = try GitBench()
    try bench.here.change("username", "Oslo")
    try bench.here.seal("password", "tulip")
    bench.here.shell("sleep 1.1")
    try bench.there.change("username", "Milan")
    try bench.there.seal("password", "rose")
    #expect(bench.bring("merge").code == 1)
  }

  @Test("the later change wins where that was said, by the times under the MACs")
  func newer() throws {
    let merged = here.vault("merge", "--continue", "--newest")
    #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
    #expect(here.value("username") == "Milan")
    #expect(here.value("password") == "rose")
    #expect(here.vault("merge", "--continue", "--newest", "--ours").status == .usage)
  }

  private func type(_ answers: [(prompt: String, reply: String)], _ words: [String] = []) -> ProcessOutcome {
    here.type(["merge", "--continue"] + words, answers, errorsOnTerminal: true)
  }

  private static let plain = "[o]urs, [t]heirs, [l]eave, [s]top: "
  private static let sealed = "[o]urs, [t]heirs, [r]eveal, [l]eave, [s]top: "

  @Test("at a terminal each field is asked for, and each side can win in another one", .atTerminal)
  func asked() throws {
    // The fields are asked for in their order.
    let run = type([(Self.sealed, "r\n"), ("theirs  rose", "t\n"), (Self.plain, "o\n")])
    #expect(run.code == 0, "\(run.output)\(run.errors)\(run.shown)")
    #expect(run.shown.contains("password: both sides have sealed a new value"))
    #expect(run.shown.contains("ours    tulip"))
    #expect(run.shown.contains("ours    \"Oslo\"  at 20"))
    #expect(run.shown.contains("theirs  •••••••• sealed 20"))
    #expect(!run.output.contains("rose"))
    #expect(!run.output.contains("tulip"))
    #expect(here.value("username") == "Oslo")
    #expect(here.value("password") == "rose")
    #expect(here.vault("verify").code == 0)
  }

  @Test("who leaves a field, or stops, has the record as it was; what is not to be shown is not", .atTerminal)
  func left() throws {
    for answer in ["l\n", "s\n"] {
      let run = type([(Self.plain, answer)], ["--no-reveal"])
      #expect(run.status == .partlyDone, "\(run.output)\(run.shown)")
      #expect(run.output.contains("left \(bench.file)"), "\(run.output)\(run.shown)")
      #expect(!run.shown.contains("[r]eveal"))
    }
    #expect(here.file.contains("<<<<<<< ours\n"))
    #expect(here.type(["merge", "--continue"], []).status == .partlyDone, "nobody reads a question there")
  }

  @Test("of a removal and a change the record as a whole is asked for", .atTerminal)
  func removed() throws {
    here.shell("git merge --abort; git reset -q --hard HEAD~2; rm -rf ../state-v; vault remove -y '\(bench.id)'")
    here.shell("git add -A; git commit -qm removed; git merge FETCH_HEAD")
    let run = type([(Self.plain, "t\n")])
    #expect(run.code == 0, "\(run.output)\(run.shown)")
    #expect(run.shown.contains("ours    removed at 20"), "\(run.output)\(run.shown)")
    #expect(here.value("username") == "Milan")
    #expect(here.vault("verify").code == 0)
  }
}
