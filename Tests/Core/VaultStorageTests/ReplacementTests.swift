import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("All records replaced at once") struct ReplacementTests {
  private static let ids = (0..<4).map { RecordID(bytes: [7, UInt8($0)] + Array(repeating: 0, count: 14)) }

  private func makeVault() throws -> StoreFolder {
    let vault = try StoreFolder()
    try vault.store.apply(Self.ids.map { .put(.record($0), [1]) })
    return vault
  }

  /// Replaces every record by `[2]`; another writer of the same vault.
  private func replaceAll(_ vault: StoreFolder) throws {
    let store = try vault.reopen()
    try store.withLock(.exclusive) { lock throws(StoreError) in
      let replacement = try store.replacement(under: lock)
      for folder in try store.recordFolders() {
        try replacement?.read(store.records(inFolder: folder), inFolder: folder) { _, _ in true }
      }
      try replacement?.stage(Self.ids.map { ($0, [2]) })
      try replacement?.commit()
      replacement?.end()
    }
  }

  @Test("a folder that is read meanwhile shows the old state and then the new one, and misses nothing")
  func readingFolder() throws {
    let vault = try makeVault()
    var seen: [[UInt8]] = []
    try vault.store.readRecords(inFolder: 7) { id, bytes in
      seen.append((try? bytes.get()) ?? [])
      if id == Self.ids[0] { #expect(throws: Never.self) { try replaceAll(vault) } }
      return true
    }
    #expect(seen == [[1], [2], [2], [2]])
  }

  @Test("whoever reads and lists while records are replaced again and again misses none")
  func manyTimes() async throws {
    let vault = try makeVault()
    let (store, path) = (vault.store, vault.path)
    await withTaskGroup { group in
      group.addTask { for _ in 0..<60 { #expect(throws: Never.self) { try self.replaceAgain(at: path) } } }
      group.addTask {
        for _ in 0..<3000 {
          #expect((try? store.read(.record(Self.ids[2])))??.count == 1)
          #expect((try? store.records(inFolder: 7)) == Self.ids)
        }
      }
    }
  }

  private func replaceAgain(at path: String) throws {
    let store = try DirectoryStore(at: path)
    try store.withLock(.exclusive) { lock throws(StoreError) in
      let replacement = try store.replacement(under: lock)
      defer { replacement?.end() }
      var records: [(id: RecordID, bytes: [UInt8])] = []
      try replacement?.read(Self.ids, inFolder: 7) { id, bytes in
        records.append((id, (try? bytes.get()) ?? []))
        return true
      }
      try replacement?.stage(records)
      try replacement?.commit()
    }
  }

  @Test(
    "where something lies among the records that is none, nothing is replaced at once",
    arguments: ["records/.hidden", "records/07/.hidden", "records/07/notes.txt", "records/notes.txt", "records/0A/x"])
  func strays(_ name: String) throws {
    let vault = try makeVault()
    unsafe _ = mkdir(vault["records/0A"], 0o700)
    if !name.contains("0A") { FileTree.remove(vault["records/0A"]) }
    FileTree.write([1], to: vault[name])
    try vault.store.withLock(.exclusive) { lock throws(StoreError) in
      let replacement = try vault.store.replacement(under: lock)
      #expect(replacement == nil)
    }
    #expect(FileTree.contents(of: vault[name]) == [1])
    #expect(FileTree.names(in: vault[".staging"]).isEmpty)
  }

  @Test("something that comes among the records before the end stops the replacement and stays")
  func lateStray() throws {
    for name in ["records/.hidden", "records/07/.hidden", "records/notes.txt"] {
      let vault = try makeVault()
      try vault.store.withLock(.exclusive) { lock throws(StoreError) in
        let replacement = try vault.store.replacement(under: lock)
        try replacement?.read(Self.ids, inFolder: 7) { _, _ in true }
        try replacement?.stage([(Self.ids[0], [2])])
        FileTree.write([1], to: vault[name])
        #expect(throws: StoreError(.changedUnderneath, reason: "")) { try replacement?.commit() }
      }
      #expect(FileTree.contents(of: vault[name]) == [1])
      #expect(FileTree.contents(of: vault[.record(Self.ids[0])]) == [1])
      #expect(FileTree.names(in: vault[".staging"]).isEmpty)
    }
  }

  @Test("where folders cannot be exchanged there is no replacement, and nothing is left of the attempt")
  func notSupported() throws {
    let vault = try makeVault()
    let store = try vault.reopen(FaultyFileOperations(renames: .exclusiveAlone))
    try store.withLock(.exclusive) { lock throws(StoreError) in
      let replacement = try store.replacement(under: lock)
      #expect(replacement == nil)
    }
    #expect(FileTree.names(in: vault[".staging"]).isEmpty)
  }

  @Test("what a process left that died is deleted by the next, whichever folder it is")
  func leftovers() throws {
    for isCommitted in [false, true] {
      let vault = try makeVault()
      let staged = vault[".staging/cd000000-0000-0000-0000-000000000001"]
      for folder in [staged, staged + "/07"] { unsafe #expect(mkdir(folder, 0o700) == 0) }
      FileTree.write([isCommitted ? 1 : 2], to: staged + "/07/\(Self.ids[0].text).json")
      let store = try vault.reopen()
      #expect(FileTree.names(in: vault[".staging"]).isEmpty)
      #expect(try store.read(.record(Self.ids[0])) == [1])
    }
  }

  @Test("files of a replacement are 0600, its folders 0700")
  func modes() throws {
    let vault = try makeVault()
    try replaceAll(vault)
    let file = StoreLocation.record(Self.ids[0]).relativePath
    for (name, mode) in [("records", 0o700), ("records/07", 0o700), (file, 0o600)] {
      var status = stat()
      unsafe #expect(lstat(vault[name], &status) == 0)
      #expect(status.st_mode & 0o7777 == mode_t(mode), "\(name)")
    }
  }
}
