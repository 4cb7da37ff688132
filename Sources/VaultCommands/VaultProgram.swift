import ArgumentParser
import VaultCrypto

/// The command line from start to exit code.
public enum VaultProgram {
  /// Runs the command that the arguments of the process name, and ends the process.
  ///
  /// The calling thread, which must be the first one, waits for signals while another does the work: both have to begin
  /// before the first suspension, after which the runtime gives the first thread's signals another meaning.
  public static func run() -> Never {
    ProcessHardening.forbidCoreDumps()
    System.prepareProcess()
    CryptoLibrary.claim()
    let arguments = ArgumentOrder.normalised(Array(CommandLine.arguments.dropFirst()))
    Task.detached { System.exit(await status(of: arguments)) }
    System.waitForTermination()
  }

  private static func status(of arguments: [String]) async -> ExitStatus {
    do {
      var command = try parse(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .done
    } catch {
      return report(error, arguments)
    }
  }

  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    do {
      return try VaultCommand.parseAsRoot(arguments)
    } catch {
      throw UsageFault(error)
    }
  }

  private static func report(_ error: any Error, _ arguments: [String]) -> ExitStatus {
    if let finished = error as? Finished { return finished.status }
    // Help is asked for by an option while parsing, by `vault help` and by commands without a subcommand while running.
    if let text = UsageFault.help(error) { return print(help: text, arguments) }
    let flags = GivenFlags(arguments)
    var error = (error as? UsageFault)?.described(arguments) ?? CommandError(any: error)
    if error.status == .usage, error.hints.isEmpty { error.hints = [helpHint(arguments)] }
    ErrorReport(error, isJSON: flags.isJSON, isVerbose: flags.isVerbose, noColor: flags.noColor).print()
    return error.status
  }

  private static func helpHint(_ arguments: [String]) -> String {
    let command = arguments.first.flatMap { CommandNames.all.contains($0) ? $0 + " " : nil } ?? ""
    return "`vault \(command)--help` shows what it takes"
  }

  private static func print(help text: String, _ arguments: [String]) -> ExitStatus {
    do {
      try Output.line(text)
      return .done
    } catch {
      return report(error, arguments)
    }
  }
}

/// The flags that shape an error, found without the parser, which may be what has failed.
private struct GivenFlags {
  let isJSON: Bool
  let isVerbose: Bool
  let noColor: Bool

  init(_ arguments: [String]) {
    let flags = arguments.prefix { $0 != "--" }
    isJSON = flags.contains("--json")
    noColor = flags.contains("--no-color")
    isVerbose = flags.contains { argument in
      argument == "--verbose"
        || argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.utf8.contains(UInt8(ascii: "v"))
    }
  }
}

/// Arguments that the parser refuses. What it says is put into our form, without repeating any value.
struct UsageFault: Error {
  let cause: any Error

  init(_ cause: any Error) { self.cause = cause }

  /// What help or version text an "error" of the parser stands for.
  static func help(_ error: any Error) -> String? {
    let cause = (error as? UsageFault)?.cause ?? error
    guard !(cause is CommandError), VaultCommand.exitCode(for: cause) == .success else { return nil }
    return VaultCommand.fullMessage(for: cause)
  }

  func described(_ arguments: [String]) -> CommandError {
    if let error = cause as? CommandError { return error }
    if let error = CommandNames.unknown(arguments) { return error }
    let message = Self.redacted(VaultCommand.message(for: cause), arguments)
      .split(whereSeparator: \.isNewline).joined(separator: " ")
    let option = message.split(whereSeparator: { " '=".contains($0) }).first { $0.hasPrefix("--") && $0.count > 2 }
    let subject = option.map(String.init) ?? "arguments"
    var error = CommandError.usage(subject, message.prefix(1).lowercased() + message.dropFirst())
    // What the parser says of the fault comes first and may quote lines of a value; how a command is used comes last.
    let lines = VaultCommand.fullMessage(for: cause).split(whereSeparator: \.isNewline)
    for line in lines[(lines.lastIndex { $0.hasPrefix("Usage: ") } ?? lines.endIndex)...] {
      let line = line.drop(while: { $0 == " " })
      if line.hasPrefix("Usage: ") { error.hints.append("usage: " + line.dropFirst("Usage: ".count)) }
      if line.hasPrefix("See ") { error.hints.append("see" + line.dropFirst("See".count)) }
    }
    return error
  }

  /// The parser quotes what it does not understand; that may be a secret in the wrong place.
  private static func redacted(_ message: String, _ arguments: [String]) -> String {
    var message = message
    for value in values(in: arguments) { message = replacing("'\(value)'", in: message, with: "'…'") }
    return message
  }

  /// Whatever in the arguments is not plainly the name of an option, longest first.
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

  private static func isOptionName(_ text: Substring) -> Bool {
    if text.utf8.count == 2, text.hasPrefix("-") { return true }
    return text.hasPrefix("--")
      && text.dropFirst(2).utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  /// Goes by bytes: a value that begins with a combining mark is one character with the quote before it.
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
