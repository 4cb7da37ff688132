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
  func write() throws(VaultError) {
    try archive.append(.document(.header), vault.headerBytes)
    for slot in vault.header.slots.sorted(by: { $0.id < $1.id }) {
      guard let bytes = try read(.slot(slot.id)) else { throw Self.missing(slot.path) }
      try archive.append(.document(.slot(slot.id)), bytes)
    }
    if let bytes = try read(.checkpoint) { try archive.append(.document(.checkpoint), bytes) }
    for folder in UInt8.min...UInt8.max { try writeRecords(inFolder: folder) }
    for id in try inStore({ () throws(StoreError) in try vault.store.trashed() }) {
      try take(.trash(id), read(.trash(id)))
    }
    try writeGitFiles()
  }

  private func writeRecords(inFolder folder: UInt8) throws(VaultError) {
    var expected = try inStore { () throws(StoreError) in try vault.store.records(inFolder: folder) }[...]
    guard !expected.isEmpty else { return }
    var failure: VaultError?
    try inStore { () throws(StoreError) in
      try vault.store.readRecords(inFolder: folder) { id, result in
        do throws(VaultError) {
          if let gone = expected.popFirst(), gone != id { throw Self.vanished(.record(gone)) }
          try take(.record(id), inStore(record: id) { () throws(StoreError) in try result.get() })
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
    if let gone = expected.first { throw Self.vanished(.record(gone)) }
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
