internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// Restores into a folder that cannot be exchanged: one with other files, such as a git repository, or one of a
/// container image. After a copy was kept, the vault is changed to the backup's state file by file.
///
/// Format 1 commits header and slots in one step, records and trash in another. After an interruption between them, the
/// user runs the command again. New attachments come before both steps, and superfluous ones are removed after them. So
/// no record ever names a missing file.
extension StagedRestore {
  /// Restores file by file. Returns the path of the copy of the old vault.
  func putInside(keeping name: String) throws(VaultError) -> String? {
    guard let current else { return try putInsideNew() }
    let changes = try inStore { () throws(StoreError) in
      try RestoreChanges(from: current.store, to: staged)
    }
    try changes.requireOneBatch(contents.file)
    let copy = try inStore { () throws(StoreError) in try StagedVault(name, in: place.parent) }
    defer { copy.discard() }
    try inStore { () throws(StoreError) in
      try changes.keepOld(in: copy)
      try copy.sync()
      try copy.putInPlace()
      try changes.apply(current.lock)
    }
    return place.parent.path(of: name)
  }

  private func putInsideNew() throws(VaultError) -> String? {
    try inStore { () throws(StoreError) in
      let store = try DirectoryStore.create(at: place.path, operations: options.operations)
      let changes = try RestoreChanges(from: store, to: staged)
      try store.withLock(.exclusive) { lock throws(StoreError) in try changes.apply(lock) }
    }
    return nil
  }
}

/// The changes that make a store equal to a staged vault.
private struct RestoreChanges {
  let store: DirectoryStore
  let staged: StagedVault
  private var places: [StoreLocation] = []
  private var wanted: Set<StoreLocation> = []

  init(from store: DirectoryStore, to staged: StagedVault) throws(StoreError) {
    (self.store, self.staged) = (store, staged)
    wanted = Set(try staged.places())
    places = Array(try wanted.union(store.places())).sorted { $0.relativePath < $1.relativePath }
  }

  private func change(_ place: StoreLocation) throws(StoreError) -> StoreChange {
    StoreChange(place, from: try store.read(place), to: wanted.contains(place) ? try staged.read(place) : nil)
  }

  private var records: [StoreLocation] { places.filter { $0.recordID != nil } }

  /// Requires that all changes fit into one journal.
  func requireOneBatch(_ file: BackupFile) throws(VaultError) {
    guard records.count > ChangePlan.maximumChangeCount else { return }
    let count = try inStore { () throws(StoreError) in
      var count = 0
      for place in records where try !change(place).isGuard { count += 1 }
      return count
    }
    guard count > ChangePlan.maximumChangeCount else { return }
    throw VaultError(
      .inputRefused, "has more changes than one batch takes", file: file.path,
      remedies: ["restore it into a folder that does not exist yet"])
  }

  func keepOld(in copy: StagedVault) throws(StoreError) {
    for place in places {
      if place.isLarge {
        guard let reader = try store.reader(of: place) else { continue }
        try reader.forEachPiece { piece throws(StoreError) in try copy.append(piece, to: place, isLast: false) }
        try copy.append([], to: place, isLast: true)
      } else if let bytes = try store.read(place) {
        try copy.write(bytes, to: place)
      }
    }
    for name in DirectoryStore.gitFileNames {
      if let bytes = try store.gitFile(name) { try copy.writeGitFile(bytes, to: name) }
    }
  }

  func apply(_ lock: any StoreLock) throws(StoreError) {
    try addAttachments(lock)
    try applySlotsAndHeader(lock)
    let batch = try store.batch(expecting: records.count, under: lock)
    defer { batch.abandon() }
    for place in records {
      let change = try change(place)
      if !change.isGuard { try batch.stage([change]) }
    }
    try batch.commit()
    let checkpoint = try change(.checkpoint)
    if !checkpoint.isGuard { try store.apply([checkpoint], under: lock) }
    for case .inbox(let id) in places {
      let change = try change(.inbox(id))
      if !change.isGuard { try store.apply([change], under: lock) }
    }
    try store.removeAttachments(attachments.filter { !wanted.contains(.attachment($0)) }, under: lock)
  }

  private var attachments: [AttachmentID] {
    places.compactMap { if case .attachment(let id) = $0 { id } else { nil } }
  }

  private func addAttachments(_ lock: any StoreLock) throws(StoreError) {
    for place in attachments.map(StoreLocation.attachment) where wanted.contains(place) {
      let mark = try store.mark(of: place)
      guard let looked = try staged.reader(of: place), try looked.markOfAll() != mark,
        let new = try staged.reader(of: place)
      else { continue }
      let writer = try store.writer(of: place, under: lock)
      try new.forEachPiece(writer.append)
      try writer.commit(replacing: mark)
    }
  }

  private func applySlotsAndHeader(_ lock: any StoreLock) throws(StoreError) {
    var changes: [StoreChange] = []
    for case .slot(let id) in places {
      let change = try change(.slot(id))
      if change.isGuard { continue }
      // A slot file that differs is damaged. It is replaced by itself first, because a header change takes only new and
      // removed slots.
      if change.expected != nil, change.replacement != nil {
        try store.apply([change], under: lock)
      } else {
        changes.append(change)
      }
    }
    let header = try change(.header)
    guard !header.isGuard || !changes.isEmpty else { return }
    if header.isGuard {
      for change in changes { try store.apply([change], under: lock) }
    } else {
      try store.apply(changes + [header], under: lock)
    }
  }
}
