package import ArgumentParser

/// A command that runs a program and ends with the exit code of that program.
package protocol ProgramRunning: ParsableCommand {}

/// A command after which the user makes the commit, so the program makes none.
package protocol LeavingCommits: ParsableCommand {}

/// A command that explains common mistakes in its arguments.
package protocol MistakeExplaining: ParsableCommand {
  static func hint(for mistake: CommandMistake) -> String?
}

package enum CommandMistake: Equatable {
  case furtherArgument
  case missingArgument(String)
}
