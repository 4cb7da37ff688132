import Synchronization
package import VaultKit
package import VaultTerminal

/// The files that the present command writes.
///
/// The store notes its writes, so commands do not report them, and a command without writes costs nothing.
package final class WrittenFiles: Sendable {
  /// The files of the present command.
  @TaskLocal package static var current: WrittenFiles?

  /// The kind of a path that the command writes.
  package enum Kind: Sendable {
    case vault(LockedVault)
    /// Every file of the vault is new. If `mayCommit` is false, the user makes the first commit.
    case newVault(mayCommit: Bool)
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

  /// The written paths. Most commands write nothing, and then nothing is looked up.
  var entries: [Entry] { noted.withLock { $0 }.filter(\.isWritten) }
}
