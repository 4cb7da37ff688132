internal import VaultDocument
package import VaultStorage

/// Gathers what records turn out to be that come one after the other from elsewhere than a store, and compares them with the
/// vault's checkpoint and with what a machine remembers.
package struct StreamedVerification {
  private var result = Verification()
  private var found = FoundVersions()
  private var trashed: Set<RecordID> = []

  package init() {}

  /// Takes what ``Vault/checkedVersion(_:at:)`` gave for a file; live records come before removed ones.
  ///
  /// - Throws: ``VaultError`` what says nothing about the file.
  package mutating func take(
    _ outcome: Result<Checkpoint.Entry, VaultError>, at place: StoreLocation
  ) throws(VaultError) {
    guard let id = place.recordID else { preconditionFailure("only records have versions") }
    let isTrash = place == .trash(id)
    if isTrash { result.trashedCount += 1 } else { result.recordCount += 1 }
    do throws(VaultError) {
      let version = try outcome.get()
      let liveRevision = isTrash ? found.liveRevision(of: id) : nil
      found.take(version, at: place)
      guard isTrash else { return }
      guard liveRevision != version.revision else { throw .equalRevisions(id) }
      if liveRevision == nil { trashed.insert(id) }
    } catch {
      found.takeFaulty(id)
      let code: VaultFault.Code? = error.underlying == nil ? (error.field == nil ? .wrongPlace : .clearText) : nil
      result.faults.append(
        try VaultFault(error, code: error.code == .damaged ? code : nil, file: place.relativePath, record: id))
    }
  }

  /// What was found, compared with the checkpoint that lies beside the vault's header.
  ///
  /// - Throws: ``VaultError`` what says nothing about the vault.
  package consuming func finish(_ vault: Vault, _ scope: VerificationScope) throws(VaultError) -> Verification {
    result.slotCount = vault.header.slots.count
    result.faults = try SlotFile.faults(of: vault.header, in: vault.store) + result.faults
    result.versions = found.versions
    result.trashedAlone = trashed
    do throws(VaultError) {
      if let checkpoint = try vault.checkpoint() {
        let comparison = CheckpointComparison(checkpoint, found, scope)
        result.changes = comparison.changes
        result.faults += comparison.faults
      }
    } catch {
      result.faults.append(try VaultFault(error, file: Checkpoint.fileName))
    }
    return result
  }
}
