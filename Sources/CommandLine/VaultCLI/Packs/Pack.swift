package import ArgumentParser
import Synchronization
package import VaultAge
package import VaultCrypto
package import VaultDocument
package import VaultKit
package import VaultStorage
package import VaultTerminal

/// A part of the program that no other part knows: its commands, and its work in every run.
///
/// The program is a list of packs. Each pack can be left out, except that of every day.
package struct Pack: Sendable {
  /// The commands by their names, each a closure: a run then sets up the type of its own command, and not of a hundred.
  package typealias Commands = KeyValuePairs<String, @Sendable () -> any ParsableCommand.Type>

  /// The commands. ``CommandGroups`` says where the list of all commands shows them.
  package let commands: Commands
  /// Answers a program that started this process, and said what it wants in a variable or in words that no help shows.
  /// False if the pack was not asked.
  package var answers: @Sendable (_ arguments: [String]) async throws -> Bool = { _ in false }
  /// Brings the words of its commands into an order that the parser knows. Other words stay as they are.
  package var reorders: @Sendable (_ arguments: [String]) -> [String] = { $0 }
  /// Lets a user who typed no command pick one, and returns its arguments, or none if nothing was picked. Nil if nobody
  /// was asked.
  package var choice: @Sendable (_ arguments: [String]) async throws -> [String]? = { _ in nil }
  /// Makes a reader for files that hold states of a vault; nil if the pack has no such files.
  package var stateFiles: (@Sendable (UnlockOptions, _ passphraseFile: String?, GlobalOptions) -> any StateFiles)?
  /// Opens vaults in a database, with the password of the user there. Nil if the pack has no such store.
  package var database: (@Sendable (_ password: String?) -> DatabaseStore)?
  /// Keeps earlier states of vaults.
  package var history: (any HistoryKeeper)?
  /// Gives vaults names.
  package var sets: (any SetKeeper)?
  /// Holds keys between runs.
  package var keyHolder: KeyHolder?
  /// Tells which programs on this machine got a field of a record.
  package var programs: (@Sendable (Session) -> (RecordID, _ field: String) -> [String])?
  /// Lets the user write texts in an editor.
  package var editing: (any TextEditing)?
  /// Shows values as codes.
  package var codes: (any CodeDrawing)?
  /// Knows where the backups of a vault are, and opens them.
  package var backups: (any BackupKeeping)?
  /// Tells how many tries a weak password takes to guess. Nil if it is strong enough, or there is no estimate.
  package var triesToGuess: @Sendable (SecretBytes) throws -> String? = { _ in nil }
  /// Takes back what the program has handed out of a vault that is locked now, or of all vaults.
  package var takesBack: @Sendable (VaultID?, Messages) throws -> Void = { _, _ in }

  package init(commands: Commands, _ change: (inout Pack) -> Void = { _ in }) {
    self.commands = commands
    change(&self)
  }
}

/// A pack that keeps keys in another process, which opens records for later runs.
package struct KeyHolder: Sendable {
  /// Unlocks the vault of a session. Nil if no process holds the key, or it does not work for this run.
  package let unlock: @Sendable (Session) throws -> Vault?
  /// How long the key of a vault is held if nobody uses it. Nil if it is not held.
  package let remainingTime: @Sendable (VaultID) -> Duration?

  package init(
    unlock: @escaping @Sendable (Session) throws -> Vault?,
    remainingTime: @escaping @Sendable (VaultID) -> Duration?
  ) {
    (self.unlock, self.remainingTime) = (unlock, remainingTime)
  }
}

/// A pack that lets the user write texts in an editor.
package protocol TextEditing: Sendable {
  /// Opens a new text, and opens it again until it is done. An error says where the text is kept.
  func write(_ global: GlobalOptions, until isDone: ([UInt8]) throws -> Bool) throws
  /// The texts of a vault, or of none, that a command left in clear.
  func left(of vault: VaultID) -> [LeftText]
}

/// A text that an editor left in clear.
package struct LeftText {
  package let folder: String
  package let path: String
  /// The command that goes on with the text. Nil for a text without a record.
  package let command: String?

  package init(folder: String, path: String, command: String?) {
    (self.folder, self.path, self.command) = (folder, path, command)
  }
}

/// A pack that shows values as codes for the camera of a telephone.
package protocol CodeDrawing: Sendable {
  /// Refuses a place where no code can be shown. Call it before a key is used.
  ///
  /// - Parameter hint: the alternative to drawing.
  func check(_ global: GlobalOptions, _ hint: String) throws
  /// Draws a secret, if the screen can show the whole code.
  func draw(_ bytes: RawSpan, by permission: Revealing) throws
  /// The rows of a code, from the top, with true for each dark module. Nil if the library is missing or the code would
  /// be too large.
  func modules(of bytes: RawSpan) throws -> [[Bool]]?
}

/// A pack that makes backups of vaults.
package protocol BackupKeeping: Sendable {
  /// The folders in which this machine has made backups of a vault.
  func folders(of vault: VaultID) -> [String]
  /// The newest recorded backup of a vault in a folder; nil without one.
  ///
  /// - Throws: `VaultError` if the folder or its list cannot be read.
  func newest(of vault: VaultID, in folder: String) throws -> KeptBackup?
  /// Opens a backup and the vault in it with an identity alone, and compares its files with its list.
  func prove(_ path: String, with identity: AgeIdentity, _ global: GlobalOptions) async throws -> ProvenBackup
}

package struct KeptBackup {
  package let path: String
  package let time: Timestamp

  package init(path: String, time: Timestamp) { (self.path, self.time) = (path, time) }
}

/// A backup that an identity has opened.
package struct ProvenBackup {
  package let vault: VaultID
  package let recordCount: Int
  /// Whether somebody with the key of the vault made its list.
  package let isAttested: Bool

  package init(vault: VaultID, recordCount: Int, isAttested: Bool) {
    (self.vault, self.recordCount, self.isAttested) = (vault, recordCount, isAttested)
  }
}

/// Reads files that are states of a vault, such as backups.
package protocol StateFiles {
  /// - Throws: `CommandError` if the file is not a state of a vault, or no given key opens it.
  func open(_ path: String) async throws -> OpenedState
}

/// A state of a vault from a file, still locked, and the store that holds its documents.
package struct OpenedState: Sendable {
  package let vault: LockedVault
  package let store: any RecordStore

  package init(vault: LockedVault, store: any RecordStore) {
    (self.vault, self.store) = (vault, store)
  }
}

/// The packs of this program. ``use(_:)`` sets them once, and nothing changes them later.
package final class Packs: Sendable {
  private static let shared = Packs()
  private let list = Mutex<[Pack]>([])

  package static var all: [Pack] { shared.list.withLock { $0 } }

  /// The part of the first pack that has such a part; nil if no pack has one.
  package static func first<Part>(_ part: @escaping (Pack) -> Part?) -> Part? { all.lazy.compactMap(part).first }

  /// The part of the first pack that has such a part, or the error of a program without such a pack.
  static func required<Part>(
    _ part: @escaping (Pack) -> Part?, called what: String, _ status: ExitStatus, _ code: String, subject: String? = nil
  ) throws -> Part {
    guard let found = first(part) else {
      throw CommandError(status, code, subject: subject, "this program was built without \(what)")
    }
    return found
  }

  static func editing() throws -> any TextEditing {
    try required(\.editing, called: "an editor", .failed, "editor_failed", subject: "editor")
  }

  package static func codes() throws -> any CodeDrawing {
    try required(\.codes, called: "QR codes", .failed, "no_library", subject: "--qr")
  }

  /// Warns about a weak secret of the user's own choice, without refusing it.
  static func warn(of secret: SecretBytes, called name: String, instead command: String, _ global: GlobalOptions) throws
  {
    for pack in all {
      guard let tries = try pack.triesToGuess(secret) else { continue }
      global.messages.note(
        "\(name) is weak: it could be guessed in about \(tries); `\(command)` makes a strong one")
    }
  }

  /// Sets the packs of the program, before the first command is looked up. A second call does nothing.
  package static func use(_ packs: [Pack]) { shared.list.withLock { if $0.isEmpty { $0 = packs } } }
}
