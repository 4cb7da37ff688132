import VaultBackup
import VaultCLI
import VaultDocument
import VaultSystem
import VaultTerminal

/// The command that runs after a backup was made, such as a copy to another place.
struct AfterCommand {
  /// The value of `--after`, which may hold a password, so that no message shows it.
  private let line: String

  /// Nil without a command.
  init?(_ line: String?) throws {
    guard let line else { return nil }
    guard line.contains(where: { !$0.isWhitespace }) else { throw CommandError.usage("--after", "is empty") }
    self.line = line
  }

  /// Runs the command by `/bin/sh` and returns its exit code, or 128 and the number of the signal that ended it. Its
  /// output goes to standard error.
  ///
  /// - Parameter file: the path of the backup.
  func run(_ made: CreatedBackup, at file: String, _ global: GlobalOptions) throws -> Int32 {
    let path = ProcessEnvironment.realPath(file) ?? file
    // Hardly a variable of this program, because some of them lead to keys.
    let own = [
      "BACKUP_FILE=\(path)", "BACKUP_DIR=\(System.parent(of: path))", "BACKUP_SHA256=\(Hex.encode(made.sha256))",
    ]
    let names = own.map { $0.prefix { $0 != "=" } + "=" }
    let inherited = System.variablesForTools(isForbidding: global.noReveal)
    let variables = inherited.filter { variable in !names.contains { variable.hasPrefix($0) } } + own
    return try System.runShell(line, variables: variables, streams: ChildStreams(output: System.standardError))
  }
}

extension AfterCommand {
  /// The error of a command that failed after the backup at `file` was made.
  static func failed(_ code: Int32, after file: String) -> CommandError {
    let reason =
      switch code {
      case 127: "the command was not found"
      case 126: "the command could not be started"
      default: "the command ended with exit status \(code)"
      }
    return CommandError(
      .afterFailed, "after_failed", subject: "--after", reason,
      hints: ["the backup \(file) is good; run the command by itself to see why it failed"])
  }
}
