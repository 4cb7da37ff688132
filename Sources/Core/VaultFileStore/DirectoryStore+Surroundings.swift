package import VaultStorage
internal import VaultSystem

// What stands around the documents of a vault, for those who look whether all is well.

extension DirectoryStore {
  /// Where something else stands than this program works with: a link, FIFO, socket or device in the place of a folder
  /// or of the lock's file. Each as the error that a writer meets there.
  package func workFaults() -> [StoreError] {
    var faults: [StoreError] = []
    for directory in [StoreDirectory.records, .slots, .staging, .trash, .attachments] {
      do throws(StoreError) { _ = try withDirectory(directory) { _ in } } catch { faults.append(error) }
    }
    let name = StoreDirectory.lockName
    switch (try? files.operations.status(of: name, in: root.descriptor, followingLink: false))?.kind {
    case .regular?, nil: break
    case .symbolicLink?:
      faults.append(StoreError(.symbolicLink, reason: "a symbolic link, which is not followed", path: name))
    case .directory?, .other?: faults.append(StoreError(.notARegularFile, reason: "not a regular file", path: name))
    }
    return faults
  }

  /// Gives the small files that lie in the vault's folder or among its slots and are none of its documents to `body`,
  /// with their paths below it. What cannot be read is passed over.
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
