import ArgumentParser
import Synchronization
import VaultKit
import VaultStorage

/// A part of the program that the others do not know: its commands, and its part in every run.
///
/// The program is a list of packs. Each can be left out.
struct Pack: Sendable {
  /// Its commands. Where they stand in the list of commands, ``CommandGroups`` says.
  let commands: [any ParsableCommand.Type]
  /// Does what the process was started for, where a variable says so and no argument; else false.
  var answers: @Sendable () throws -> Bool = { false }
  /// What somebody who typed no command picks: its arguments, none where nothing was picked; nil where nobody is asked.
  var choice: @Sendable (_ arguments: [String]) async throws -> [String]?? = { _ in nil }
  /// What reads files that are states of a vault; nil where the pack knows none.
  var stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)?
}

/// Reads files that are states of a vault: backups.
protocol StateFiles {
  /// - Throws: where it is no such file, or nothing that was given opens it.
  func open(_ path: String) async throws -> OpenedState
}

/// A state of a vault that a pack has read from a file.
struct OpenedState: Sendable {
  let vault: LockedVault
  let store: any RecordStore
}

/// The packs of this program.
enum Packs {
  private static let used = Mutex<[Pack]>([])

  static var all: [Pack] { used.withLock { $0 } }

  /// Says which packs the program has, before the first command is looked for.
  static func use(_ packs: [Pack]) { used.withLock { if $0.isEmpty { $0 = packs } } }
}

/// The commands by what people use them for, in the order of `vault help all`.
enum CommandGroups {
  private static let names: [(group: String, commands: [String])] = [
    (
      "Every day",
      [
        "get", "show", "copy", "otp", "find", "list", "add", "set", "edit", "generate", "remove", "move", "restore",
        "trash", "unlock", "lock",
      ]
    ),
    ("Programs", ["run", "inject", "ref", "refs", "scan", "uses", "credential", "ssh"]),
    ("In and out", ["import", "export", "attach", "attachments", "detach", "backup"]),
    ("People and keys", ["key", "rekey", "due", "vaults", "fingerprint", "pin"]),
    ("Health", ["check", "audit", "status", "doctor", "verify", "lint", "repair"]),
    (
      "Rare",
      [
        "init", "kinds", "unset", "migrate", "checkpoint", "accept", "agent", "git", "diff", "log", "merge", "store",
        "completion",
      ]
    ),
  ]

  /// The groups with the commands that the packs have; a command that no group names stands last.
  static func groups(of packs: [Pack]) -> [CommandGroup] {
    let commands = packs.flatMap(\.commands).filter { $0.configuration.shouldDisplay }
    let named = Set(names.flatMap(\.commands))
    return names.enumerated().map { index, row in
      let known = row.commands.compactMap { name in commands.first { $0._commandName == name } }
      let others = index == names.count - 1 ? commands.filter { !named.contains($0._commandName) } : []
      return CommandGroup(name: row.group, subcommands: known + others)
    }
  }

  /// The commands that no list shows.
  static func hidden(of packs: [Pack]) -> [any ParsableCommand.Type] {
    packs.flatMap(\.commands).filter { !$0.configuration.shouldDisplay }
  }
}

/// A command that runs a program, which has all exit codes but those of ``ExitStatus`` that say that it did not run.
protocol ProgramRunning: ParsableCommand {}

/// A command after which a person makes the commit, and this program none.
protocol LeavingCommits: ParsableCommand {}

/// A command that knows what people mean who type it otherwise than it is.
protocol MistakeExplaining: ParsableCommand {
  static func hint(for mistake: CommandMistake) -> String?
}

/// What is wrong with the words of a command.
enum CommandMistake: Equatable {
  case furtherArgument
  case missingArgument(String)
}

/// A command that knows by itself what may stand in one of its places.
protocol PlaceCompleting: ParsableCommand {
  /// Nil where the name of the argument says it all.
  static func candidates(for argument: String, _ completion: Completion) async -> Completion.Result?
}
