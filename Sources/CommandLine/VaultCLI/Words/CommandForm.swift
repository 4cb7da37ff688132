package import ArgumentParser

/// What a command takes, read from its help: the one place where its options and arguments are described.
package struct CommandForm {
  package struct Option {
    package let names: [String]
    /// What its value is called; nil for a flag.
    package let value: String?
    /// The values it must be one of, where there are such.
    package var choices: [String] = []
    /// What it is for.
    package var text = ""
  }

  package private(set) var options: [Option] = []
  /// What its arguments are called, in order; the last may be repeated.
  package private(set) var arguments: [String] = []
  /// What they are.
  package private(set) var argumentTexts: [String] = []
  /// How it is called.
  package private(set) var usage = ""

  /// The form of the options that commands share.
  package static let common = CommandForm(help: CommonOptions.helpMessage(includeHidden: true, columns: columns))

  package init(of command: any ParsableCommand.Type) {
    self.init(help: VaultCommand.helpMessage(for: command, includeHidden: true, columns: Self.columns))
  }

  /// Wider than any text, so that each option stands in one line.
  private static let columns = 10_000

  private init(help: String) {
    for line in Self.joined(help) {
      if line.hasPrefix("  <") {
        arguments.append(String(line.dropFirst(3).prefix { $0 != ">" }))
        argumentTexts.append(Self.text(line))
      } else if line.hasPrefix("  -") {
        options.append(Self.option(line))
      } else if line.hasPrefix("USAGE: ") {
        usage = String(line.dropFirst("USAGE: ".count))
      }
    }
  }

  /// The lines of the help; a text that stands below long names is put behind them.
  private static func joined(_ help: String) -> [String] {
    help.split(separator: "\n").reduce(into: []) { lines, line in
      if line.hasPrefix("          "), let last = lines.popLast() {
        lines.append(last + "  " + line.drop { $0 == " " })
      } else {
        lines.append(String(line))
      }
    }
  }

  /// `  -o, --output <file>     Write to a file. (values: a, b; default: a)`
  private static func option(_ line: String) -> Option {
    let words = line.split(whereSeparator: { " ,".contains($0) })
    let names = words.prefix { $0.hasPrefix("-") }.map(String.init)
    var value: String?
    if let next = words.dropFirst(names.count).first, next.hasPrefix("<") {
      value = String(next.dropFirst().prefix { $0 != ">" })
    }
    var option = Option(names: names, value: value, text: text(line))
    if let start = line.firstRange(of: "(values: ")?.upperBound {
      option.choices = line[start...].prefix { !";)".contains($0) }.split(separator: ", ").map(String.init)
    }
    return option
  }

  /// What stands behind the names, which two blanks separate from it.
  private static func text(_ line: String) -> String {
    let line = line.drop { $0 == " " }
    guard let gap = line.firstRange(of: "  ") else { return "" }
    return String(line[gap.upperBound...].drop { $0 == " " })
  }

  package func option(_ name: some StringProtocol) -> Option? { options.first { $0.names.contains { $0 == name } } }
}
