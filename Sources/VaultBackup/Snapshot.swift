internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// Everything of a vault that a backup holds, read while nobody writes.
struct Snapshot {
  let vault: LockedVault
  let archive: ArchiveWriter
  /// Called after each record.
  let progress: () -> Void

  /// Writes header, slots, checkpoint, records, trash and what git is told, in this order.
  ///
  /// - Throws: ``VaultError`` of the first file that cannot be read: a backup is whole, or there is none.
  func write() async throws(VaultError) {
    try archive.append(.document(.header), vault.headerBytes)
    for slot in vault.header.slots.sorted(by: { $0.id < $1.id }) {
      guard let bytes = try read(.slot(slot.id)) else { throw Self.missing(slot.path) }
      try archive.append(.document(.slot(slot.id)), bytes)
    }
    if let bytes = try read(.checkpoint) { try archive.append(.document(.checkpoint), bytes) }
    try await writeRecords()
    for id in try inStore({ () throws(StoreError) in try vault.store.trashed() }) {
      try take(.trash(id), read(.trash(id)))
    }
    try writeGitFiles()
  }

  /// A record that was read.
  private struct File: Sendable {
    let id: RecordID
    let bytes: [UInt8]
    let hash: FileHash
  }

  /// Reads and hashes folder by folder on all cores, while what was read before is sealed.
  private func writeRecords() async throws(VaultError) {
    let parallel = ParallelMap(chunkSize: 1, chunkCount: ParallelMap.coreCount + 1)
    try await parallel(
      UInt8.min...UInt8.max, cancellation: { VaultError.cancelled() },
      { [store = vault.store] (folder: UInt8) throws(VaultError) in try Self.records(inFolder: folder, of: store) }
    ) { (files: [File]) throws(VaultError) in
      for file in files {
        try archive.append(.document(.record(file.id)), file.bytes, hash: file.hash)
        progress()
      }
    }
  }

  /// Every record of a folder; one that vanishes is an error.
  private static func records(inFolder folder: UInt8, of store: any RecordStore) throws(VaultError) -> [File] {
    let expected = try inStore { () throws(StoreError) in try store.records(inFolder: folder) }
    guard !expected.isEmpty else { return [] }
    var files: [File] = []
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try store.readRecords(inFolder: folder) { id, result in
        do throws(VaultError) {
          let bytes = try inStore(record: id) { () throws(StoreError) in try result.get() }
          files.append(File(id: id, bytes: bytes, hash: try FileHash(of: bytes)))
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
    let found = Set(files.map(\.id))
    if let gone = expected.first(where: { !found.contains($0) }) { throw vanished(.record(gone)) }
    return files
  }

  private func take(_ place: StoreLocation, _ bytes: [UInt8]?) throws(VaultError) {
    guard let bytes else { throw Self.vanished(place) }
    try archive.append(.document(place), bytes)
    progress()
  }

  private func writeGitFiles() throws(VaultError) {
    guard let directory = vault.store as? DirectoryStore else { return }
    for name in DirectoryStore.gitFileNames {
      if let bytes = try inStore({ () throws(StoreError) in try directory.gitFile(name) }) {
        try archive.append(.gitFile(name), bytes)
      }
    }
  }

  private func read(_ place: StoreLocation) throws(VaultError) -> [UInt8]? {
    try inStore { () throws(StoreError) in try vault.store.read(place) }
  }

  /// Only who goes past the lock can take a file away meanwhile.
  private static func vanished(_ place: StoreLocation) -> VaultError {
    VaultError(
      .changedUnderneath, "vanished while it was read", file: place.relativePath,
      hints: ["something else than this program changes the vault's folder: let it end, and try again"])
  }

  private static func missing(_ path: String) -> VaultError {
    VaultError(.damaged, "is missing", file: path, hints: [VaultError.lastGoodVersionHint])
  }
}
