package import ArgumentParser
import Synchronization
package import VaultKit
package import VaultStorage
package import VaultTerminal

/// A part of the program that no other part knows: its commands, and what it does in every run.
///
/// The program is a list of packs. Each pack can be left out.
package struct Pack: Sendable {
  /// The commands by their names, each a closure: a run then sets up the type of its own command, and not of a hundred.
  package typealias Commands = KeyValuePairs<String, @Sendable () -> any ParsableCommand.Type>

  /// The commands. ``CommandGroups`` says where the list of all commands shows them.
  package let commands: Commands
  /// Answers a program that started this process and said in a variable what it wants. False if no program did.
  package var answers: @Sendable () throws -> Bool = { false }
  /// Lets a person who typed no command pick one, and returns its arguments: none if the person picked nothing. Nil
  /// if nobody was asked.
  package var choice: @Sendable (_ arguments: [String]) async throws -> [String]? = { _ in nil }
  /// Makes a reader for files that are states of a vault. Nil if the pack knows no such files.
  package var stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)?

  package init(
    commands: Commands, answers: @escaping @Sendable () throws -> Bool = { false },
    choice: @escaping @Sendable (_ arguments: [String]) async throws -> [String]? = { _ in nil },
    stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)? = nil
  ) {
    (self.commands, self.answers, self.choice, self.stateFiles) = (commands, answers, choice, stateFiles)
  }
}

/// Reads files that are states of a vault, such as backups.
package protocol StateFiles {
  /// - Throws: `CommandError` if the file is not a state of a vault, or no given key opens it.
  func open(_ path: String) async throws -> OpenedState
}

/// A state of a vault that a pack has read from a file.
package struct OpenedState: Sendable {
  package let vault: LockedVault
  package let store: any RecordStore

  package init(vault: LockedVault, store: any RecordStore) {
    (self.vault, self.store) = (vault, store)
  }
}

/// The packs of this program.
package final class Packs: Sendable {
  private static let shared = Packs()
  private let list = Mutex<[Pack]>([])

  package static var all: [Pack] { shared.list.withLock { $0 } }

  /// Sets the packs of the program. It is called before the first command is looked for; a second call does nothing.
  package static func use(_ packs: [Pack]) { shared.list.withLock { if $0.isEmpty { $0 = packs } } }
}

/// A command that runs a program and ends with the exit code of that program.
package protocol ProgramRunning: ParsableCommand {}

/// A command after which a person makes the commit, so that the program makes no commit of its own.
package protocol LeavingCommits: ParsableCommand {}

/// A command that explains common mistakes in its arguments.
package protocol MistakeExplaining: ParsableCommand {
  static func hint(for mistake: CommandMistake) -> String?
}

/// A mistake in the arguments of a command.
package enum CommandMistake: Equatable {
  case furtherArgument
  case missingArgument(String)
}
