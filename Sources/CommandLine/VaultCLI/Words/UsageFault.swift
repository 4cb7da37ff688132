import ArgumentParser
import VaultTerminal

/// Arguments that the parser refuses. Its message is put into our form, without repeating values.
struct UsageFault {
  let cause: any Error

  init(_ cause: any Error) { self.cause = cause }

  /// The help or version text, which the parser throws as an error.
  static func help(_ error: any Error) -> String? {
    guard !(error is CommandError), VaultCommand.exitCode(for: error) == .success else { return nil }
    return VaultCommand.fullMessage(for: error)
  }

  /// A `CommandError` stays as it is, and an unknown command precedes the message of the parser.
  func described(_ arguments: [String]) -> CommandError {
    if let error = cause as? CommandError { return error }
    if let error = CommandNames.unknown(arguments) { return error }
    let (message, choices) = parserMessage(arguments)
    let ours = ParserMessage(message, choices: choices, path: CommandNames.named(arguments).path)
    var error = CommandError.usage(ours.subject, ours.reason)
    if let hint = suggestion(message, choices: choices, arguments: arguments) { error.hints.append(hint) }
    // The description of the fault comes first, and may quote lines of a value. The usage comes last.
    let lines = VaultCommand.fullMessage(for: cause).split(whereSeparator: \.isNewline)
    for line in lines[(lines.lastIndex { $0.hasPrefix("Usage: ") } ?? lines.endIndex)...] {
      let line = line.drop(while: { $0 == " " })
      if line.hasPrefix("Usage: ") { error.hints.append("usage: " + line.dropFirst("Usage: ".count)) }
      if line.hasPrefix("See '"), let help = line.split(separator: "'").dropFirst().first {
        error.hints.append("`\(help)` explains the command")
      }
    }
    return error
  }

  /// The parser's message in one line, and the allowed values if there are any. Such a value is not secret and is
  /// shown. The parser's proposals are dropped, because they can be too far off.
  private func parserMessage(_ arguments: [String]) -> (message: String, choices: [String]) {
    let whole = VaultCommand.message(for: cause)
    let offer = whole.ranges(of: ". Please provide one of ").last
    let isChoice = offer != nil && whole.hasPrefix("The value '")
    let shown = Self.replacingValues(in: whole, arguments) { isChoice ? Printable.argument($0) : "…" }
    var message = shown.split(whereSeparator: \.isNewline).joined(separator: " ")
    if message.hasSuffix("'?"), let start = message.ranges(of: ". Did you mean '").last {
      message = String(message[..<start.lowerBound])
    }
    guard isChoice, let offer, let start = message.ranges(of: ". Please provide one of ").last else {
      return (message, [])
    }
    // A few values are in quotes. Many values have a line each.
    let list = whole[offer.upperBound...].split(whereSeparator: \.isNewline)
    let quoted = (list.first ?? "").split(separator: "'", omittingEmptySubsequences: false)
    let choices =
      list.count > 1
      ? list.dropFirst().map { String($0.drop { " -".contains($0) }) }
      : quoted.enumerated().compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    return (String(message[..<start.lowerBound]), choices)
  }

  /// The hint for a message of the parser; nil if nothing is similar.
  private func suggestion(_ message: String, choices: [String], arguments: [String]) -> String? {
    if !choices.isEmpty {
      // The value is a word of its own, or follows its option.
      return arguments.lazy.compactMap { Suggestion.hint(for: $0.split(separator: "=").last ?? "", among: choices) }
        .first
    }
    let command = CommandNames.named(arguments).command
    if let explaining = command as? any MistakeExplaining.Type, let mistake = Self.mistake(message),
      let hint = explaining.hint(for: mistake)
    {
      return hint
    }
    let parts = message.split(separator: "'")
    if message.hasPrefix("Unknown option '"), let hint = Self.longOption(arguments, of: command) { return hint }
    guard message.hasPrefix("Unknown option '"), parts.count > 1, Self.isOptionName(parts[1]) else { return nil }
    if parts[1] == "--at" {
      return "only commands that read take --at; `vault restore RECORD@REV` brings an earlier version back"
    }
    return Suggestion.hint(for: parts[1], among: CommandNames.options(of: command))
  }

  /// The mistake in a message of the parser; nil if no command explains it.
  private static func mistake(_ message: String) -> CommandMistake? {
    if message.contains("nexpected argument") { return .furtherArgument }
    guard message.hasPrefix("Missing expected argument '") else { return nil }
    let name = message.dropFirst("Missing expected argument '".count).prefix { !" '".contains($0) }
    return .missingArgument(String(name))
  }

  /// The long option for a word with a single dash, which the parser reads as one-letter options.
  private static func longOption(_ arguments: [String], of command: any ParsableCommand.Type) -> String? {
    let options = CommandNames.options(of: command)
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") && !argument.hasPrefix("--") {
      let word = "-" + argument.prefix { $0 != "=" }
      guard word.count > 3, isOptionName(word[...]) else { continue }
      let near = options.contains(word) ? [word] : Suggestion.names(for: word, among: options)
      if let option = near.first { return "an option of several letters needs two dashes: `\(option)`" }
    }
    return nil
  }

  /// Replaces values in a message. The parser quotes words that it does not understand, and such a word may be a
  /// misplaced secret.
  private static func replacingValues(
    in message: String, _ arguments: [String], with form: (String) -> String
  ) -> String {
    var message = message
    for value in values(in: arguments) { message = replacing("'\(value)'", in: message, with: "'\(form(value))'") }
    return message
  }

  /// All arguments that are not clearly option names, the longest first.
  private static func values(in arguments: [String]) -> [String] {
    var values: [String] = []
    for argument in arguments where !isOptionName(argument[...]) {
      values.append(argument)
      guard argument.hasPrefix("-"), let equals = argument.firstIndex(of: "=") else { continue }
      values.append(String(argument[argument.index(after: equals)...]))
      if !isOptionName(argument[..<equals]) { values.append(String(argument[..<equals])) }
    }
    return values.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
  }

  static func isOptionName(_ text: Substring) -> Bool {
    if text.utf8.count == 2, text.hasPrefix("-") { return true }
    return text.hasPrefix("--")
      && text.dropFirst(2).utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  /// Replaces by bytes, because a value that begins with a combining mark forms one character with the quote before it.
  private static func replacing(_ text: String, in message: String, with replacement: String) -> String {
    let needle = Array(text.utf8)
    var rest = Array(message.utf8)[...]
    var result: [UInt8] = []
    while let first = rest.first {
      if rest.starts(with: needle) {
        result += Array(replacement.utf8)
        rest = rest.dropFirst(needle.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
