internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// Everything of a vault that a backup holds, read while nobody writes.
struct Snapshot {
  let vault: LockedVault
  let archive: ArchiveWriter
  let attachments = AttachmentNames()
  /// Called after each record.
  let progress: () -> Void

  /// Writes header, slots, checkpoint, records, trash, attachments and what git is told, in this order.
  ///
  /// - Throws: `VaultError` of the first file that cannot be read: a backup is whole, or there is none.
  func write() async throws(VaultError) {
    try archive.append(.document(.header), vault.headerBytes)
    for slot in vault.header.slots.sorted(by: { $0.id < $1.id }) {
      guard let bytes = try read(.slot(slot.id)) else { throw Self.missing(slot.path) }
      try archive.append(.document(.slot(slot.id)), bytes)
    }
    try writeLarge(.checkpoint)
    try await writeRecords()
    for id in try inStore({ () throws(StoreError) in try vault.store.trashed() }) {
      try take(.trash(id), read(.trash(id)))
    }
    try requireAllRecords()
    try writeAttachments()
    try writeGitFiles()
  }

  /// Whatever made the reading skip some: what is then attested must be all of the vault.
  private func requireAllRecords() throws(VaultError) {
    let live = archive.count(of: .record)
    let heldLive = try vault.recordCount()
    guard live == heldLive else { throw .otherRecords(than: live, heldLive, at: "records") }
    let removed = archive.count(of: .trash)
    let heldRemoved = try inStore { () throws(StoreError) in try vault.store.trashed().count }
    guard removed == heldRemoved else { throw .otherRecords(than: removed, heldRemoved, at: "trash") }
  }

  /// Those that records name, each as they name it.
  private func writeAttachments() throws(VaultError) {
    let held = try inStore { () throws(StoreError) in try vault.store.heldAttachments() }
    for id in attachments.wanted(of: held) {
      if let file = try writeLarge(.attachment(id)) { try attachments.take(file) }
    }
    try attachments.requireAll()
  }

  /// Reads a document piece by piece.
  ///
  /// - Returns: what was written; nil where there is none.
  @discardableResult
  private func writeLarge(_ place: StoreLocation) throws(VaultError) -> BackupList.File? {
    let store = vault.store
    guard let file = try inStore({ () throws(StoreError) in try store.reader(of: place) }) else { return nil }
    return try archive.append(.document(place), byteCount: file.byteCount) { take throws(VaultError) in
      while true {
        let piece = try inStore { () throws(StoreError) in try file.next() }
        if piece.isEmpty { break }
        try take(piece)
      }
    }
  }

  /// Reads and hashes on all cores, while what was read before is sealed.
  private func writeRecords() async throws(VaultError) {
    let (store, empty) = (vault.store, archive.segment)
    try await ParallelMap(chunkSize: 1)(
      RecordRuns(of: store), cancellation: { VaultError.cancelled() },
      { run throws(VaultError) in try RecordRun(try run.get(), from: store, into: empty) },
      consume: { run throws(VaultError) in
        try archive.append(run.segment)
        for names in run.attachments { try attachments.take(names) }
        for _ in run.segment.files { progress() }
        for id in run.rest { try take(.record(id), read(.record(id))) }
      })
  }

  private func take(_ place: StoreLocation, _ bytes: [UInt8]?) throws(VaultError) {
    guard let bytes else { throw .vanished(place) }
    try VaultError.requireNoConflict(bytes, file: place.relativePath)
    try attachments.take(NamedAttachments.ifAny(in: bytes))
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

  private static func missing(_ path: String) -> VaultError {
    VaultError(.damaged, "is missing", file: path)
  }
}

/// The ids of all live records, some at a time, ascending.
private struct RecordRuns: Sequence, IteratorProtocol {
  private let store: any RecordStore
  private var folders = Array(UInt8.min...UInt8.max)[...]
  private var ids: ArraySlice<RecordID> = []
  /// Enough that handing them from core to core costs nothing beside reading them.
  private static let runLength = 256

  init(of store: any RecordStore) { self.store = store }

  /// After a failure there is nothing more.
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

  /// Returns whether there are more.
  private mutating func listMore() throws(VaultError) -> Bool {
    while ids.isEmpty {
      guard let folder = folders.popFirst() else { return false }
      ids = try inStore { () throws(StoreError) in try store.records(inFolder: folder) }[...]
    }
    return true
  }
}

/// Records that were read.
private struct RecordRun: Sendable {
  private(set) var segment: ArchiveSegment
  /// What they name.
  let attachments: [NamedAttachments]
  /// Those behind them that were left, since memory is bounded whatever the size of the records.
  let rest: ArraySlice<RecordID>

  private static let byteCount = 1 << 20
  /// What a record of a few fields has in an archive.
  private static let usualByteCount = 4 * TarHeader.byteCount

  /// - Throws: `VaultError` of the first record that cannot be read, or has vanished.
  init(_ ids: [RecordID], from store: any RecordStore, into empty: ArchiveSegment) throws(VaultError) {
    var segment = empty
    segment.reserveCapacity(byteCount: ids.count * Self.usualByteCount, fileCount: ids.count)
    var attachments: [NamedAttachments] = []
    var failure: VaultError?
    try Self.read(ids, from: store) { id, result in
      do throws(VaultError) {
        let bytes = try inStore(record: id) { () throws(StoreError) in try result.get() }
        try VaultError.requireNoConflict(bytes, file: StoreLocation.record(id).relativePath)
        try segment.append(.document(.record(id)), bytes)
        if let names = NamedAttachments.ifAny(in: bytes) { attachments.append(names) }
      } catch {
        failure = error
      }
      return failure == nil && segment.bytes.count < Self.byteCount
    }
    if let failure { throw failure }
    for (file, id) in zip(segment.files, ids) where file.member != .document(.record(id)) {
      throw .vanished(.record(id))
    }
    (self.segment, self.attachments, rest) = (segment, attachments, ids.dropFirst(segment.files.count))
  }

  /// Reads folder by folder, until `body` has enough.
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
  /// Only who goes past the lock can take a file away meanwhile.
  fileprivate static func vanished(_ place: StoreLocation) -> VaultError {
    VaultError(
      .changedUnderneath, "vanished while it was read", file: place.relativePath,
      remedies: ["something else than this program changes the vault's folder: let it end, and try again"])
  }
}
