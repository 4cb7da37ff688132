package import ArgumentParser

/// The options and arguments of a command, read from its help, which is the only place that describes them.
package struct CommandForm {
  package struct Option {
    package let names: [String]
    /// The name of the value; nil for a flag.
    package let value: String?
    /// The allowed values; empty if any value is allowed.
    package var choices: [String] = []
    package var text = ""
  }

  package private(set) var options: [Option] = []
  /// The names of the arguments in order. The last argument may be repeated.
  package private(set) var arguments: [String] = []
  package private(set) var argumentTexts: [String] = []
  package private(set) var usage = ""

  /// The options that all commands share.
  package static let common = CommandForm(help: CommonOptions.helpMessage(includeHidden: true, columns: columns))

  package init(of command: any ParsableCommand.Type) {
    self.init(help: VaultCommand.helpMessage(for: command, includeHidden: true, columns: Self.columns))
  }

  /// Wider than any text, so that each option is on one line.
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

  /// The lines of the help. A text below long names is joined to their line.
  private static func joined(_ help: String) -> [String] {
    help.split(separator: "\n").reduce(into: []) { lines, line in
      if line.hasPrefix("          "), let last = lines.popLast() {
        lines.append(last + "  " + line.drop { $0 == " " })
      } else {
        lines.append(String(line))
      }
    }
  }

  /// Parses `  -o, --output <file>     Write to a file. (values: a, b; default: a)`.
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

  /// The text after the names, which two spaces separate.
  private static func text(_ line: String) -> String {
    let line = line.drop { $0 == " " }
    guard let gap = line.firstRange(of: "  ") else { return "" }
    return String(line[gap.upperBound...].drop { $0 == " " })
  }

  package func option(_ name: some StringProtocol) -> Option? { options.first { $0.names.contains { $0 == name } } }
}
