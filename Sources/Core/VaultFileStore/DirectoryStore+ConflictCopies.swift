internal import VaultDocument
package import VaultStorage
internal import VaultSystem

// Conflict copies: other versions of documents, put beside them by a service that syncs the vault's folder.

extension DirectoryStore {
  /// The conflict copies beside the documents of the vault, sorted by their paths. Other kinds of entries than regular
  /// files are ignored.
  ///
  /// - Throws: like `read`.
  package func conflictCopies() throws(StoreError) -> [ConflictCopy] {
    var directories: [StoreDirectory] = [.root, .slots, .trash, .inbox]
    directories += try recordFolders().map(StoreDirectory.folder)
    for entry in try entries(of: .attachments) {
      if let folder = StoreDirectory.attachmentFolder(named: entry) { directories.append(folder) }
    }
    var copies: [ConflictCopy] = []
    for directory in directories { copies += try conflictCopies(in: directory) }
    return copies.sorted { precedesInBytes($0.relativePath, $1.relativePath) }
  }

  /// The conflict copies of the documents at these places.
  package func conflictCopies(of places: [StoreLocation]) throws(StoreError) -> [ConflictCopy] {
    var copies: [ConflictCopy] = []
    for directory in Set(places.map(\.directory)) { copies += try conflictCopies(in: directory) }
    return copies.filter { places.contains($0.place) }
  }

  private func conflictCopies(in directory: StoreDirectory) throws(StoreError) -> [ConflictCopy] {
    try entries(of: directory).filter { $0.isExact && !$0.isHidden && [.regular, nil].contains($0.kind) }
      .compactMap { ConflictCopy(relativePath: directory.path(of: $0.name)) }
  }

  /// The bytes of a conflict copy; nil if it is gone.
  ///
  /// - Throws: like `read`.
  package func read(_ copy: ConflictCopy) throws(StoreError) -> [UInt8]? {
    let bytes = try withDirectory(copy.place.directory) { (directory) throws(StoreError) in
      try files.contents(
        of: copy.fileName, in: directory, limit: copy.place.byteLimit, at: copy.relativePath)
    }
    return bytes ?? nil
  }

  /// Moves a conflict copy into another folder. A missing one is ignored.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  package func setAside(_ copy: ConflictCopy, in folder: AsideFolder, under lock: any StoreLock) throws(StoreError) {
    requireExclusive(lock)
    let name = copy.relativePath.split(separator: "/").joined(separator: "-")
    _ = try withDirectory(copy.place.directory) { (directory) throws(StoreError) in
      do throws(StoreError) {
        try folder.take(copy.fileName, from: directory, as: name, at: copy.relativePath)
      } catch {
        guard error.errno == Errno.missing.number else { throw error }
      }
      try files.sync(directory, at: copy.relativePath)
    }
  }
}
