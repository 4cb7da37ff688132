public import VaultStorage
internal import VaultSystem

/// The state of a batch that may not be in place yet.
public enum JournalState: Sendable {
  /// There is no journal.
  case none
  /// A committed batch that readers already see; the next writer puts these places in order.
  case pending([StoreLocation])
  /// The journal is invalid or its files are gone: records can neither be read nor written until a person decides.
  case malformed(StoreError)
}

extension DirectoryStore {
  /// The state of the journal, for repair and status.
  ///
  /// - Throws: `StoreError`, like `read`, except for the errors in `.malformed`.
  public func journalState() throws(StoreError) -> JournalState {
    do throws(StoreError) {
      guard let journal = try readJournal() else { return .none }
      try requireComplete(journal)
      return .pending(journal.entries.map(\.location))
    } catch {
      switch error.code {
      case .malformedJournal, .symbolicLink, .notARegularFile, .tooLarge: return .malformed(error)
      default: throw error
      }
    }
  }

  /// The same vault without its journal, for repair if the journal is malformed.
  ///
  /// It is only for reading; it cannot lock or write.
  ///
  /// - Throws: `StoreError`, like `read`.
  public func withoutJournal() throws(StoreError) -> DirectoryStore {
    let again = try files.open(".", in: root.descriptor, as: .directory, at: path)
    return DirectoryStore(root: again, path: path, files: files, ignoresJournal: true)
  }

  /// Moves a malformed journal and every staged file into another folder; readers then see the files without it.
  ///
  /// The journal goes last, so that the move can be repeated after a crash: without a journal, staged files are
  /// leftovers.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  package func setAsideJournalAndStagedChanges(in folder: AsideFolder, under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    _ = try withDirectory(.staging) { (staging) throws(StoreError) in
      for entry in try entries(of: .staging) where entry.isExact {
        try folder.take(entry.name, from: staging, as: "staged-" + entry.name, at: StoreDirectory.staging.path)
      }
    }
    let name = StoreDirectory.journalName
    try folder.take(name, from: root.descriptor, as: "journal.json", at: name)
    try files.sync(root.descriptor, at: name)
  }

  /// Moves the entry at a place into another folder, even a link, a directory or a device.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  package func setAside(
    _ location: StoreLocation, in folder: AsideFolder, as name: String, under lock: any StoreLock
  ) throws(StoreError) {
    requireExclusive(lock)
    _ = try withDirectory(location.directory) { (directory) throws(StoreError) in
      try folder.take(location.fileName, from: directory, as: name, at: location.relativePath)
      try files.sync(directory, at: location.relativePath)
    }
    written.note([location], madeOrRemoved: true)
  }

  /// The vault's folder and its content except records, if others than the owner may read them. Paths are as given or
  /// below the vault. Empty if the folder itself excludes others, and in a work tree of git, which makes files readable
  /// again with each pull.
  public func placesOpenToOthers() -> [String] { isInGitWorkTree ? [] : places { $0.isOpenToOthers } }

  /// Like `placesOpenToOthers()`, for places to which everybody may write.
  public func placesWritableByAll() -> [String] { places { $0.isWritableByAll } }

  /// The vault's folder and the entries in it that `isMeant` accepts; empty if that folder is closed to others, or its
  /// status is unknown.
  private func places(where isMeant: (FileStatus) -> Bool) -> [String] {
    let root = root.descriptor
    guard let own = try? files.operations.status(of: root), own.isOpenToOthers else { return [] }
    let slots = (try? entries(of: .slots).filter(\.isExact)) ?? []
    let found = ["vault.json", "slots", "records", "trash", "attachments", "inbox"].filter {
      status(of: $0, in: root).map(isMeant) == true
    }
    let foundSlots = try? withDirectory(.slots) { (directory) throws(StoreError) in
      slots.map(\.name).sorted().filter { status(of: $0, in: directory).map(isMeant) == true }
    }
    return (isMeant(own) ? [path] : []) + found + ((foundSlots ?? nil) ?? []).map(StoreDirectory.slots.path(of:))
  }

  package var isInGitWorkTree: Bool {
    var place = "."
    while let here = status(of: place, in: root.descriptor) {
      if status(of: place + "/.git", in: root.descriptor) != nil { return true }
      place += "/.."
      guard let above = status(of: place, in: root.descriptor), !above.isSameFile(as: here) else { return false }
    }
    return false
  }

  private func status(of name: String, in directory: Int32) -> FileStatus? {
    try? files.operations.status(of: name, in: directory, followingLink: false)
  }
}
