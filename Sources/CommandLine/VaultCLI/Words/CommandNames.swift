package import ArgumentParser
import VaultDocument
import VaultTerminal

/// The valid first words of the command line, and after a command the names of its subcommands.
package enum CommandNames {
  static let all = names(of: VaultCommand.self)

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
  }

  package static func subcommand(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { $0._commandName == name || $0.configuration.aliases.contains(name) }
  }

  /// The error for a word that is not a command; nil if each word is a command, or if there are options.
  ///
  /// The word is shown, because it is not a place for secrets.
  static func unknown(_ arguments: [String]) -> CommandError? {
    let count = ArgumentOrder.countOfLeadingOptions(arguments)
    guard count == 0 || count < arguments.count else {
      return unknown(options: arguments)
        ?? CommandError.usage(nil, "no command is given", "`vault --help` lists the commands")
    }
    return unknown(words: arguments[count...].prefix { !$0.hasPrefix("-") })
  }

  /// The error for the first word that is clearly the name of an option, and of none that most commands take.
  private static func unknown(options arguments: [String]) -> CommandError? {
    let names = arguments.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
    let form = CommandForm.common
    guard let name = names.first(where: { UsageFault.isOptionName($0[...]) && form.option($0) == nil }) else {
      return nil
    }
    return CommandError.usage(name, "is not an option of vault")
      .suggesting(name, among: form.options.flatMap(\.names)).hinting("`vault --help` lists the commands")
  }

  private static func unknown(words arguments: ArraySlice<String>) -> CommandError? {
    var words = arguments
    // `vault help NAME` takes a command, too. The parser answers an unknown name with the first page.
    if words.first == "help" { words.removeFirst() }
    var command: any ParsableCommand.Type = VaultCommand.self
    var path = "vault"
    if arguments.first == "help", let topic = words.first, HelpTopic(named: topic) != nil { return nil }
    while let word = words.popFirst(), !command.configuration.subcommands.isEmpty, word != "help" {
      guard let next = subcommand(word, of: command) else {
        var error = CommandError.usage(Printable.argument(word), "is not a command of \(path)")
        if command == VaultCommand.self, let hint = WordsElsewhere.hints[word] { error.hints.append(hint) }
        if let hint = Suggestion.hint(for: word, among: names(of: command), { "\(path) \($0)" }) {
          error.hints.append(hint)
        }
        error.hints.append("`\(path) --help` lists the commands")
        return error
      }
      command = next
      path += " \(next._commandName)"
    }
    return nil
  }

  /// The command that the arguments name, and the words of its name; the whole program if they name none.
  package static func named(_ arguments: [String]) -> (command: any ParsableCommand.Type, path: String) {
    var found: (command: any ParsableCommand.Type, path: String) = (VaultCommand.self, "vault")
    for word in arguments {
      guard let next = subcommand(word, of: found.command) else { break }
      found = (next, found.path + " \(next._commandName)")
    }
    return found
  }

  /// The options of a command, as they are typed.
  package static func options(of command: any ParsableCommand.Type) -> [String] {
    CommandForm(of: command).options.flatMap(\.names)
  }
}
