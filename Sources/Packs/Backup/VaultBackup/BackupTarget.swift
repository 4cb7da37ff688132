internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage
internal import VaultSystem

struct BackupTarget {
  let directory: BackupDirectory

  private var folder: NamedFolder { directory.folder.directory }

  /// Refuses a directory in the vault, a directory whose files others can replace, and one with an unreadable catalog.
  func check(_ store: any RecordStore) throws(VaultError) {
    if let store = store as? DirectoryStore, try inStore({ () throws(StoreError) in try folder.isInside(store) }) {
      throw VaultError(
        .inputRefused, "a backup cannot be kept in the vault, because it would be lost with the vault",
        file: folder.path, remedies: ["use a folder outside the vault, preferably on another disk"])
    }
    let status = try inStore { () throws(StoreError) in try folder.status() }
    guard !status.isWritableByOthers else {
      throw VaultError(
        .permissionDenied, "other users can write to this folder and replace backups there", file: folder.path,
        remedies: ["run `chmod go-w \(folder.path.shellQuoted)`", .useStandardOutput])
    }
  }

  /// Clocks of two machines differ a little. A larger difference means a wrong clock.
  private static let toleratedSeconds: Int64 = 300

  /// The newest backup of the vault, if its time is later than `time`. Then the clock is wrong now, or was wrong
  /// before.
  private func fromTheFuture(
    _ name: BackupName, of vaultID: VaultID, among there: (names: [BackupName], catalog: BackupCatalog)
  ) -> BackupName? {
    // Two vaults may use the same stem.
    let own = there.names.filter { other in
      there.catalog[other].map { $0.vaultID == vaultID } ?? other.stem.utf8.elementsEqual(name.stem.utf8)
    }
    return own.max { $0.time < $1.time }.flatMap { newest in
      newest.time.secondsSinceEpoch - name.time.secondsSinceEpoch > Self.toleratedSeconds ? newest : nil
    }
  }

  private func there() throws(VaultError) -> (names: [BackupName], catalog: BackupCatalog) {
    let catalog = try directory.catalog()
    let names = try inStore { () throws(StoreError) in try folder.names() }.compactMap { BackupName(fileName: $0) }
    return (names, catalog)
  }

  /// The present time, after waiting until no backup has it in its name, and a backup from the future.
  func freeTime(
    for stem: String, of vaultID: VaultID, _ now: () -> Timestamp
  ) async throws(VaultError) -> (time: Timestamp, ahead: BackupName?) {
    for attempt in 1... {
      // A cancelled task does not sleep.
      guard !Task.isCancelled else { throw .cancelled() }
      // The directory is read before the clock, so a backup that ends in between is not from the future.
      let there = try there()
      let time = now()
      let name = try BackupName(backupStem: stem, time: time)
      if !there.names.contains(name) { return (time, fromTheFuture(name, of: vaultID, among: there)) }
      guard attempt < 200 else {
        throw VaultError(
          .alreadyExists, "already exists, and the clock does not move", file: folder.path(of: name.fileName),
          remedies: ["correct the clock; no backup was made"])
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
    preconditionFailure("the last attempt throws")
  }

  func record(_ made: CreatedBackup) throws(VaultError) {
    let proof = made.provenAt.map { BackupCatalog.Verification(time: $0, kind: .proof) }
    let entry = BackupCatalog.Entry(
      name: made.name, byteCount: made.byteCount, sha256: made.sha256, createdAt: made.createdAt, vaultID: made.vaultID,
      label: made.label, isAttested: made.isAttested, verification: proof)
    do throws(VaultError) {
      try directory.update { catalog in catalog.record(entry) }
    } catch {
      throw VaultError(
        error.code, "the backup was made, but could not be recorded in \(BackupCatalog.fileName): \(error.reason)",
        file: folder.path(of: made.name.fileName), remedies: error.remedies, underlying: error)
    }
  }
}

extension BackupName {
  init(backupStem stem: String, time: Timestamp) throws(VaultError) {
    guard let name = BackupName(stem: stem, time: time) else {
      throw VaultError(
        .inputRefused, "cannot be the name of a backup: use letters, digits, `.`, `_` and `-`", file: stem)
    }
    self = name
  }
}
