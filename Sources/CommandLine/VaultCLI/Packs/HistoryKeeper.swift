import VaultDocument
package import VaultKit
import VaultSealing
package import VaultStorage
package import VaultTerminal

/// A pack that keeps earlier states of vaults, as git does.
package protocol HistoryKeeper: Sendable {
  // The present state

  /// Whether a folder is a place of which earlier states are kept, such as a work tree.
  func isInWorkTree(_ folder: String) -> Bool
  /// How a file is kept, or would be once it is there. Nil if it is left alone.
  func tracking(_ file: String) -> String?
  /// Keeps the files that a command has written, or reports the files that are not kept.
  ///
  /// - Parameter command: The words of the command.
  func keep(_ written: [WrittenFiles.Entry], of command: String)
  /// Prepares the place of a new vault to keep its states, and says so. An error is only reported.
  func setUp(newVaultAt folder: String, _ messages: Messages)

  // Earlier states

  /// A file as the newest state has it.
  func newest(_ place: StoreLocation, ofVaultAt folder: String) -> [UInt8]?
  /// How to bring back a file that is gone. Nil if no state has it.
  func wayBack(of place: StoreLocation, inVaultAt folder: String) -> String?
  /// The places that keep a state which the folder lacks.
  func otherStates(ofVaultAt folder: String) -> OtherStates
  /// The vault in a state, compared with the vault as this machine knows it.
  func earlier(
    _ location: VaultLocation, at revision: String, required: RequiredFingerprint?, global: GlobalOptions
  ) throws -> EarlierVault
  /// Whether a word has the form `RECORD@REV`.
  func namesVersion(_ word: String) -> Bool
  /// The verified version that `RECORD@REV` names. Nil if the word names a record as it is, or nothing.
  ///
  /// - Parameter opened: The vault as it is, if it was unlocked already.
  func version(
    _ word: String, in session: Session, options: VaultOptions, unlocking: UnlockOptions, opened: Vault?
  ) async throws -> FoundVersion?
  /// Makes the version that `RECORD@REV` names, or the fields of it behind that word, the next revision of the record.
  /// False if the word names a record as it is, or nothing.
  ///
  /// - Parameter isDryRun: Only shows the changes.
  func restoreVersion(
    _ words: [String], in session: Session, options: VaultOptions, unlocking: UnlockOptions, opened: Vault,
    isDryRun: Bool
  ) async throws -> Bool
}

extension Packs {
  /// The keeper of earlier states; nil if the program has no such pack.
  package static var history: (any HistoryKeeper)? { first(\.history) }

  package static func requiredHistory() throws -> any HistoryKeeper {
    try required(\.history, called: "git, so it knows no earlier states", .inputOutput, "no_git")
  }
}

/// An earlier state of a vault, which is only read. Nothing is remembered.
package struct EarlierVault {
  package let vault: LockedVault
  /// The whole hash.
  package let commit: String
  /// Whether a required fingerprint confirmed the vault.
  package let isNamed: Bool

  package init(vault: LockedVault, commit: String, isNamed: Bool) {
    (self.vault, self.commit, self.isNamed) = (vault, commit, isNamed)
  }
}

/// A verified earlier version of a record.
package struct FoundVersion {
  package let record: OpenRecord
  /// The origin: `commit 1a2b3c4d5e6f`.
  package let origin: String

  package init(record: OpenRecord, origin: String) { (self.record, self.origin) = (record, origin) }
}

extension Session {
  /// The verified earlier version that a word names; nil if the word names none. With `--at` the word is only a name.
  package func version(
    _ text: String, options: VaultOptions, unlocking: UnlockOptions, unless revision: RevisionOptions
  ) async throws -> FoundVersion? {
    guard revision.at == nil else { return nil }
    let found = try await Packs.history?.version(
      text, in: self, options: options, unlocking: unlocking, opened: nil)
    if let found {
      let envelope = found.record.envelope
      messages.detail("revision \(envelope.revision) of \(envelope.updatedAt.text), from \(found.origin)")
      if envelope.deletedAt != nil { messages.note("this is the version that was removed") }
    }
    return found
  }
}
