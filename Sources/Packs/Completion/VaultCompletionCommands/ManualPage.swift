import ArgumentParser
import VaultCLI
import VaultDocument

/// The manual page of a command in mdoc(7), made from the source of `--help`.
struct ManualPage {
  private let command: any ParsableCommand.Type
  private let path: String

  /// - Parameter words: the words of a command; empty for the program.
  init(_ words: [String]) { (command, path) = CommandNames.named(words) }

  var text: String {
    let title = path.replacing(" ", with: "-")
    let configuration = command.configuration
    var lines = [
      ".Dd \(Self.date)", ".Dt \(title.uppercased()) 1", ".Os", ".Sh NAME", ".Nm \(title)",
      ".Nd \(Self.escaped(Self.withoutStop(configuration.abstract)))", ".Sh SYNOPSIS",
    ]
    lines += Self.uses(of: command).map { ".D1 " + Self.escaped($0) }
    lines.append(".Sh DESCRIPTION")
    lines += Self.paragraphs(configuration.discussion)
    lines += Self.parts(of: command, isWhole: true)
    for subcommand in Self.subcommands(of: command) {
      if path == "vault" { continue }
      lines.append(".Ss " + Self.escaped("\(path) \(subcommand._commandName)"))
      lines +=
        Self.filled(subcommand.configuration.abstract) + [".Pp"] + Self.paragraphs(subcommand.configuration.discussion)
      lines += Self.parts(of: subcommand, isWhole: false)
    }
    if path == "vault" { lines += Self.commandList } else { lines += Self.sharedOptions(of: command) }
    for section in ManualFacts.sections {
      lines += [".Sh \(section.title)", ".Bl -tag -width Ds"]
      for (name, text) in section.entries { lines += [".It \(section.item) \(Self.escaped(name))"] + Self.filled(text) }
      lines.append(".El")
    }
    lines.append(".Sh SEE ALSO")
    lines.append(path == "vault" ? ".Xr age 1" : ".Xr vault 1")
    return lines.joined(separator: "\n")
  }

  private static func subcommands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
  }

  private static func uses(of command: any ParsableCommand.Type) -> [String] {
    let below = subcommands(of: command)
    guard !below.isEmpty, command != VaultCommand.self else { return [CommandForm(of: command).usage] }
    return below.map { CommandForm(of: $0).usage }
  }

  /// Arguments and options, without the options that all commands share.
  private static func parts(of command: any ParsableCommand.Type, isWhole: Bool) -> [String] {
    let form = CommandForm(of: command)
    let common = CommandForm.common.options
    let shared = Set(common.flatMap(\.names)).union(["--version"])
    let isRoot = command == VaultCommand.self
    var lines: [String] = []
    for (name, text) in zip(form.arguments, form.argumentTexts) { lines += [".It Ar \(escaped(name))"] + filled(text) }
    lines += items(isRoot ? common : form.options.filter { !shared.contains($0.names[0]) })
    guard !lines.isEmpty else { return [] }
    return (isWhole ? [isRoot ? ".Sh OPTIONS OF ALL COMMANDS" : ".Sh OPTIONS"] : [])
      + [".Bl -tag -width Ds"] + lines + [".El"]
  }

  private static func items(_ options: [CommandForm.Option]) -> [String] {
    options.flatMap { option in
      let names = option.names.map { "Fl \($0.dropFirst())" }.joined(separator: " , ")
      return [".It \(names)" + (option.value.map { " Ar \(escaped($0))" } ?? "")] + filled(option.text)
    }
  }

  /// The options of a command, or of its subcommands, that other commands share.
  private static func sharedOptions(of command: any ParsableCommand.Type) -> [String] {
    let taken = Set(([command] + subcommands(of: command)).flatMap { CommandNames.options(of: $0) })
    let options = CommandForm.common.options.filter { $0.names.contains(where: taken.contains) }
    return options.isEmpty
      ? [] : [".Sh OPTIONS OF ALL COMMANDS", ".Bl -tag -width Ds"] + items(options) + [".El"]
  }

  private static var commandList: [String] {
    var lines = [".Sh COMMANDS"]
    for group in VaultCommand.configuration.groupedSubcommands {
      lines += [".Ss " + group.name, ".Bl -tag -width Ds"]
      for command in group.subcommands {
        lines.append(".It Xr vault-\(command._commandName) 1")
        lines += filled(command.configuration.abstract)
      }
      lines.append(".El")
    }
    return lines
  }

  /// Text in paragraphs, with examples unchanged.
  private static func paragraphs(_ text: String) -> [String] {
    var lines: [String] = []
    var isExample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isIndented = line.hasPrefix("  ")
      if isIndented != isExample {
        lines.append(isIndented ? ".Bd -literal -offset indent" : ".Ed")
        isExample = isIndented
      }
      if line.isEmpty {
        if !isExample, lines.last != ".Pp", !lines.isEmpty { lines.append(".Pp") }
      } else {
        lines += isIndented ? [escaped(line.dropFirst(2))] : filled(line)
      }
    }
    if isExample { lines.append(".Ed") }
    if lines.last == ".Pp" { lines.removeLast() }
    return lines
  }

  /// A text in lines of less than 80 bytes with a new line for each sentence, as mdoc(7) asks.
  private static func filled(_ text: some StringProtocol) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let word = String(word).replacing("\\", with: "\\e").replacing("-", with: "\\-")
      if line.utf8.count + word.utf8.count > 76 || line.hasSuffix(".") || line.hasSuffix("?") {
        if !line.isEmpty { lines.append(line) }
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : $0 }
  }

  private static func withoutStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  /// Escapes backslashes, and dots and quotes that would make a line a request.
  private static func escaped(_ text: some StringProtocol) -> String {
    let text = String(text).replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// The date of the version, so that builds are reproducible.
  private static let date = "November 23, 2026"
}
