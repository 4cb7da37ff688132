internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// The directory that backups go to.
struct BackupTarget {
  let directory: BackupDirectory

  private var folder: NamedFolder { directory.folder.directory }

  /// Refuses a directory in the vault, one in which others could replace what lies there, and one whose record of backups
  /// cannot be read.
  func check(_ store: any RecordStore) throws(VaultError) {
    if let store = store as? DirectoryStore, try inStore({ () throws(StoreError) in try folder.lies(in: store) }) {
      throw VaultError(
        .inputRefused, "lies in the vault: a backup there is lost with it", file: folder.path,
        hints: ["name a directory outside, best on another disk"])
    }
    let status = try inStore { () throws(StoreError) in try folder.status() }
    guard !status.isWritableByOthers else {
      throw VaultError(
        .permissionDenied, "others than its owner may write to it, and exchange backups there", file: folder.path,
        hints: ["`chmod go-w DIR` forbids it", "or write to standard output: --to -"])
    }
  }

  /// Refuses a name that is there, and a time before that of the newest backup of the vault: the clock went back, and whoever
  /// goes by time would take an older backup for the newest.
  func checkNewest(_ name: BackupName, of vaultID: VaultID) throws(VaultError) {
    let catalog = try directory.catalog()
    let names = try inStore { () throws(StoreError) in try folder.names() }.compactMap { BackupName(fileName: $0) }
    guard !names.contains(name) else {
      throw VaultError(
        .alreadyExists, "is there already", file: folder.path(of: name.fileName), hints: ["wait a second and try again"]
      )
    }
    // Two vaults may have folders of one name.
    let own = names.filter { other in
      catalog[other].map { $0.vaultID == vaultID } ?? other.stem.utf8.elementsEqual(name.stem.utf8)
    }
    guard let newest = own.max(by: { $0.time < $1.time }), newest.time > name.time else { return }
    throw VaultError(
      .alreadyExists, "is of \(newest.time.text), and it is \(name.time.text) now: the clock went back",
      file: folder.path(of: newest.fileName),
      hints: ["set the clock right; nothing was made"])
  }

  /// Removes what backups that were killed have left.
  func clearLeftovers() { NewFile.clearLeftovers(in: folder) { BackupName(fileName: $0) != nil } }

  /// Records a backup that is in place.
  func record(_ made: CreatedBackup) throws(VaultError) {
    let proof = made.provenAt.map { BackupCatalog.Verification(time: $0, kind: .proof) }
    let entry = BackupCatalog.Entry(
      name: made.name, byteCount: made.byteCount, sha256: made.sha256, createdAt: made.createdAt, vaultID: made.vaultID,
      label: made.label, isAttested: made.isAttested, verification: proof)
    do throws(VaultError) {
      try directory.update { catalog in catalog.record(entry) }
    } catch {
      throw VaultError(
        error.code, "the backup is there, but could not be recorded in \(BackupCatalog.fileName): \(error.reason)",
        file: folder.path(of: made.name.fileName), hints: error.hints, underlying: error)
    }
  }
}
