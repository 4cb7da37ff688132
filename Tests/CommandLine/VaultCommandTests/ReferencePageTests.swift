import Testing
import VaultTestSupport

@Suite("Reference page")
struct ReferencePageTests {
  @Test("docs/reference.md has a heading for each command and names each of its options")
  func complete() throws {
    let page = ReadmePage.text(of: "docs/reference.md")
    let sections = page.split(separator: "\n### ").reduce(into: [String: String]()) { sections, text in
      sections[text.prefix { $0 != "\n" }.description] = text.description
    }
    let shared = try #require(page.firstRange(of: "## Options of every command"))
    let everyDay = try #require(page.firstRange(of: "## Every day"))
    let common = page[shared.lowerBound..<everyDay.lowerBound]
    let workspace = try Workspace()
    var seen = 0
    var missing: [String] = []
    var paths = Self.commands(in: workspace.run("help", "all").output).map { [$0] }
    while let path = paths.popLast() {
      seen += 1
      let help = workspace.run(path + ["--help"]).output
      let section = sections[path[0]] ?? ""
      if section.isEmpty { missing.append(path[0]) }
      missing += Self.options(in: help).filter { !section.contains($0) && !common.contains($0) }
        .map { (path + [$0]).joined(separator: " ") }
      paths += Self.commands(in: help).map { path + [$0] }
    }
    #expect(missing == [])
    #expect(seen > 90)
  }

  @Test("docs/contract.md has the same variables as the manual")
  func variables() throws {
    let manual = try Workspace().run("complete", "man").output
    let names = Set(manual.matches(of: /\.It Ev (CVAULT_[A-Z_]+)/).map { String($0.1) })
    let page = ReadmePage.text(of: "docs/contract.md")
    let described = page.split(separator: "\n").filter { $0.hasPrefix("| `CVAULT_") }
      .flatMap { $0.split(separator: "|")[0].matches(of: /`(CVAULT_[A-Z_]+)/).map { String($0.1) } }
    #expect(names == Set(described))
    #expect(names.count > 15)
  }

  /// The options of the usage line and the list below it, as a help text shows them.
  private static func options(in help: String) -> Set<String> {
    guard let usage = help.firstRange(of: "USAGE:") else { return [] }
    let own = help[usage.lowerBound...].split(separator: "\nCommon options: ")[0]
    return Set(own.matches(of: /(?:^|[^\w-])(--[a-z][a-z-]+)/).map { String($0.1) }).subtracting([
      "--version", "--help",
    ])
  }

  /// The commands that a help text lists below its options.
  private static func commands(in help: String) -> [String] {
    guard let options = help.firstRange(of: "OPTIONS:") else { return [] }
    return help[options.upperBound...].split(separator: "\n").compactMap { line in
      guard let name = line.firstMatch(of: /^  ([a-z][a-z-]*)(,| |$)/) else { return nil }
      return String(name.1)
    }
  }
}
