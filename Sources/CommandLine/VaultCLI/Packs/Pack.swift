package import ArgumentParser
import Synchronization
package import VaultKit
package import VaultStorage
package import VaultTerminal

/// A part of the program that the others do not know: its commands, and its part in every run.
///
/// The program is a list of packs. Each can be left out.
package struct Pack: Sendable {
  /// Its commands. Where they stand in the list of commands, ``CommandGroups`` says.
  package let commands: [any ParsableCommand.Type]
  /// Does what the process was started for, where a variable says so and no argument; else false.
  package var answers: @Sendable () throws -> Bool = { false }
  /// What somebody who typed no command picks: its arguments, none where nothing was picked; nil where nobody is asked.
  package var choice: @Sendable (_ arguments: [String]) async throws -> [String]?? = { _ in nil }
  /// What reads files that are states of a vault; nil where the pack knows none.
  package var stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)?

  package init(
    commands: [any ParsableCommand.Type], answers: @escaping @Sendable () throws -> Bool = { false },
    choice: @escaping @Sendable (_ arguments: [String]) async throws -> [String]?? = { _ in nil },
    stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)? = nil
  ) {
    (self.commands, self.answers, self.choice, self.stateFiles) = (commands, answers, choice, stateFiles)
  }
}

/// Reads files that are states of a vault: backups.
package protocol StateFiles {
  /// - Throws: where it is no such file, or nothing that was given opens it.
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

/// A command that runs a program, which has all exit codes but those of ``ExitStatus`` that say that it did not run.
package protocol ProgramRunning: ParsableCommand {}

/// A command after which a person makes the commit, and this program none.
package protocol LeavingCommits: ParsableCommand {}

/// A command that knows what people mean who type it otherwise than it is.
package protocol MistakeExplaining: ParsableCommand {
  static func hint(for mistake: CommandMistake) -> String?
}

/// What is wrong with the words of a command.
package enum CommandMistake: Equatable {
  case furtherArgument
  case missingArgument(String)
}
