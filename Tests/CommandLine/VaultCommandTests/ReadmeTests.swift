import Testing
import VaultTestSupport

/// The README is the page that a stranger types from: each of its blocks is run as it stands.
@Suite("README", .atTerminal)
struct ReadmeTests {
  private static let page = ReadmePage()
  /// Headings of blocks that name scripts and packages, which other checks run.
  private static let installing = ["Install", "From source"]
  /// The heading of the block that `Scripts/examples` compiles.
  private static let program = "In a Swift program"

  @Test("has at most 130 lines")
  func length() {
    #expect(Self.page.lines.count <= 130)
  }

  @Test("has no block that no test runs")
  func everyBlock() {
    let headings = Set(Self.page.blocks.map(\.heading))
    #expect(headings == Set(ReadmePlay.all.map(\.heading)).union(Self.installing + [Self.program]))
    #expect(Set(Self.page.blocks.map(\.language)) == ["console", "sh", "swift"])
    #expect(Self.page.indented == [])
  }

  @Test("does what it shows, typed as it stands", arguments: ReadmePlay.all)
  func typed(_ play: ReadmePlay) throws {
    guard play.needs.allSatisfy({ $0.isMet(forCases: 1, of: "README, \(play.heading)") }) else { return }
    let stage = try ReadmeStage()
    let before = play.before.flatMap(Self.page.steps)
    let steps = Self.page.steps(below: play.heading)
    let prepared = play.preparing.map { ReadmePage.Step(person: "ada", line: $0) }
    let checked = play.checking.map { ReadmePage.Step(person: "ada", line: $0) }
    let ends = try stage.run(before + prepared + steps + checked, answers: play.answers)
    for end in ends {
      #expect(end.code == (play.codes[end.step.line] ?? 0), "\(end.step.line)\n\(end.output)")
    }
    for end in ends where !end.step.output.isEmpty {
      #expect(stage.settled(end.output) == stage.settled(end.step.output.joined(separator: "\n")), "\(end.step.line)")
    }
  }

  @Test("names scripts and options that are there", arguments: installing)
  func namesOfScripts(_ heading: String) throws {
    let steps = Self.page.steps(below: heading)
    #expect(!steps.isEmpty)
    for step in steps {
      let syntax = ProcessRun(path: "/bin/bash", arguments: ["-n", "-c", step.line]).run()
      #expect(syntax.status == .done, "\(step.line)")
      for match in step.line.matches(of: #/Scripts/[a-z-]+/#) {
        let script = ReadmePage.text(of: String(match.output))
        #expect(script.hasPrefix("#!"), "\(match.output)")
        for option in step.line.matches(of: #/--[a-z]+/#) { #expect(script.contains(option.output), "\(step.line)") }
      }
      for match in step.line.matches(of: #/vault[_-]VERSION[A-Za-z_.-]+/#) {
        #expect(ReadmePage.text(of: "docs/install.md").contains("`\(match.output)`"), "\(match.output)")
      }
    }
  }

  @Test("has Swift that the examples compile")
  func compiled() {
    #expect(ReadmePage.text(of: "Scripts/snippets").contains("yield ROOT / \"README.md\""))
    #expect(Self.page.blocks.contains { $0.heading == Self.program && $0.language == "swift" })
  }

  @Test("shows pictures that are there")
  func pictures() {
    let named = Self.page.lines.flatMap { $0.matches(of: #/docs/picker-[a-z]+\.svg/#).map { String($0.output) } }
    #expect(named.count == 2)
    for name in named { #expect(ReadmePage.text(of: name).hasPrefix("<svg"), "\(name)") }
  }
}
