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

@Suite("A vault's directory") struct DirectoryStoreTests {
  private func mode(_ path: String) -> UInt32 {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("directories are 0700 and files 0600, also after replacing")
  func modes() throws {
    let vault = try StoreFolder()
    let id = RecordID.random()
    try vault.store.apply([.put(.record(id), [1])])
    try vault.store.apply([StoreChange(.record(id), from: [1], to: [2]), .put(.trash(id), [3])])
    for directory in ["", "records", "records/\(id.folderName)", "slots", "trash", ".staging"] {
      #expect(mode(vault[directory]) == 0o700, "\(directory)")
    }
    let files = FileTree.files(below: vault.path)
    #expect(files.count == 6)
    for file in files { #expect(mode(vault[file]) == 0o600, "\(file)") }
  }

  @Test("creating writes what git needs")
  func gitFiles() throws {
    let vault = try StoreFolder()
    let attributes = FileTree.contents(of: vault[".gitattributes"]) ?? []
    let lines =
      "*.json text eol=lf\n*.jsonl text eol=lf\nslots/*.age binary\nattachments/** binary\ninbox/*.age binary\n"
    #expect(String(decoding: attributes, as: UTF8.self) == lines)
    let ignored = FileTree.contents(of: vault[".gitignore"]) ?? []
    #expect(String(decoding: ignored, as: UTF8.self) == ".lock\n.staging/\n.journal.json\n")
  }

  @Test("creating in a directory that holds other things keeps them and appends what is missing")
  func existingDirectory() throws {
    let folder = TemporaryFolder()
    FileTree.write(Array("build\r\n.lock\r\n*.swp".utf8), to: folder.path + "/.gitignore")
    FileTree.write(Array("mine".utf8), to: folder.path + "/notes.txt")
    try DirectoryStore.create(at: folder.path)
    let text = String(decoding: FileTree.contents(of: folder.path + "/.gitignore") ?? [], as: UTF8.self)
    #expect(text == "build\r\n.lock\r\n*.swp\n.staging/\n.journal.json\n")
    #expect(FileTree.contents(of: folder.path + "/notes.txt") == Array("mine".utf8))
    try DirectoryStore.create(at: folder.path)
    let again = FileTree.contents(of: folder.path + "/.gitignore") ?? []
    #expect(again == Array(text.utf8), "a second time changes nothing")
  }

  @Test("creating over a vault, without a parent, or over a file is refused by name")
  func refusedCreation() throws {
    let vault = try StoreFolder()
    #expect(code { () throws(StoreError) in try DirectoryStore.create(at: vault.path) } == .alreadyExists)
    #expect(code { () throws(StoreError) in try DirectoryStore.create(at: vault["no/such"]) } == .missing)
    #expect(code { () throws(StoreError) in try DirectoryStore.create(at: vault["vault.json"]) } == .notADirectory)
    #expect(FileTree.contents(of: vault["vault.json"]) == [0])
  }

  @Test("what is no vault is not opened")
  func refusedOpening() throws {
    let folder = TemporaryFolder()
    func opening(_ path: String) -> StoreError.Code? {
      code { () throws(StoreError) in _ = try DirectoryStore(at: path) }
    }
    #expect(opening(folder.path) == .notAVault)
    #expect(opening(folder.path + "/none") == .missing)
    FileTree.write([1], to: folder.path + "/file")
    #expect(opening(folder.path + "/file") == .notADirectory)
    #expect(FileTree.names(in: folder.path) == ["file"], "opening makes nothing")
  }

  @Test("the path to a vault may lead over a link, and a clone without empty directories is whole")
  func linkAndClone() throws {
    let vault = try StoreFolder()
    for name in ["records", "trash", "slots", ".staging", ".lock"] { FileTree.remove(vault[name]) }
    unsafe #expect(symlink(vault.path, vault.path + "-link") == 0)
    let store = try DirectoryStore(at: vault.path + "-link")
    #expect(try store.trashed() == [])
    #expect(try store.records(inFolder: 3) == [])
    #expect(try store.strayEntries() == [])
    let id = RecordID.random()
    try store.apply([.put(.record(id), [1]), .put(.trash(.random()), [2])])
    #expect(try store.read(.record(id)) == [1])
  }

  @Test("a writer notices that the vault's directory was replaced")
  func replacedDirectory() throws {
    let vault = try StoreFolder()
    unsafe #expect(rename(vault.path, vault.path + "-old") == 0)
    #expect(code { () throws(StoreError) in try vault.store.apply([.put(.checkpoint, [1])]) } == .changedUnderneath)
    try DirectoryStore.create(at: vault.path)
    #expect(code { () throws(StoreError) in try vault.store.apply([.put(.checkpoint, [1])]) } == .changedUnderneath)
    #expect(try vault.store.read(.header) == [0], "a reader keeps what it opened")
  }

  @Test("short reads and writes are continued")
  func shortCounts() throws {
    let vault = try StoreFolder()
    let store = try vault.reopen(FaultyFileOperations(recorder: SimulatedDisk(), chunkByteCount: 3))
    let bytes = (0..<100).map { UInt8($0) }
    try store.apply([.put(.checkpoint, bytes)])
    #expect(try store.read(.checkpoint) == bytes)
    #expect(try vault.store.read(.checkpoint) == bytes)
  }

  @Test("what reads back differently is not put in place")
  func unverifiedWrite() throws {
    let vault = try StoreFolder()
    let operations = FaultyFileOperations(recorder: SimulatedDisk()) { bytes in
      if bytes.first == 77 { bytes[0] = 78 }
    }
    let store = try vault.reopen(operations)
    #expect(code { () throws(StoreError) in try store.apply([.put(.checkpoint, [77, 1])]) } == .unverifiedWrite)
    let batch = (0..<12).map { _ in StoreChange.put(.record(.random()), [77]) }
    #expect(code { () throws(StoreError) in try store.apply(batch) } == .unverifiedWrite)
    #expect(FileTree.names(in: vault[".staging"]).isEmpty)
    #expect(try store.read(.checkpoint) == nil)
  }

  @Test("a checkpoint under its earlier name is a place like any other, and goes when it is replaced or removed")
  func earlierCheckpoint() throws {
    for new in [[2], nil] as [[UInt8]?] {
      let vault = try StoreFolder()
      FileTree.write([1], to: vault["checkpoint.json"])
      #expect(try vault.store.places().contains(.checkpoint))
      #expect(try vault.store.read(.checkpoint) == [1])
      try vault.store.apply([StoreChange(.checkpoint, from: [1], to: new)])
      #expect(try vault.store.read(.checkpoint) == new)
      #expect(FileTree.contents(of: vault["checkpoint.json"]) == nil)
    }
  }

  @Test("a batch over all folders needs few descriptors, and none stays open")
  func descriptors() throws {
    let vault = try StoreFolder()
    let operations = FaultyFileOperations(recorder: SimulatedDisk())
    var store: DirectoryStore? = try vault.reopen(operations)
    let ids = (0..<256).map { RecordID(bytes: [UInt8($0)] + Array(repeating: 7, count: 15)) }
    try store?.apply(ids.map { .put(.record($0), [1]) })
    try store?.apply(ids.map { StoreChange(.record($0), from: [1], to: nil) })
    #expect(operations.maximumOpenCount <= 8, "\(operations.maximumOpenCount) open")
    store = nil
    #expect(operations.openCount == 0)
  }
}
