public import VaultCare
internal import VaultDocument
public import VaultKit
internal import VaultStorage

extension BackupContents {
  /// Verifies every record in the backup with the keys of its vault, without restoring it: MAC, sealed fields, type,
  /// checkpoint.
  ///
  /// - Parameters:
  ///   - vault: the unlocked ``vault``, after ``authenticate(with:)``.
  ///   - scope: the records to verify.
  ///   - progress: called after each record.
  /// - Returns: the result. A fault does not stop the verification.
  /// - Throws: `VaultError` `.damaged`, `.changedUnderneath`, `.ioFailed` for the backup; `.memoryUnavailable`.
  public func verify(
    with vault: Vault, _ scope: VerificationScope = VerificationScope(), progress: @escaping () -> Void = {}
  ) async throws(VaultError) -> Verification {
    var verification = StreamedVerification()
    try await forEachFile(
      making: { file throws(VaultError) -> (StoreLocation, Result<RecordVersion, VaultError>)? in
        guard case .document(let place) = file.member, let id = place.recordID, scope.contains(id.folder) else {
          return nil
        }
        return (place, Result { () throws(VaultError) in try vault.checkedVersion(file.bytes, at: place) })
      },
      take: { found throws(VaultError) in
        guard let (place, outcome) = found else { return }
        try verification.take(outcome, at: place)
        progress()
      })
    return try verification.finish(vault, scope).verification
  }
}
