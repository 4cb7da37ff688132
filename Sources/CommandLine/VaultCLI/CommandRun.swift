import ArgumentParser
import VaultAge
import VaultKit
package import VaultTerminal

/// One run of the command line, from its words to its exit code.
package enum CommandRun {
  /// The words of a command: the arguments of the process without the program name.
  package static func words(of arguments: [String]) -> [String] {
    ArgumentOrder.normalised(HelperName.arguments(arguments))
  }

  /// Runs a command and prints its errors. Even if the command failed, the keeper of earlier states then gets the
  /// files that it has written.
  package static func status(of words: [String]) async -> ExitStatus {
    let arguments = Packs.all.reduce(words) { $1.reorders($0) }
    let written = WrittenFiles()
    let status = await WrittenFiles.$current.withValue(written) {
      await HiddenContent.$findings.withValue(HiddenContent.Findings()) {
        await AgePlugins.$host.withValue(GivenFlags(arguments).pluginHost) { await outcome(of: arguments) }
      }
    }
    let entries = written.entries
    if let history = Packs.history, !entries.isEmpty {
      let (command, words) = CommandNames.named(arguments)
      // During a merge, the user makes the commit.
      if !(command is any LeavingCommits.Type) { history.keep(entries, of: words) }
    }
    return status
  }

  /// Tries the packs, the help, the version, the choice of the user and the parser, in this order. A choice runs as a
  /// command of its own.
  private static func outcome(of arguments: [String]) async -> ExitStatus {
    do {
      for pack in Packs.all where try await pack.answers(arguments) { return .done }
      if let topic = HelpTopic(arguments) {
        try topic.print()
        return .done
      }
      // Without the parser, which sets up every command (decision 215).
      if arguments == ["--version"] {
        try Output.line(Version.current)
        return .done
      }
      if Version.isAskedInFull(arguments) {
        try Version.printInFull(isDocument: arguments.contains("--json"))
        return .done
      }
      for pack in Packs.all {
        guard let choice = try await pack.choice(arguments) else { continue }
        return choice.isEmpty ? .done : await status(of: choice)
      }
      try await run(try parse(arguments))
      return .done
    } catch {
      return report(await RecordInPlaceOfCommand.hinted(error, arguments), arguments)
    }
  }

  // Generic, so that a cast looks for a conformance of the command alone, and not of `any ParsableCommand` before it.
  private static func run<Command: ParsableCommand>(_ given: Command) async throws {
    var command = given
    if var naming = given as? any RecordNaming {
      try Packs.sets?.takeVault(fromWordsOf: &naming)
      if let named = naming as? Command { command = named }
    }
    if let command = command as? any RunsOverSet, command.isForSeveral {
      try await Packs.requiredSets().run(command)
    } else if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  /// A request for help is thrown as the error of the parser, and anything else as a `CommandError`.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    // The parser answers `vault help nosuch` with the first page.
    if arguments.first == "help", let error = CommandNames.unknown(arguments) { throw error }
    do {
      return try VaultCommand.parsed(arguments)
    } catch {
      throw UsageFault.help(error) == nil ? UsageFault(error).described(arguments) : error
    }
  }

  /// Prints an error, or the help that was asked for, and returns the exit code.
  private static func report(_ error: any Error, _ arguments: [String]) -> ExitStatus {
    if let finished = error as? Finished { return finished.status }
    // An option asks for help during parsing. `vault help` and commands without a subcommand ask for it while running.
    if let text = UsageFault.help(error) { return print(help: text, arguments) }
    let flags = GivenFlags(arguments)
    var error = CommandError(any: error)
    if error.status == .usage, error.hints.isEmpty { error.hints = [helpHint(arguments)] }
    ErrorReport(error, isJSON: flags.isJSON, isVerbose: flags.isVerbose, noColor: flags.noColor).print()
    // A command that runs a program leaves the other codes to the program.
    let runsProgram = CommandNames.named(arguments).command is any ProgramRunning.Type
    return runsProgram && error.status.rawValue < ExitStatus.notRun.rawValue ? .notRun : error.status
  }

  private static func helpHint(_ arguments: [String]) -> String {
    "`\(CommandNames.named(arguments).path) --help` explains the command"
  }

  /// Help without a request is a mistake in a script or a timer, so it ends with 64.
  private static func print(help text: String, _ arguments: [String]) -> ExitStatus {
    let descriptors = [System.standardInput, System.standardOutput, System.standardError]
    let isUnasked = arguments.isEmpty && !descriptors.contains(where: System.isTerminal)
    do {
      let hasVault = { (try? VaultLocation.find(nil as String?))?.hasVault ?? false }
      let text = arguments.isEmpty && !hasVault() ? FrontPage.start : HelpTopic.completed(text, arguments)
      if isUnasked {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { Messages.print(String(line)) }
        return .usage
      }
      try Output.line(text)
      return .done
    } catch {
      return report(error, arguments)
    }
  }
}

/// The flags that shape an error. They are found without the parser, because the parser may be what failed.
private struct GivenFlags {
  let isJSON: Bool
  let isVerbose: Bool
  let noColor: Bool
  private let isQuiet: Bool
  private let noInput: Bool

  var pluginHost: PluginHost {
    let messages = Messages(isQuiet: isQuiet, isVerbose: isVerbose, isJSON: isJSON, noColor: noColor)
    return PluginHost(noInput: noInput, messages: messages)
  }

  init(_ arguments: [String]) {
    let flags = arguments.prefix { $0 != "--" }
    isJSON = flags.contains("--json")
    noColor = flags.contains("--no-color")
    noInput = flags.contains("--no-input")
    func isGiven(_ name: String, _ letter: Unicode.Scalar) -> Bool {
      flags.contains { argument in
        argument == name
          || argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.utf8.contains(UInt8(ascii: letter))
      }
    }
    (isVerbose, isQuiet) = (isGiven("--verbose", "v"), isGiven("--quiet", "q"))
  }
}
