internal import VaultFileStore
package import VaultKit
internal import VaultStorage
package import VaultTrust
internal import VaultCare

/// The state of the surroundings of a vault's records; it needs no key.
package struct VaultCondition: Sendable {
  /// A malformed journal, or one whose files are missing.
  package internal(set) var journalFault: VaultFault?
  /// A batch that is not in place yet.
  package internal(set) var journalNote: String?
  /// Whether files are being written, or were left by a crashed process.
  package internal(set) var hasStagedFiles = false
  /// Links, FIFOs and similar in the places that this program uses, so that nothing can be written.
  package internal(set) var workFaults: [VaultFault] = []
  /// Files in the vault's folder that look like private keys.
  package internal(set) var keyFiles: [String] = []
  /// The places that others than the owner may read, as paths.
  package internal(set) var placesOpenToOthers: [String] = []
  /// The places to which everybody may write, as paths.
  package internal(set) var placesWritableByAll: [String] = []
  /// The lines that git needs in `.gitattributes` and `.gitignore` and that are missing, each with its file.
  package internal(set) var missingGitLines: [String] = []
}

extension LockedVault {
  /// Checks the journal, the modes, and git's settings; a store that is not a folder has none of these.
  package func condition() throws(VaultError) -> VaultCondition {
    var condition = VaultCondition()
    guard let directory = store as? DirectoryStore else { return condition }
    let (journal, missing) = try inStore { () throws(StoreError) in
      (try directory.journalState(), try directory.missingGitLines())
    }
    condition.journalFault = journal.fault
    condition.journalNote = journal.note
    let surroundings = Surroundings(of: directory)
    (condition.workFaults, condition.keyFiles) = (surroundings.faults, surroundings.keyFiles)
    condition.hasStagedFiles = directory.hasStagedFiles()
    condition.placesOpenToOthers = directory.placesOpenToOthers()
    condition.placesWritableByAll = directory.placesWritableByAll()
    condition.missingGitLines = missing.flatMap { file in file.lines.map { "`\($0)` in \(file.name)" } }
    return condition
  }

  /// The unverified checkpoint in the file; nil if it does not exist.
  package func unverifiedCheckpoint() throws(VaultError) -> Checkpoint? {
    let found = try StoredCheckpoint.read(from: store)
    return found?.checkpoint
  }
}
