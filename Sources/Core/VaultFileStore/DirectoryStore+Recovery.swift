internal import VaultStorage
internal import VaultSystem

extension DirectoryStore {
  /// Completes or removes leftovers of a crashed process, if the lock is free and this process may write.
  ///
  /// It fails silently: readers see the staged files of a committed journal, and writers try again and report errors.
  func recoverIfPossible() {
    guard hasLeftovers() else { return }
    var holder = Holder()
    guard let lock = try? tryLock(.exclusive, holder: &holder) else { return }
    defer { lock.release() }
    removeLeftovers()
  }

  /// Whether there is a journal or a staged file; an active writer has them, too.
  private func hasLeftovers() -> Bool {
    if (try? journalStatus()) != nil { return true }
    return hasStagedFiles()
  }

  /// Whether files are being written, or a crashed process left some that could not be removed.
  public func hasStagedFiles() -> Bool { (try? entries(of: .staging))?.isEmpty == false }

  func journalStatus() throws(StoreError) -> FileStatus? {
    let name = StoreDirectory.journalName
    return try files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.status(of: name, in: root.descriptor, followingLink: false)
    }
  }

  /// Under the exclusive lock: finishes the journal, then empties the staging directory. If the journal cannot be
  /// finished, everything stays for the next attempt or for a person.
  func removeLeftovers() {
    do throws(StoreError) {
      try finishJournal()
    } catch {
      return
    }
    // Nobody should wait long because of another process's leftovers.
    emptyStaging(within: DeletionBudget(until: nil, files.operations))
  }

  /// Under the exclusive lock: finishes a committed journal, if it exists.
  func finishJournal() throws(StoreError) {
    guard let journal = try readJournal() else { return }
    try requireComplete(journal)
    // Its writer may have died between the rename and the sync, and a power cut must not undo the rename half-way
    // through.
    try files.sync(root.descriptor, at: StoreDirectory.journalName)
    try finish(journal)
  }

  func readJournal() throws(StoreError) -> Journal? {
    let name = StoreDirectory.journalName
    let bytes = try files.contents(of: name, in: root.descriptor, limit: Journal.byteLimit, at: name)
    return try bytes.map { (bytes) throws(StoreError) in try Journal(parsing: bytes) }
  }

  /// Refuses a journal whose new files are missing, because the files that it would remove may be the only copies.
  func requireComplete(_ journal: Journal) throws(StoreError) {
    for (directory, entries) in journal.byDirectory {
      for entry in entries {
        guard case .staged(let name) = entry.action else { continue }
        if try isRegular(name, in: .staging) { continue }
        guard try isRegular(entry.location.fileName, in: directory) else {
          throw Journal.malformed("a file that the journal names is missing")
        }
      }
    }
  }

  /// Whether a name is a regular file; false if it is missing. Any other kind makes the journal malformed.
  private func isRegular(_ name: String, in directory: StoreDirectory) throws(StoreError) -> Bool {
    let path = directory.path(of: name)
    let status = try withDirectory(directory) { (file) throws(StoreError) in
      try files.callIfPresent(at: path) { (system) throws(Errno) in
        try system.status(of: name, in: file, followingLink: false)
      }
    }
    guard let status = status ?? nil else { return false }
    guard status.kind == .regular else {
      throw Journal.malformed("a file that the journal names is not a regular file")
    }
    return true
  }

  /// Empties the staging directory. Requires the exclusive lock and no journal.
  ///
  /// A folder in it holds new records that were not put in place, or old records that were replaced. It must be certain
  /// which of the two survives a power cut before either is deleted.
  ///
  /// - Parameter budget: how much to delete; nil means all.
  func emptyStaging(within budget: DeletionBudget? = nil) {
    guard let entries = try? entries(of: .staging), !entries.isEmpty else { return renewStaging() }
    _ = try? withDirectory(.staging) { (staging) throws(StoreError) in
      if entries.contains(where: { $0.kind != .regular }) {
        try files.sync(root.descriptor, at: path)
        try files.sync(staging, at: StoreDirectory.staging.path)
      }
      for entry in entries {
        files.removeTree(entry, in: staging, depth: Self.stagedDepth) { budget?.takesOne() ?? true }
      }
    }
    renewStaging()
  }

  /// Removes a staging directory that a large batch has enlarged, because some file systems never shrink it. Every
  /// opener lists it, and ten thousand old names cost more than everything else. The next writer makes a new one.
  func renewStaging() {
    let name = StoreDirectory.staging.name
    let status = try? files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.status(of: name, in: root.descriptor, followingLink: false)
    }
    guard let status = status ?? nil, status.kind == .directory, status.byteCount > Self.largeDirectory else { return }
    // The system refuses while anything is in it.
    try? files.call(at: name) { (system) throws(Errno) in try system.removeDirectory(name, in: root.descriptor) }
  }

  /// In bytes of names, or of the space reserved for them.
  private static let largeDirectory = 64 << 10

  /// Staged records lie in the folders of a folder.
  private static let stagedDepth = 3
}

extension DirectoryStore {
  /// A committed journal that is not finished, for readers; nil in the usual case.
  ///
  /// Only records and trash can be in it: the header and slots are read without asking.
  func overlay(for location: StoreLocation) throws(StoreError) -> Overlay? {
    switch location {
    case .record, .trash: try overlay()
    case .header, .checkpoint, .slot, .attachment, .inbox: nil
    }
  }

  /// The present journal for readers; nil without a journal, and in a store that ignores it. If files of the journal
  /// are missing and no writer has finished it meanwhile, this throws.
  func overlay() throws(StoreError) -> Overlay? {
    guard !ignoresJournal else { return nil }
    guard let status = try journalStatus() else {
      overlayCache.clear()
      return nil
    }
    if let overlay = overlayCache.overlay(for: status) { return overlay }
    let name = StoreDirectory.journalName
    guard let file = try files.openIfPresent(name, in: root.descriptor, as: .reading, at: name) else { return nil }
    let own = try files.regularStatus(of: file.descriptor, at: name)
    let bytes = try files.contents(of: file.descriptor, own, limit: Journal.byteLimit, at: name)
    let journal = try Journal(parsing: bytes)
    do throws(StoreError) {
      try requireComplete(journal)
    } catch {
      // A writer may have finished this journal, and the next may have moved its files on.
      let now = try journalStatus()
      guard let now, now.isSameFile(as: own) else { return try self.overlay() }
      throw error
    }
    let overlay = journal.overlay
    overlayCache.store(overlay, of: file, own)
    return overlay
  }
}
