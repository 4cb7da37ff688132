internal import VaultFileStore
package import VaultKit
internal import VaultStorage
package import VaultTrust
internal import VaultCare

/// The state of what surrounds a vault's records; no key is needed for it.
package struct VaultCondition: Sendable {
  /// A journal that is none, or names files that are gone.
  package internal(set) var journalFault: VaultFault?
  /// A batch that waits to be put in place.
  package internal(set) var journalNote: String?
  /// Whether files are being written, or were left by a process that died.
  package internal(set) var hasStagedFiles = false
  /// Links, FIFOs and the like where this program works, so that nothing can be written.
  package internal(set) var workFaults: [VaultFault] = []
  /// Files in the vault's folder that look like private keys.
  package internal(set) var keyFiles: [String] = []
  /// What others than the owner may read, as paths.
  package internal(set) var placesOpenToOthers: [String] = []
  /// What everybody may write to, as paths.
  package internal(set) var placesWritableByAll: [String] = []
  /// Lines that git must find in `.gitattributes` and `.gitignore` and does not, each with its file.
  package internal(set) var missingGitLines: [String] = []
}

extension LockedVault {
  /// Looks at the journal, at modes, and at what git is told; a store that is no folder has nothing of it.
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

  /// The checkpoint as its file says it is; nobody has verified it. Nil when there is none.
  package func unverifiedCheckpoint() throws(VaultError) -> Checkpoint? {
    let found = try StoredCheckpoint.read(from: store)
    return found?.checkpoint
  }
}
