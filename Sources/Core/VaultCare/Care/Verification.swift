internal import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultStorage
package import VaultTrust

/// What ``Vault/verify(_:progress:)`` found.
public struct Verification: Sendable {
  /// Live records, good and faulty.
  public internal(set) var recordCount = 0
  /// Removed records, good and faulty.
  public internal(set) var trashedCount = 0
  /// Slots that the header lists.
  public internal(set) var slotCount = 0
  /// Everything that is wrong: files in their order, then what the checkpoint lists otherwise.
  public internal(set) var faults: [VaultFault] = []
  /// What is no damage but worth knowing, a sentence each.
  public internal(set) var notes: [String] = []
  /// What changed since the checkpoint; nil when there is none that is authentic.
  package internal(set) var changes: CheckpointChanges?
  /// Whether nothing is wrong.
  public var isGood: Bool { faults.isEmpty }
}

extension Vault {
  /// Checks everything in the vault with its keys: every record's place, MAC, sealed fields and type, the hashes of its
  /// attachments, the trash, the slots against the header, the checkpoint, and what else lies there. A fault does not
  /// stop it, and it is one when the vault holds other records than were looked at.
  ///
  /// Nobody writes meanwhile. The header itself was verified when the vault was unlocked, and is again if it changed.
  ///
  /// - Parameters:
  ///   - scope: the records to look at; everything but them is checked always.
  ///   - progress: called after each record.
  /// - Throws: ``VaultError`` `.lockedByOther`, `.changedUnderneath`, `.memoryUnavailable`, `.damaged` for the header;
  ///   `.noCheckpoint` where the scope needs one; `.cancelled`.
  public nonisolated(nonsending) func verify(
    _ scope: VerificationScope = VerificationScope(), progress: () -> Void = {}
  ) async throws(VaultError) -> Verification {
    try await reporting(to: progress) { report throws(VaultError) in
      defer { self.memory?.flush() }
      return try await self.atOneMoment { vault throws(VaultError) in
        try vault.refresh()
        return try await vault.verification(scope, progress: { report(()) }, take: { _ in })
      }
    }
  }

  /// The same, under a lock that the caller holds.
  ///
  /// - Parameter take: gets what was found in each folder.
  func verification(
    _ scope: VerificationScope, progress: () -> Void, take: @escaping (FoundVersions) -> Void
  ) async throws(VaultError) -> Verification {
    var verifier = try Verifier(self, scope, gather: take)
    verifier.checkJournal()
    try verifier.checkSlots()
    try verifier.readCheckpoint()
    var walk = FileWalk(verifier.files.store, scope)
    try await walk.run(&verifier, progress)
    try verifier.checkRest(walk)
    return verifier.finish()
  }
}

extension LockedVault {
  /// The vault as it can be read: with a malformed journal, as its files are without it.
  func readableFiles() throws(VaultError) -> (files: LockedVault, journal: JournalState) {
    let (readable, journal) = try inStore { () throws(StoreError) in try store.readable() }
    return (LockedVault(self, reading: readable), journal)
  }
}

extension RecordStore {
  /// The store as it can be read: with a malformed journal, its files as they are without it.
  func readable() throws(StoreError) -> (store: any RecordStore, journal: JournalState) {
    guard let directory = self as? DirectoryStore else { return (self, .none) }
    let journal = try directory.journalState()
    guard case .malformed = journal else { return (self, journal) }
    return (try directory.withoutJournal(), journal)
  }
}

extension JournalState {
  /// What to say of a batch that waits to be put in place.
  var note: String? {
    guard case .pending(let places) = self else { return nil }
    return "a batch of \(places.count) change\(places.count == 1 ? "" : "s") is committed but not put in place yet: "
      + "the next command that may write does it"
  }

  /// What is wrong with the journal.
  var fault: VaultFault? {
    guard case .malformed(let error) = self else { return nil }
    return VaultFault(.malformedJournal, error.reason, file: error.path ?? ".journal.json")
  }
}
