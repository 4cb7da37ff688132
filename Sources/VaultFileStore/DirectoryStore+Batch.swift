internal import VaultStorage

/// Several records at once (format 1, section 8): everything staged and durable, then the journal's rename as the one commit
/// point, then every file into its place.
///
/// ```
/// stage every file, make folders, sync        any error: nothing happened
/// journal: write, sync, rename, sync          committed from here on
/// rename or remove each place, sync           an error or a crash: the next to lock does it again
/// remove the journal, sync
/// ```
extension DirectoryStore {
  /// From how many changes on one sync of the whole file system is cheaper than one of each file.
  private static let wholeSyncThreshold = 8

  func applyBatch(_ changes: [StoreChange]) throws(StoreError) {
    let isWhole = syncsWhole(count: changes.count)
    let journal = try withMadeDirectory(.staging) { (staging) throws(StoreError) in
      do throws(StoreError) {
        let journal = try stage(changes, in: staging, isSynced: !isWhole)
        try makeDirectories(for: journal)
        if isWhole { try syncFileSystem() }
        try files.sync(staging, at: StoreDirectory.staging.path)
        try commit(journal, from: staging)
        return journal
      } catch {
        emptyStaging()
        throw error
      }
    }
    // Committed: what fails from here on is done by the next to lock, and readers look into the journal meanwhile.
    try? finish(journal)
  }

  private func stage(
    _ changes: [StoreChange], in staging: Int32, isSynced: Bool
  ) throws(StoreError) -> Journal {
    var names = StagedNames()
    var entries: [Journal.Entry] = []
    for change in changes {
      guard let bytes = change.replacement else {
        entries.append(Journal.Entry(location: change.location, action: .removed))
        continue
      }
      let name = names.next()
      try files.stage(bytes, as: name, in: staging, isSynced: isSynced, at: change.location.relativePath)
      entries.append(Journal.Entry(location: change.location, action: .staged(name)))
    }
    return Journal(entries)
  }

  /// Makes the folders before the commit, so that a full disk is noticed while there is a way back.
  private func makeDirectories(for journal: Journal) throws(StoreError) {
    for directory in journal.byDirectory.filter({ $0.entries.contains(where: \.isStaged) }) {
      try withMadeDirectory(directory.directory) { _ in }
    }
  }

  private func commit(_ journal: Journal, from staging: Int32) throws(StoreError) {
    var names = StagedNames()
    let (name, place) = (names.next(), StoreDirectory.journalName)
    try files.stage(journal.bytes(), as: name, in: staging, isSynced: true, at: place)
    try files.call(at: place) { (system) throws(Errno) in
      try system.rename(name, in: staging, to: place, in: root.descriptor)
    }
    do throws(StoreError) {
      try files.sync(root.descriptor, at: place)
    } catch {
      try? removeJournal()
      throw error
    }
  }

  private func syncsWhole(count: Int) -> Bool {
    count > Self.wholeSyncThreshold && files.operations.canSyncFileSystem(of: root.descriptor)
  }

  private func syncFileSystem() throws(StoreError) {
    try files.call(at: path) { (system) throws(Errno) in try system.syncFileSystem(of: root.descriptor) }
  }

  func removeJournal() throws(StoreError) {
    let name = StoreDirectory.journalName
    _ = try files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.removeFile(name, in: root.descriptor)
    }
    try files.sync(root.descriptor, at: name)
  }
}

extension DirectoryStore {
  /// Puts everything a committed journal names into its place; whatever is in place already is left alone.
  func finish(_ journal: Journal) throws(StoreError) {
    let isWhole = syncsWhole(count: journal.entries.count)
    try withMadeDirectory(.staging) { (staging) throws(StoreError) in
      for (directory, entries) in journal.byDirectory {
        try withMadeDirectory(directory) { (target) throws(StoreError) in
          for entry in entries { try finish(entry, from: staging, in: target) }
          if !isWhole { try files.sync(target, at: directory.path) }
        }
      }
    }
    if isWhole { try syncFileSystem() }
    // Durable before anything else is written: a journal that came back would remove what is written after it.
    try removeJournal()
  }

  private func finish(_ entry: Journal.Entry, from staging: Int32, in target: Int32) throws(StoreError) {
    let (name, place) = (entry.location.fileName, entry.location.relativePath)
    switch entry.action {
    case .removed:
      _ = try files.callIfPresent(at: place) { (system) throws(Errno) in try system.removeFile(name, in: target) }
    case .staged(let staged):
      _ = try files.callIfPresent(at: place) { (system) throws(Errno) in
        try system.rename(staged, in: staging, to: name, in: target)
      }
    }
  }
}

extension Journal {
  /// The entries of each directory, so that each is opened and synced once.
  var byDirectory: [(directory: StoreDirectory, entries: [Entry])] {
    Dictionary(grouping: entries, by: \.location.directory).map { (directory: $0.key, entries: $0.value) }
      .sorted { $0.directory.path < $1.directory.path }
  }
}

extension Journal.Entry {
  var isStaged: Bool { action != .removed }
}
