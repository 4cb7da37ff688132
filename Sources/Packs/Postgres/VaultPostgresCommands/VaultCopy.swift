import VaultDocument
import VaultKit
import VaultStorage

struct CopiedVault: Sendable {
  fileprivate(set) var recordCount = 0
  fileprivate(set) var trashedCount = 0
  fileprivate(set) var slotCount = 0
  /// Entries among the records that are not records and were not copied, as paths.
  fileprivate(set) var leftBehind: [String] = []
}

/// Copies a vault from one store to another, byte for byte. It needs no key, and verifies nothing.
struct VaultCopy: Sendable {
  /// The size of a piece, and the number of changes in a batch.
  private static let piece = (changeCount: 500, byteCount: 4 << 20)
  private static let batchCount = 50_000

  private let source: any RecordStore
  private let options: Vault.Options

  init(of place: VaultPlace, options: Vault.Options) throws(VaultError) {
    source = try LockedVault(at: place).store
    self.options = options
  }

  /// Copies the state of one moment to an empty place. The header comes last: before that there is no vault.
  ///
  /// - Parameters:
  ///   - makingTables: whether missing tables of a database are created.
  ///   - progress: called after each record.
  func write(
    to place: VaultPlace, makingTables: Bool = false, progress: () -> Void = {}
  ) async throws(VaultError) -> CopiedVault {
    let moment = try await lock(source, .snapshot)
    defer { moment.release() }
    let target = try inStore { () throws(StoreError) in try place.createStore(makingTables: makingTables) }
    let writing = try await lock(target, .exclusive)
    defer { writing.release() }
    let attachments = try inStore { () throws(StoreError) in try (moment.view ?? source).heldAttachments() }
    if !attachments.isEmpty { _ = try target.keepingAttachments() }
    return try inStore { () throws(StoreError) in
      try requireEmpty(target)
      return try Run(from: moment.view ?? source, to: target, under: writing).copy(progress)
    }
  }

  /// Compares with a copy, place by place and byte by byte.
  ///
  /// - Returns: the paths that differ, or that only one side has.
  func differences(
    from place: VaultPlace, progress: () -> Void = {}
  ) async throws(VaultError) -> [String] {
    let target = try LockedVault(at: place).store
    let (one, other) = (try await lock(source, .snapshot), try await lock(target, .snapshot))
    defer {
      one.release()
      other.release()
    }
    let (left, right) = (one.view ?? source, other.view ?? target)
    return try inStore { () throws(StoreError) in
      let places = try Set(left.places()).union(right.places())
      var paths: [String] = []
      for place in places {
        if try !left.holdsSame(as: right, at: place) { paths.append(place.relativePath) }
        if place.recordID != nil { progress() }
      }
      return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  private func lock(_ store: any RecordStore, _ kind: LockKind) async throws(VaultError) -> any StoreLock {
    try await store.waitForLock(kind, timeout: options.lockTimeout, onWait: options.onLockWait)
  }

  private func requireEmpty(_ target: any RecordStore) throws(StoreError) {
    guard try target.places().isEmpty else {
      throw StoreError(
        .alreadyExists, reason: "has documents of a vault but no header, perhaps from an unfinished copy")
    }
  }

  private struct Run {
    let source: any RecordStore
    let target: any RecordStore
    let lock: any StoreLock
    private var result = CopiedVault()

    init(from source: any RecordStore, to target: any RecordStore, under lock: any StoreLock) {
      (self.source, self.target, self.lock) = (source, target, lock)
    }

    consuming func copy(_ progress: () -> Void) throws(StoreError) -> CopiedVault {
      result.leftBehind = try source.strayEntries()
      // Before the records that name them.
      for id in try source.heldAttachments() { try copyLarge(.attachment(id)) }
      for folder in try source.recordFolders() {
        let ids = try source.records(inFolder: folder)
        result.recordCount += try copy(ids.map { .record($0) }, progress)
      }
      result.trashedCount = try copy(source.trashed().map { .trash($0) }, progress)
      for id in try source.heldDeposits() { try target.apply([change(.inbox(id))], under: lock) }
      try copyLarge(.checkpoint)
      let slots = try source.slots()
      result.slotCount = slots.count
      // One step: the slots, and after them the header, which makes it a vault.
      try target.apply(
        try (slots.map { .slot($0) } + [.header]).map { place throws(StoreError) in try change(place) }, under: lock)
      return result
    }

    private func change(_ place: StoreLocation) throws(StoreError) -> StoreChange {
      guard let bytes = try source.read(place) else {
        throw StoreError(.changedUnderneath, reason: "was removed while it was being copied", path: place.relativePath)
      }
      return StoreChange(place, from: nil, to: bytes)
    }

    /// - Returns: the number of copied places.
    private func copy(_ places: [StoreLocation], _ progress: () -> Void) throws(StoreError) -> Int {
      for start in stride(from: 0, to: places.count, by: VaultCopy.batchCount) {
        let places = places[start..<min(start + VaultCopy.batchCount, places.count)]
        guard !Task.isCancelled else {
          throw StoreError(.ioFailed, reason: "the copy was cancelled before it was complete")
        }
        let batch = try target.batch(expecting: places.count, under: lock)
        var (piece, byteCount): ([StoreChange], Int) = ([], 0)
        for place in places {
          let change = try change(place)
          piece.append(change)
          byteCount += change.replacement?.count ?? 0
          progress()
          guard piece.count >= VaultCopy.piece.changeCount || byteCount >= VaultCopy.piece.byteCount else { continue }
          try batch.stage(piece)
          (piece, byteCount) = ([], 0)
        }
        if !piece.isEmpty { try batch.stage(piece) }
        // The header comes last, and its commit covers all before it.
        do throws(StoreError) { try batch.commit() } catch { if error.code != .mayBeLost { throw error } }
      }
      return places.count
    }

    /// Copies piece by piece; does nothing if the document does not exist.
    private func copyLarge(_ place: StoreLocation) throws(StoreError) {
      guard let reader = try source.reader(of: place) else { return }
      let writer = try target.writer(of: place, under: lock)
      try reader.forEachPiece(writer.append)
      do throws(StoreError) { try writer.commit(replacing: nil) } catch { if error.code != .mayBeLost { throw error } }
    }
  }
}

extension RecordStore {
  fileprivate func holdsSame(as other: any RecordStore, at place: StoreLocation) throws(StoreError) -> Bool {
    guard place.isLarge else { return try read(place) == other.read(place) }
    guard let mark = try mark(of: place) else { return false }
    return try other.mark(of: place) == mark
  }
}
