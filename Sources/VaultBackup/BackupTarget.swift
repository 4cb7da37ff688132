internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// The directory that backups go to.
struct BackupTarget {
  let folder: NamedFolder

  /// Refuses a directory in the vault, and one in which others could replace what lies there.
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

  /// Refuses a name that is there, and a time before that of the newest backup: the clock went back, and whoever goes by
  /// time would take an older backup for the newest.
  func checkNewest(_ name: BackupName) throws(VaultError) {
    let names = try inStore { () throws(StoreError) in try folder.names() }
    let others = names.compactMap { BackupName(fileName: $0) }.filter { $0.stem.utf8.elementsEqual(name.stem.utf8) }
    guard let newest = others.map(\.time).max() else { return }
    guard newest != name.time else {
      throw VaultError(
        .alreadyExists, "is there already", file: folder.path(of: name.fileName), hints: ["wait a second and try again"]
      )
    }
    guard newest < name.time else {
      throw VaultError(
        .alreadyExists, "is of \(newest.text), later than now (\(name.time.text)): the clock went back",
        file: folder.path(of: BackupName(stem: name.stem, time: newest)?.fileName ?? name.fileName),
        hints: ["set the clock right, or give another name with --label"])
    }
  }
}
