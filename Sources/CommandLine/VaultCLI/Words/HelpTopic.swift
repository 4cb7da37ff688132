import ArgumentParser
import VaultSystem
import VaultTerminal

/// The topics of `vault help` besides the commands: common options, all commands, and the pages of the documents.
enum HelpTopic {
  case options
  case all
  case topics
  /// An installed page.
  case page(path: String)

  /// The topic of the arguments; nil for anything else.
  init?(_ arguments: [String]) {
    guard arguments.first == "help", arguments.count == 2 else { return nil }
    self.init(named: arguments[1])
  }

  /// Nil if no page has the name, or if a command has it.
  init?(named name: String) {
    let words: [String: HelpTopic] = ["options": .options, "all": .all, "topics": .topics]
    // A command's own help has precedence.
    if let topic = words[name] {
      self = topic
    } else if let path = Self.path(of: name) {
      self = .page(path: path)
    } else {
      return nil
    }
  }

  /// The file of a page. A page that has the name of a command is found by the name of its file, such as `git.md`.
  private static func path(of name: String, in pages: [String: String] = pages) -> String? {
    if name.hasSuffix(".md") { return pages[String(name.dropLast(3))] }
    return CommandNames.named([name]).path == "vault" ? pages[name] : nil
  }

  /// The pages by name, from the place of `Scripts/install` or of the build.
  private static var pages: [String: String] {
    for folder in ["../share/doc/\(name)", "../../../docs"] {
      guard let program = ProcessEnvironment.realPath(System.ownProgram) else { break }
      let path = System.parent(of: program) + "/" + folder
      let pages = System.names(in: path).filter { $0.hasSuffix(".md") }
      guard pages.contains("guide.md") else { continue }
      return Dictionary(pages.map { (String($0.dropLast(3)), path + "/" + $0) }) { first, _ in first }
    }
    return [:]
  }

  /// The installed name of the program.
  private static var name: String {
    ProgramArguments.all.first?.split(separator: "/").last.map(String.init) ?? "vault"
  }

  func print() throws {
    switch self {
    case .options:
      let whole = CommonOptions.helpMessage(columns: nil)
      // The usage line of a command with this name is cut off.
      try Output.line(whole.firstRange(of: "VAULT:").map { String(whole[$0.lowerBound...]) } ?? whole)
    case .all:
      let page = VaultCommand.helpMessage(columns: nil).replacing(" SUBCOMMANDS:\n", with: ":\n")
      try Output.line(HelpPage.exampleFirst(page, of: VaultCommand.self))
    case .topics:
      let pages = Self.pages.keys.filter { !["design", "SKILL"].contains($0) }
        .map { CommandNames.named([$0]).path == "vault" ? $0 : $0 + ".md" }
      try Output.line((["all", "options"] + pages.sorted()).joined(separator: "\n"))
    case .page(let path): try Self.print(TextInput.text(of: NamedFile.reading(path)))
    }
  }

  /// Prints a page through a pager, with lines of at most 80 columns as in manual pages.
  private static func print(_ page: String) throws {
    let pages = pages
    let style = Style(noColor: false, descriptor: System.standardOutput)
    let width = Output.isTerminal ? min(System.screen.columns, 80) : 80
    try Pager.lines(FoldedPage.lines(of: page, width: width, style: style) { path(of: $0, in: pages) != nil })
  }

  /// The parser's page, with a pointer to the options of every command. The page of the whole program is our own.
  static func completed(_ text: String, _ arguments: [String]) -> String {
    var words = arguments[...]
    if words.first == "help" { words.removeFirst() }
    let found = CommandNames.named(Array(words))
    guard text.contains("USAGE: ") else { return text }
    guard found.path != "vault" else { return FrontPage.text }
    let text = HelpPage.exampleFirst(text.replacing(" SUBCOMMANDS:\n", with: ":\n"), of: found.command)
    let end = text.reversed().drop(while: \.isWhitespace).reversed()
    let options = CommandNames.options(of: found.command)
    guard options.contains("--json") else { return text }
    // Options of a vault and its key are named only if the command has them.
    let shared = ["--vault", "--identity", "--json", "--quiet", "--yes"].filter(options.contains)
    return String(end) + "\n\nCommon options: \(shared.joined(separator: ", ")) and others.\n"
      + "`vault help options` explains them."
  }
}
