package import VaultStorage
internal import VaultSystem

// The surroundings of the vault's documents, for checks.

extension DirectoryStore {
  /// The errors that a writer will meet because something wrong stands in the place of a folder or of the lock's file:
  /// a link, FIFO, socket or device.
  package func workFaults() -> [StoreError] {
    var faults: [StoreError] = []
    for directory in [StoreDirectory.records, .slots, .staging, .trash, .attachments, .inbox] {
      do throws(StoreError) { _ = try withDirectory(directory) { _ in } } catch { faults.append(error) }
    }
    let name = StoreDirectory.lockName
    switch (try? files.operations.status(of: name, in: root.descriptor, followingLink: false))?.kind {
    case .regular?, nil: break
    case .symbolicLink?:
      faults.append(StoreError(.symbolicLink, reason: "is a symbolic link, which is not followed", path: name))
    case .directory?, .other?: faults.append(StoreError(.notARegularFile, reason: "is not a regular file", path: name))
    }
    return faults
  }

  /// Gives `body` the small files in the vault's folder or among its slots that are not documents of the vault, with
  /// their paths below it. Unreadable files are skipped.
  package func forEachForeignFile(_ body: (String, [UInt8]) -> Void) {
    let limit = 1 << 20
    let own: Set<String> = [
      StoreLocation.header.fileName, StoreLocation.checkpoint.fileName, StoreDirectory.journalName,
    ]
    for directory in [StoreDirectory.root, .slots] {
      let names = ((try? entries(of: directory)) ?? []).filter {
        $0.isExact && $0.kind != .directory && directory.identifier(of: $0) == nil
      }
      .map(\.name).sorted()
      try? withDirectory(directory) { (file) throws(StoreError) in
        for name in names where directory != .root || !own.contains(name) {
          let path = directory.path(of: name)
          if let bytes = try? files.contents(of: name, in: file, limit: limit, at: path) { body(path, bytes) }
        }
      }
    }
  }
}
