internal import VaultCare
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// The content of a vault for a backup, read while nobody writes. Attachments may be read later.
struct Snapshot {
  let vault: LockedVault
  let archive: ArchiveWriter
  let attachments = AttachmentNames()
  /// Compares record versions with the remembered ones; nil if the backup is not attested.
  let rollbacks: SnapshotRollbacks?
  let progress: () -> Void

  /// Writes header, slots, checkpoint, records and trash, in this order. Returns the rest.
  func write() async throws(VaultError) -> SnapshotRest {
    try archive.append(.document(.header), vault.headerBytes)
    for slot in vault.header.slots.sorted(by: { $0.id < $1.id }) {
      guard let bytes = try read(.slot(slot.id)) else { throw Self.missing(slot.path) }
      try archive.append(.document(.slot(slot.id)), bytes)
    }
    try archive.appendDocument(.checkpoint, from: vault.store)
    try await writeRecords()
    for id in try inStore({ () throws(StoreError) in try vault.store.trashed() }) {
      try take(.trash(id), read(.trash(id)))
    }
    try requireAllRecords()
    try rollbacks?.requireNone()
    let held = try inStore { () throws(StoreError) in try vault.store.heldAttachments() }
    return SnapshotRest(
      archive: archive, attachments: attachments, wanted: attachments.wanted(of: held), deposits: try deposits(),
      gitFiles: try gitFiles())
  }

  /// Requires that no record was skipped for any reason, because an attested backup must be complete.
  private func requireAllRecords() throws(VaultError) {
    let live = archive.count(of: .record)
    let heldLive = try vault.recordCount()
    guard live == heldLive else { throw .otherRecords(than: live, heldLive, at: "records") }
    let removed = archive.count(of: .trash)
    let heldRemoved = try inStore { () throws(StoreError) in try vault.store.trashed().count }
    guard removed == heldRemoved else { throw .otherRecords(than: removed, heldRemoved, at: "trash") }
  }

  /// Reads and hashes on all cores, while earlier records are sealed.
  private func writeRecords() async throws(VaultError) {
    let (store, empty, readsVersions) = (vault.store, archive.segment, rollbacks != nil)
    try await ParallelMap(chunkSize: 1)(
      RecordRuns(of: store), cancellation: { VaultError.cancelled() },
      { run throws(VaultError) in try RecordRun(try run.get(), from: store, into: empty, readsVersions) },
      consume: { run throws(VaultError) in
        try archive.append(run.segment)
        for names in run.attachments { try attachments.take(names) }
        for version in run.versions { rollbacks?.take(version) }
        for _ in run.segment.files { progress() }
        for id in run.rest { try take(.record(id), read(.record(id))) }
      })
  }

  private func take(_ place: StoreLocation, _ bytes: [UInt8]?) throws(VaultError) {
    guard let bytes else { throw .vanished(place) }
    try VaultError.requireNoConflict(bytes, file: place.relativePath, record: place.recordID)
    try attachments.take(NamedAttachments.ifAny(in: bytes))
    if let id = place.recordID, let version = SeenVersion(parsing: bytes, of: id) { rollbacks?.take(version) }
    try archive.append(.document(place), bytes)
    progress()
  }

  /// The deposits, which are few and small enough for memory.
  private func deposits() throws(VaultError) -> [(id: DepositID, bytes: [UInt8])] {
    var deposits: [(id: DepositID, bytes: [UInt8])] = []
    for id in try inStore({ () throws(StoreError) in try vault.store.heldDeposits() }) {
      do throws(StoreError) {
        if let bytes = try vault.store.read(.inbox(id)) { deposits.append((id, bytes)) }
      } catch {
        guard error.isOfOneFile else { throw VaultError(store: error) }
      }
    }
    return deposits
  }

  private func gitFiles() throws(VaultError) -> [(name: String, bytes: [UInt8])] {
    guard let directory = vault.store as? DirectoryStore else { return [] }
    var files: [(name: String, bytes: [UInt8])] = []
    for name in DirectoryStore.gitFileNames {
      if let bytes = try inStore({ () throws(StoreError) in try directory.gitFile(name) }) {
        files.append((name, bytes))
      }
    }
    return files
  }

  private func read(_ place: StoreLocation) throws(VaultError) -> [UInt8]? {
    try inStore { () throws(StoreError) in try vault.store.read(place) }
  }

  private static func missing(_ path: String) -> VaultError {
    VaultError(.damaged, "is missing", file: path)
  }
}

/// Rollbacks that a backup must not attest: records that are older than remembered, or missing.
final class SnapshotRollbacks {
  private let vault: Vault
  private var found: [UInt8: FoundVersions] = [:]

  /// Nil if this machine remembers nothing about the vault.
  init?(of vault: Vault) {
    guard vault.remembersRecords else { return nil }
    self.vault = vault
  }

  func take(_ seen: SeenVersion) { found[seen.id.folder, default: FoundVersions()].take(seen) }

  func requireNone() throws(VaultError) {
    try vault.requireNoRollback { found[$0] ?? FoundVersions() }
  }
}

/// The part of an archive after the records: attachments and git files.
struct SnapshotRest {
  fileprivate let archive: ArchiveWriter
  fileprivate let attachments: AttachmentNames
  fileprivate let wanted: [AttachmentID]
  fileprivate let deposits: [(id: DepositID, bytes: [UInt8])]
  fileprivate let gitFiles: [(name: String, bytes: [UInt8])]

  /// Writes the rest, with the attachments that records name. Attachment files never change, so they match the records
  /// at any later time. But a concurrent writer may remove some.
  func write(from store: any RecordStore) throws(VaultError) {
    for id in wanted {
      if let file = try archive.appendDocument(.attachment(id), from: store) { try attachments.take(file) }
    }
    try attachments.requireAll()
    for deposit in deposits { try archive.append(.document(.inbox(deposit.id)), deposit.bytes) }
    for file in gitFiles { try archive.append(.gitFile(file.name), file.bytes) }
  }
}

extension ArchiveWriter {
  /// Writes a document in pieces, and returns its entry of the list; nil if there is no such document.
  @discardableResult
  fileprivate func appendDocument(
    _ place: StoreLocation, from store: any RecordStore
  ) throws(VaultError) -> BackupList.File? {
    guard let file = try inStore({ () throws(StoreError) in try store.reader(of: place) }) else { return nil }
    return try append(.document(place), byteCount: file.byteCount) { take throws(VaultError) in
      while true {
        let piece = try inStore { () throws(StoreError) in try file.next() }
        if piece.isEmpty { break }
        try take(piece)
      }
    }
  }
}

/// The ids of all live records, in ascending runs.
private struct RecordRuns: Sequence, IteratorProtocol {
  private let store: any RecordStore
  private var folders = Array(UInt8.min...UInt8.max)[...]
  private var ids: ArraySlice<RecordID> = []
  /// Large enough to make passing a run between cores negligible.
  private static let runLength = 256

  init(of store: any RecordStore) { self.store = store }

  /// The next run; nil at the end and after a failure.
  mutating func next() -> Result<[RecordID], VaultError>? {
    var run: [RecordID] = []
    run.reserveCapacity(Self.runLength)
    do throws(VaultError) {
      while run.count < Self.runLength, try listMore() {
        let some = ids.prefix(Self.runLength - run.count)
        run += some
        ids = ids.dropFirst(some.count)
      }
    } catch {
      (folders, ids) = ([], [])
      return .failure(error)
    }
    return run.isEmpty ? nil : .success(run)
  }

  private mutating func listMore() throws(VaultError) -> Bool {
    while ids.isEmpty {
      guard let folder = folders.popFirst() else { return false }
      ids = try inStore { () throws(StoreError) in try store.records(inFolder: folder) }[...]
    }
    return true
  }
}

private struct RecordRun: Sendable {
  private(set) var segment: ArchiveSegment
  let attachments: [NamedAttachments]
  /// Their versions, if they are needed.
  let versions: [SeenVersion]
  /// Records that were not read, because memory is limited for any size of records.
  let rest: ArraySlice<RecordID>

  private static let byteCount = 1 << 20
  /// The archive size of a record with a few fields.
  private static let usualByteCount = 4 * TarHeader.byteCount

  init(
    _ ids: [RecordID], from store: any RecordStore, into empty: ArchiveSegment, _ readsVersions: Bool
  ) throws(VaultError) {
    var segment = empty
    segment.reserveCapacity(byteCount: ids.count * Self.usualByteCount, fileCount: ids.count)
    var attachments: [NamedAttachments] = []
    var versions: [SeenVersion] = []
    var failure: VaultError?
    try Self.read(ids, from: store) { id, result in
      do throws(VaultError) {
        let bytes = try inStore(record: id) { () throws(StoreError) in try result.get() }
        try VaultError.requireNoConflict(bytes, file: StoreLocation.record(id).relativePath, record: id)
        try segment.append(.document(.record(id)), bytes)
        if let names = NamedAttachments.ifAny(in: bytes) { attachments.append(names) }
        if readsVersions, let version = SeenVersion(parsing: bytes, of: id) { versions.append(version) }
      } catch {
        failure = error
      }
      return failure == nil && segment.bytes.count < Self.byteCount
    }
    if let failure { throw failure }
    for (file, id) in zip(segment.files, ids) where file.member != .document(.record(id)) {
      throw .vanished(.record(id))
    }
    (self.segment, self.attachments, self.versions) = (segment, attachments, versions)
    rest = ids.dropFirst(segment.files.count)
  }

  /// Reads folder by folder, until `body` returns false.
  private static func read(
    _ ids: [RecordID], from store: any RecordStore, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(VaultError) {
    var (rest, isEnough) = (ids[...], false)
    while let folder = rest.first?.folder, !isEnough {
      let own = rest.prefix { $0.folder == folder }
      rest = rest.dropFirst(own.count)
      try inStore { () throws(StoreError) in
        try store.readLocked(Array(own), inFolder: folder) { id, result in
          isEnough = !body(id, result)
          return !isEnough
        }
      }
    }
  }
}

extension VaultError {
  /// The error for a file that was removed despite the lock.
  fileprivate static func vanished(_ place: StoreLocation) -> VaultError {
    VaultError(
      .changedUnderneath, "was removed while it was read", file: place.relativePath,
      remedies: ["another program is changing the vault's folder: wait until it ends, and try again"])
  }
}
