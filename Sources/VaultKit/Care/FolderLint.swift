internal import VaultRecords
internal import VaultStorage

/// What can be said of the records of one folder without a key.
struct FolderLint: Sendable {
  let number: UInt8
  private(set) var records: [Result<RecordLint, VaultError>] = []
  /// Why the folder as such cannot be read.
  private(set) var fault: VaultFault?

  init(_ folder: UInt8, in files: any RecordStore, _ kinds: KindCatalog) {
    number = folder
    do throws(StoreError) {
      try files.readLocked(files.records(inFolder: folder), inFolder: folder) { id, bytes in
        records.append(Result { () throws(VaultError) in try RecordLint(bytes, at: .record(id), id, kinds) })
        return true
      }
    } catch {
      fault = VaultFault(unreadable: folder, error)
    }
  }
}
