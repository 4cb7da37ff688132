internal import VaultRecords
internal import VaultStorage

/// What can be said of the records of one folder without a key.
struct FolderLint: Sendable {
  /// How many folders are looked at together: what bounds the memory. It divides their number, 256.
  static let batchSize = 16

  private(set) var records: [Result<RecordLint, VaultError>] = []
  /// Why the folder as such cannot be read.
  private(set) var fault: VaultFault?

  private init(_ folder: UInt8, in files: any RecordStore, _ kinds: KindCatalog) {
    do throws(StoreError) {
      try files.readRecords(inFolder: folder) { id, bytes in
        records.append(Result { () throws(VaultError) in try RecordLint(bytes, at: .record(id), id, kinds) })
        return true
      }
    } catch {
      fault = VaultFault(unreadable: folder, error)
    }
  }

  /// Some folders, on all cores, in their order.
  static func ofFolders(
    _ folders: Range<Int>, in files: any RecordStore, _ kinds: KindCatalog
  ) async -> [FolderLint] {
    await withTaskGroup { group in
      for folder in folders { group.addTask { (folder, FolderLint(UInt8(folder), in: files, kinds)) } }
      var found: [Int: FolderLint] = [:]
      for await (folder, lint) in group { found[folder] = lint }
      return folders.compactMap { found[$0] }
    }
  }
}
