import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport
import VaultSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("The journal of a batch") struct JournalTests {
  private let id = RecordID(bytes: [0xab] + Array(repeating: 1, count: 15))
  private let staged = "cd000000-0000-0000-0000-000000000001"

  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  /// A vault whose writer died after committing a batch: `id` to the trash, and one new record.
  private func makeCommitted() throws -> (vault: StoreFolder, new: RecordID) {
    let new = RecordID(bytes: [0xcd] + Array(repeating: 2, count: 15))
    let changes = [StoreChange(.record(id), from: [1], to: nil), .put(.trash(id), [2]), .put(.record(new), [3])]
    for number in 1... {
      let vault = try StoreFolder()
      try vault.store.apply([.put(.record(id), [1])])
      let operations = FaultyFileOperations(.dying, at: number, recorder: SimulatedDisk())
      _ = try? vault.reopen(operations).apply(changes)
      if FileTree.contents(of: vault[".journal.json"]) != nil { return (vault, new) }
    }
    preconditionFailure("no batch was committed")
  }

  /// Holds the vault's lock, as another reader would, while `body` runs.
  private func whileLocked(_ vault: StoreFolder, _ body: () throws -> Void) throws {
    let system = LiveFileOperations()
    let file = try system.open(vault[".lock"], in: OpenPurpose.noDirectory, as: .locking)
    defer { system.close(file) }
    #expect(try system.tryLock(file, isShared: true))
    try body()
  }

  @Test("who may not finish a committed batch sees its new state")
  func overlay() throws {
    let (vault, new) = try makeCommitted()
    try whileLocked(vault) {
      let store = try vault.reopen()
      #expect(FileTree.contents(of: vault[.record(id)]) == [1], "still in place")
      #expect(try store.read(.record(id)) == nil)
      #expect(try store.read(.trash(id)) == [2])
      #expect(try store.read(.record(new)) == [3])
      #expect(try store.records(inFolder: id.folder) == [])
      #expect(try store.records(inFolder: new.folder) == [new])
      #expect(try store.trashed() == [id])
      var seen: [RecordID: [UInt8]] = [:]
      for folder in [id.folder, new.folder] {
        try store.readRecords(inFolder: folder) { id, result in
          seen[id] = try? result.get()
          return true
        }
      }
      #expect(seen == [new: [3]])
      guard case .pending(let places) = try store.journalState() else { throw StoreConformanceFailure() }
      #expect(Set(places) == [.record(id), .trash(id), .record(new)])
    }
    #expect(FileTree.contents(of: vault[".journal.json"]) != nil, "a reader leaves it")
  }

  private struct StoreConformanceFailure: Error {}

  @Test("on a read-only mount a committed batch is seen, readers may lock and writers are told why not")
  func readOnlyMount() throws {
    let (vault, new) = try makeCommitted()
    let store = try vault.reopen(FaultyFileOperations(isReadOnly: true))
    let lock = try store.lock(.shared, timeout: .zero, onWait: { _ in })
    #expect(try store.read(.record(id)) == nil)
    #expect(try store.read(.trash(id)) == [2])
    #expect(try store.read(.record(new)) == [3])
    lock.release()
    #expect(code { () throws(StoreError) in try store.apply([.put(.checkpoint, [1])]) } == .readOnly)
    FileTree.remove(vault[".lock"])
    try store.lock(.shared, timeout: .zero, onWait: { _ in }).release()
    #expect(FileTree.contents(of: vault[".journal.json"]) != nil)
    #expect(FileTree.kind(of: vault[".lock"]) == nil)
  }

  @Test("the next to open, to lock or to write finishes it")
  func finishing() throws {
    let ways: [(DirectoryStore) throws -> Void] = [
      { try $0.lock(.shared, timeout: .zero, onWait: { _ in }).release() },
      { try $0.lock(.exclusive, timeout: .zero, onWait: { _ in }).release() },
      { try $0.apply([.put(.checkpoint, [1])]) },
    ]
    for way in ways {
      let (vault, new) = try makeCommitted()
      try way(vault.store)
      #expect(FileTree.contents(of: vault[".journal.json"]) == nil)
      #expect(FileTree.names(in: vault[".staging"]).isEmpty)
      #expect(FileTree.contents(of: vault[.record(id)]) == nil)
      #expect(FileTree.contents(of: vault[.trash(id)]) == [2])
      #expect(FileTree.contents(of: vault[.record(new)]) == [3])
      guard case .none = try vault.store.journalState() else { throw StoreConformanceFailure() }
    }
  }

  static let forgeries: [String] = [
    "", "[]", "{}", "null", #"{"entries":[]"#, #"{"entries":[],"entries":[]}"#, #"{"entries":{}}"#,
    #"{"entries":[{"path":"RECORD"}]}"#, #"{"entries":["RECORD"]}"#,
    #"{"entries":[{"path":"RECORD","staged":"STAGED","more":1}]}"#,
    #"{"entries":[{"path":"RECORD","staged":1}]}"#,
    #"{"entries":[{"path":"RECORD","staged":"../vault.json"}]}"#,
    #"{"entries":[{"path":"RECORD","staged":"/etc/passwd"}]}"#,
    #"{"entries":[{"path":"RECORD","staged":""}]}"#,
    #"{"entries":[{"path":"RECORD","staged":"REMOVE"}]}"#,
    #"{"entries":[{"path":"../../outside","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"/tmp/outside","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"vault.json","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"vault.json","staged":"remove"}]}"#,
    #"{"entries":[{"path":"checkpoint.jsonl","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"slots/ID.age","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":".gitignore","staged":"remove"}]}"#,
    #"{"entries":[{"path":"records/ab/../ab/ID.json","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"records/ac/ID.json","staged":"STAGED"}]}"#,
    #"{"entries":[{"path":"RECORD","staged":"STAGED"},{"path":"RECORD","staged":"remove"}]}"#,
    #"{"entries":[{"path":"RECORD","staged":"STAGED"},{"path":"trash/ID.json","staged":"STAGED"}]}"#,
  ]

  @Test("a forged journal moves nothing; header and slots stay readable, records are refused", arguments: forgeries)
  func forged(_ form: String) throws {
    let vault = try StoreFolder()
    try vault.store.apply([.put(.record(id), [1])])
    try vault.store.apply([.put(.slot(id), [5])])
    var text = form
    for (name, value) in [("RECORD", StoreLocation.record(id).relativePath), ("STAGED", staged), ("ID", id.text)] {
      text = text.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
    }
    FileTree.write(Array(text.utf8), to: vault[".staging/" + staged])
    FileTree.write(Array(text.utf8), to: vault[".journal.json"])
    let before = FileTree.files(below: vault.path)
    let store = try vault.reopen()
    #expect(try store.read(.header) == [0])
    #expect(try store.read(.slot(id)) == [5])
    #expect(code { () throws(StoreError) in _ = try store.read(.record(id)) } == .malformedJournal)
    #expect(code { () throws(StoreError) in _ = try store.trashed() } == .malformedJournal)
    #expect(code { () throws(StoreError) in try store.apply([.put(.trash(id), [1])]) } == .malformedJournal)
    #expect(FileTree.files(below: vault.path) == before, "nothing moved")
    guard case .malformed(let error) = try store.journalState() else { throw StoreConformanceFailure() }
    #expect(error.path == ".journal.json")
    #expect(!error.description.contains("\n"))
    let aside = try AsideFolder(creatingAt: vault.path + ".aside")
    defer { FileTree.remove(aside.path) }
    try store.withLock(.exclusive) { lock throws(StoreError) in
      try store.setAsideJournalAndStagedChanges(in: aside, under: lock)
    }
    #expect(try store.read(.record(id)) == [1])
    try store.apply([.put(.trash(id), [1])])
  }

  @Test("a journal that is a link, a FIFO or too large is refused")
  func impostors() throws {
    for impostor in 0..<4 {
      let vault = try StoreFolder()
      try vault.store.apply([.put(.record(id), [1])])
      let path = vault[".journal.json"]
      switch impostor {
      case 0: unsafe #expect(symlink(vault["vault.json"], path) == 0)
      case 1: unsafe #expect(mkfifo(path, 0o600) == 0)
      case 2: unsafe #expect(mkdir(path, 0o700) == 0)
      default:
        FileTree.write([0x7b], to: path)
        unsafe #expect(truncate(path, 1 << 40) == 0)
      }
      let store = try vault.reopen()
      let code = code { () throws(StoreError) in _ = try store.read(.record(id)) }
      #expect(code == [.symbolicLink, .notARegularFile, .notARegularFile, .tooLarge][impostor])
      guard case .malformed = try store.journalState() else { throw StoreConformanceFailure() }
    }
  }

  @Test("a staged file that is a link is not put in place")
  func stagedLink() throws {
    let (vault, new) = try makeCommitted()
    for name in FileTree.names(in: vault[".staging"]) {
      FileTree.remove(vault[".staging/" + name])
      unsafe #expect(symlink(vault["vault.json"], vault[".staging/" + name]) == 0)
    }
    let store = try vault.reopen()
    #expect(code { () throws(StoreError) in try store.apply([.put(.checkpoint, [1])]) } == .malformedJournal)
    #expect(FileTree.contents(of: vault[.record(id)]) == [1])
    #expect(code { () throws(StoreError) in _ = try store.read(.record(new)) } == .malformedJournal)
  }

  @Test("a journal whose new files are gone hides no record from readers")
  func goneFilesHideNothing() throws {
    let vault = try StoreFolder()
    try vault.store.apply([.put(.record(id), [1])])
    let moved = "{\"entries\":[{\"path\":\"\(StoreLocation.trash(id).relativePath)\",\"staged\":\"\(staged)\"},"
    let removed = "{\"path\":\"\(StoreLocation.record(id).relativePath)\",\"staged\":\"remove\"}]}"
    FileTree.write(Array((moved + removed).utf8), to: vault[".journal.json"])
    let store = try vault.reopen()
    for place in [StoreLocation.record(id), .trash(id)] {
      #expect(code { () throws(StoreError) in _ = try store.read(place) } == .malformedJournal)
    }
    #expect(code { () throws(StoreError) in _ = try store.records(inFolder: id.folder) } == .malformedJournal)
    #expect(FileTree.contents(of: vault[.record(id)]) == [1])
  }

  @Test("nothing is removed in the name of a journal whose new files are gone")
  func goneFiles() throws {
    let (vault, _) = try makeCommitted()
    for name in FileTree.names(in: vault[".staging"]) { FileTree.remove(vault[".staging/" + name]) }
    let store = try vault.reopen()
    #expect(code { () throws(StoreError) in try store.apply([.put(.checkpoint, [1])]) } == .malformedJournal)
    #expect(FileTree.contents(of: vault[.record(id)]) == [1], "the only copy stays")
  }
}
