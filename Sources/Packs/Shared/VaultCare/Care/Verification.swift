internal import VaultDocument
package import VaultFileStore
public import VaultKit
package import VaultStorage
package import VaultTrust

/// The result of ``Vault/verify(_:progress:)``.
public struct Verification: Sendable {
  /// Live records, good and faulty.
  public package(set) var recordCount = 0
  /// Removed records, good and faulty.
  public package(set) var trashedCount = 0
  /// Slots that the header lists.
  public package(set) var slotCount = 0
  /// All faults: files in their order, then differences from the checkpoint.
  public package(set) var faults: [VaultFault] = []
  /// Facts that are worth knowing but are not damage, a sentence each.
  public package(set) var notes: [String] = []
  /// The changes since the checkpoint; nil without an authentic checkpoint.
  package var changes: CheckpointChanges?
  package init() {}

  /// Whether nothing is wrong.
  public var isGood: Bool { faults.isEmpty }
}

extension Vault {
  /// Checks everything in the vault with its keys: every record's place, MAC, sealed fields and type, the hashes of its
  /// attachments, the trash, the slots against the header, the checkpoint, and other files. A fault does not stop the
  /// check. If the vault holds other records than were read, that is a fault.
  ///
  /// Nobody writes meanwhile. The header itself was verified when the vault was unlocked, and is verified again if it
  /// changed.
  ///
  /// - Parameters:
  ///   - scope: the records to check; everything else is always checked.
  ///   - progress: called after each record.
  /// - Throws: ``VaultError`` `.lockedByOther`, `.changedUnderneath`, `.memoryUnavailable`, `.damaged` for the header;
  ///   `.noCheckpoint` if the scope needs one; `.cancelled`.
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

  /// Checks the vault under a lock that the caller holds. Each folder of records gives its versions to `take`, in
  /// order.
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
    return try verifier.finish()
  }
}

extension LockedVault {
  /// The vault in readable form: with a malformed journal, its files without it.
  package func readableFiles() throws(VaultError) -> (files: LockedVault, journal: JournalState) {
    let (readable, journal) = try inStore { () throws(StoreError) in try store.readable() }
    return (LockedVault(self, reading: readable), journal)
  }
}

extension RecordStore {
  /// The store in readable form: with a malformed journal, its files without it.
  package func readable() throws(StoreError) -> (store: any RecordStore, journal: JournalState) {
    guard let directory = self as? DirectoryStore else { return (self, .none) }
    let journal = try directory.journalState()
    guard case .malformed = journal else { return (self, journal) }
    return (try directory.withoutJournal(), journal)
  }
}

extension JournalState {
  /// The note for a batch that is not in place yet.
  package var note: String? {
    guard case .pending(let places) = self else { return nil }
    return "a batch of \(places.count) change\(places.count == 1 ? "" : "s") is committed, but not put in place yet: "
      + "the next command that can write puts it in place"
  }

  /// The fault of the journal.
  package var fault: VaultFault? {
    guard case .malformed(let error) = self else { return nil }
    return VaultFault(.malformedJournal, error.reason, file: error.path ?? ".journal.json")
  }
}
