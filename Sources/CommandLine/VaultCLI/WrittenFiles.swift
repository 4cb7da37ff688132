import Synchronization
package import VaultKit
package import VaultTerminal

/// What the command under way writes.
///
/// The store notes what it writes, so no command has to say it, and a command that writes nothing costs nothing.
package final class WrittenFiles: Sendable {
  /// Those of the command under way.
  @TaskLocal package static var current: WrittenFiles?

  /// What the command has to do with a path.
  package enum Kind: Sendable {
    case vault(LockedVault)
    /// Every file of the vault is new.
    case newVault
    /// One file beside vaults.
    case file
  }

  package struct Entry: Sendable {
    package let kind: Kind
    package let path: String
    package let messages: Messages

    package var folder: String { if case .file = kind { System.parent(of: path) } else { path } }

    fileprivate var isWritten: Bool { if case .vault(let vault) = kind { !vault.writtenPlaces.isEmpty } else { true } }
  }

  private let noted = Mutex<[Entry]>([])

  /// Notes a vault that the command may write to.
  func note(_ vault: LockedVault, at path: String, _ messages: Messages) {
    vault.noteWrittenPlaces()
    note(.vault(vault), at: path, messages)
  }

  /// Notes a vault or a file that the command has made.
  package func note(_ kind: Kind, at path: String, _ messages: Messages) {
    noted.withLock { $0.append(Entry(kind: kind, path: path, messages: messages)) }
  }

  /// What the command has written. Most write nothing, and nothing is looked up for them.
  var entries: [Entry] { noted.withLock { $0 }.filter(\.isWritten) }
}
