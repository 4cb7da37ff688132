import Testing
import VaultCommands
import VaultDocument
import VaultGitCommands
import VaultStorage
import VaultTestSupport

@Suite("A commit of git as a store", .enabled(if: GitBench.isThere))
struct GitStoreTests {
  private let workspace: Workspace
  private var folder: String { workspace.path + "/o p" }

  /// A repository of which `o p` is the vault's folder.
  init() throws {
    workspace = try Workspace()
    workspace.prepare("git init -q; mkdir 'o p'")
  }

  private func put(_ location: StoreLocation, _ bytes: [UInt8]) {
    let parts = location.relativePath.split(separator: "/").dropLast()
    workspace.prepare("mkdir -p 'o p/\(parts.joined(separator: "/"))'")
    FileTree.write(bytes, to: folder + "/" + location.relativePath)
  }

  private func commit(_ script: String = ":") {
    workspace.prepare("\(script); git add -A -f && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m x")
  }

  private func store(_ commit: String = "HEAD") throws(StoreError) -> GitStore {
    try GitStore(GitObjects(Git(at: folder)), commit: commit)
  }

  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) { try body() } catch { return error.code }
    return nil
  }

  @Test("every document is read as a folder has it, and lists are the same")
  func documents() throws {
    let ids = (0..<300).map { number -> RecordID in
      let start: [UInt8] = [UInt8(number % 3), UInt8(number * 91 % 256), UInt8(number / 256)]
      return RecordID(bytes: start + Array(repeating: 5, count: 13))
    }
    let memory = MemoryStore()
    var all: [(StoreLocation, [UInt8])] = [(.header, [1]), (.checkpoint, Array(repeating: 2, count: 200_000))]
    for (index, id) in ids.enumerated() {
      all.append((.record(id), Array(repeating: UInt8(index % 256), count: index * 50)))
      if index % 9 == 0 { all.append((.trash(id), Array("\(index)\n".utf8))) }
      if index % 50 == 0 { all.append((.slot(id), [])) }
    }
    for (location, bytes) in all {
      put(location, bytes)
      try memory.apply([.put(location, bytes)])
    }
    // Neither attributes nor the work tree count.
    commit("echo '* text eol=crlf filter=x' >.gitattributes; git config filter.x.smudge 'rm -rf'")
    workspace.prepare("rm -r 'o p/records'; echo changed >'o p/vault.json'")
    let store = try store()
    for (location, bytes) in all { #expect(try store.read(location) == bytes, "\(location)") }
    #expect(try store.read(.record(.random())) == nil)
    #expect(try store.read(.trash(.random())) == nil)
    #expect(try store.recordFolders() == memory.recordFolders())
    #expect(try store.trashed() == memory.trashed())
    #expect(try store.slots() == memory.slots())
    #expect(try store.strayEntries().isEmpty)
    try compareFolders(store, memory)
    let reader = try #require(try store.reader(of: .checkpoint))
    #expect(reader.byteCount == 200_000)
  }

  private func compareFolders(_ store: GitStore, _ memory: MemoryStore) throws {
    for folder in UInt8.min ... .max {
      let listed = try store.records(inFolder: folder)
      #expect(try listed == memory.records(inFolder: folder))
      var read: [RecordID] = []
      try store.read(listed.reversed() + [RecordID(bytes: [folder] + Array(repeating: 9, count: 15))], inFolder: folder)
      {
        id, bytes in
        read.append(id)
        #expect((try? bytes.get()) == (try? memory.read(.record(id))))
        return read.count < 60
      }
      #expect(read == Array(listed.reversed().prefix(60)))
    }
  }

  @Test("what is no file, or too large, is an error of its place alone; strays are listed")
  func misplaced() throws {
    let ids = (1...5).map { RecordID(bytes: [1] + Array(repeating: UInt8($0), count: 15)) }
    let paths = ids.map { "'o p/\(StoreLocation.record($0).relativePath)'" }
    put(.header, [1])
    put(.record(ids[0]), [7])
    put(.trash(ids[0]), [])
    commit(
      """
      ln -s ../../vault.json \(paths[1]); mkdir \(paths[2]); echo >\(paths[2])/x
      head -c \((16 << 20) + 1) /dev/zero >\(paths[3]); head -c \(16 << 20) /dev/zero >\(paths[4])
      cd 'o p'; echo >records/README; echo >records/01/notes.txt; echo >trash/.hidden; echo >records/02; mkdir records/AB
      ln -s 01 records/03; printf x >"trash/$(printf 'a\\033b\\nc\\377')"; echo >records/AB/x
      """)
    let store = try store()
    #expect(try store.records(inFolder: 1) == ids)
    #expect(try store.read(.record(ids[0])) == [7])
    #expect(code { () throws(StoreError) in _ = try store.read(.record(ids[1])) } == .symbolicLink)
    #expect(code { () throws(StoreError) in _ = try store.read(.record(ids[2])) } == .notARegularFile)
    #expect(code { () throws(StoreError) in _ = try store.read(.record(ids[3])) } == .tooLarge)
    #expect(try store.read(.record(ids[4]))?.count == 16 << 20)
    #expect(code { () throws(StoreError) in _ = try store.records(inFolder: 2) } == .notADirectory)
    #expect(code { () throws(StoreError) in _ = try store.records(inFolder: 3) } == .symbolicLink)
    var found: [Result<Int, StoreError>] = []
    try store.read(ids, inFolder: 1) { _, bytes in
      found.append(bytes.map(\.count))
      return true
    }
    #expect(
      found == [
        .success(1), .failure(StoreError(.symbolicLink, reason: "")),
        .failure(StoreError(.notARegularFile, reason: "")),
        .failure(StoreError(.tooLarge, reason: "")), .success(16 << 20),
      ])
    let strays =
      ids[1...2].map { StoreLocation.record($0).relativePath }
      + ["notes.txt", "02", "03", "AB", "README"].map { ($0 == "notes.txt" ? "records/01/" : "records/") + $0 }
    #expect(try store.strayEntries() == (strays + ["trash/a?b?c?"]).sorted())
  }

  @Test("nothing is written, and only a shared lock is given")
  func readOnly() throws {
    put(.header, [1])
    commit()
    let store = try store()
    let lock = try store.lock(.shared, timeout: .zero) { _ in }
    lock.release()
    #expect(code { () throws(StoreError) in _ = try store.lock(.exclusive, timeout: .zero) { _ in } } == .readOnly)
    #expect(code { () throws(StoreError) in try store.apply([.put(.checkpoint, [1])]) } == .readOnly)
    #expect(code { () throws(StoreError) in try store.apply([], under: lock) } == .readOnly)
    #expect(code { () throws(StoreError) in _ = try store.writer(of: .checkpoint, under: lock) } == .readOnly)
    #expect(code { () throws(StoreError) in _ = try store.batch(expecting: 1, under: lock) } == .readOnly)
    #expect(code { () throws(StoreError) in _ = try store.replacement(under: lock) } == .readOnly)
  }

  @Test("a commit without the folder, names that are none, and objects that are gone are told apart")
  func missing() throws {
    commit("echo >other")
    #expect(code { () throws(StoreError) in _ = try store() } == .notAVault)
    let id = RecordID(bytes: Array(repeating: 4, count: 16))
    put(.header, [1])
    put(.record(id), [4, 4])
    commit()
    #expect(code { () throws(StoreError) in _ = try store("HEAD^") } == .notAVault)
    let objects = GitObjects(Git(at: folder))
    for name in ["nosuch", "", "-x", "HEAD\nHEAD", "HEAD:./", String(repeating: "x", count: 9000)] {
      #expect(objects.blob(name, limit: 10) == nil, "\(name.prefix(20))")
    }
    #expect(objects.blob("HEAD:./vault.json", limit: 10) == [1], "and goes on")
    let found = try store()
    workspace.prepare("cd .git/objects; o=$(git rev-parse 'HEAD:o p/vault.json'); rm -f ${o%${o#??}}/${o#??}")
    #expect(code { () throws(StoreError) in _ = try found.read(.header) } == .ioFailed)
    #expect(try found.read(.record(id)) == [4, 4])
    workspace.prepare(
      "o=$(git rev-parse 'HEAD:o p/\(StoreLocation.record(id).relativePath)'); cd .git/objects/${o%${o#??}}; chmod u+w *; echo junk >${o#??}"
    )
    #expect(code { () throws(StoreError) in _ = try store().read(.record(id)) } == .ioFailed)
  }
}
