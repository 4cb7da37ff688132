internal import VaultDocument
public import VaultKit

extension BackupDirectory {
  /// Records a backup that was verified with the keys of its vault and has no entry. Its maker died before recording
  /// it, or it was copied here. An existing entry is not changed.
  ///
  /// - Parameters:
  ///   - contents: the verified contents.
  ///   - name: the file in this directory.
  ///   - verification: the passed check.
  /// - Returns: false if there is an entry of that name.
  /// - Throws: `VaultError` `.inputRefused` if the time in the name is wrong, because rules use names;
  ///   `.changedUnderneath` if the file was replaced; as ``update(timeout:onWait:_:)``.
  public func record(
    _ contents: BackupContents, as name: BackupName, _ verification: BackupCatalog.Verification
  ) throws(VaultError) -> Bool {
    guard contents.createdAt.secondsSinceEpoch == name.time.secondsSinceEpoch else {
      throw VaultError(
        .inputRefused, "was made at \(contents.createdAt.text), but its name says another time",
        file: contents.file.path, remedies: ["rename the file to its original name"])
    }
    let sha256 = try contents.file.hash()
    guard let found = try contentHash(of: name), found == (contents.file.byteCount, sha256) else {
      throw VaultError(.changedUnderneath, "was changed while it was read", file: contents.file.path)
    }
    let entry = BackupCatalog.Entry(
      name: name, byteCount: found.byteCount, sha256: sha256, createdAt: contents.createdAt,
      vaultID: contents.vault.header.vaultID, isAttested: contents.isAttested, verification: verification)
    return try update { catalog in
      guard catalog[name] == nil else { return false }
      catalog.record(entry)
      return true
    }
  }
}
