import Synchronization
import Testing
import VaultBackup
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Backups: attachments")
struct BackupAttachmentTests {
  /// Gives a content in pieces that fit no chunk.
  private static func source(_ name: String, _ content: [UInt8]) -> AttachmentSource {
    let rest = Mutex(content[...])
    return AttachmentSource(name: name) {
      rest.withLock { rest in
        let piece = rest.prefix(50_001)
        rest = rest.dropFirst(piece.count)
        return Array(piece)
      }
    }
  }

  private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  /// A vault with a record and a removed one, each of which has an attachment.
  private func attached() async throws -> (bench: BackupBench, live: RecordID, removed: RecordID) {
    let bench = try await BackupBench(records: 1)
    let (live, removed) = (try await bench.add("live"), try await bench.add("removed"))
    try await bench.vault.attach([Self.source("big", Self.content(200_000))], to: live)
    try await bench.vault.attach([Self.source("empty", [])], to: removed)
    try await bench.vault.remove([removed])
    return (bench, live, removed)
  }

  private func files(_ bench: BackupBench) -> [String] {
    FileTree.files(below: bench.path).filter { $0.hasPrefix("attachments/") }
  }

  /// The attachments that a record below a folder names and that are missing, after opening the vault has finished
  /// committed work.
  private func missing(below path: String) -> [String] {
    _ = try? LockedVault(at: path)
    let files = BackupBench.files(of: path)
    return files.filter { $0.key.hasPrefix("records/") || $0.key.hasPrefix("trash/") }.values
      .flatMap { NamedAttachments(in: $0).attachments }
      .filter { files[StoreLocation.attachment($0.id).relativePath]?.count != $0.storedByteCount }.map(\.name)
  }

  @Test("a backup holds what records name, live and removed, and nothing that an interruption has left")
  func whole() async throws {
    let (bench, _, _) = try await attached()
    let there = BackupBench.files(of: bench.path)
    let stray = try #require(files(bench).first).prefix(17) + "000000-0000-0000-0000-000000000000"
    FileTree.write([1], to: bench.path + "/" + stray)
    for isLocked in [false, true] {
      let made = try await bench.create(proven: true, locked: isLocked)
      #expect(made.attachmentCount == 2)
      let (contents, vault) = try await bench.open(made)
      #expect(contents.attachmentCount == 2)
      #expect(try await contents.verify(with: vault).isGood)
      let path = bench.folder.path + "/restored-\(isLocked)"
      _ = try await bench.restore(made, to: path) { $0.acceptsUnattested = true }
      #expect(BackupBench.files(of: path) == there)
      #expect(
        try await LockedVault(at: path).unlock(with: .identity(bench.identity), options: Vault.Options(state: nil))
          .verify().isGood)
    }
  }

  @Test("an attachment that is missing, changed or cut ends a backup, which names it; there is no file")
  func damaged() async throws {
    for change in ["missing", "changed", "cut", "longer"] {
      let (bench, _, _) = try await attached()
      for file in files(bench) {
        let path = bench.path + "/" + file
        let bytes = try #require(FileTree.contents(of: path))
        switch change {
        case "missing": FileTree.remove(path)
        case "changed": FileTree.write([bytes[0] ^ 1] + bytes.dropFirst(), to: path)
        case "cut": FileTree.write(bytes.dropLast(), to: path)
        default: FileTree.write(bytes + [0], to: path)
        }
        let error = await #expect(throws: VaultError.self) { try await bench.create() }
        #expect(error?.code == .damaged, "\(change): \(String(describing: error))")
        #expect(error?.file == file, "\(change): \(String(describing: error))")
        #expect(FileTree.names(in: bench.target).filter { $0.hasSuffix(".age") || $0.hasSuffix(".tmp") }.isEmpty)
        FileTree.write(bytes, to: path)
      }
      try await bench.create()
    }
  }

  @Test("with a record that cannot be read all attachments go along, since it may name any")
  func unreadable() async throws {
    let (bench, live, _) = try await attached()
    let file = bench.path + "/" + StoreLocation.record(live).relativePath
    FileTree.write(Array(#"{"$vault": {"attachments": 1}}"#.utf8), to: file)
    let made = try await bench.create(locked: true)
    #expect(made.attachmentCount == 2)
    #expect(try await bench.open(made).contents.attachmentCount == 2)
  }

  @Test("a single record brings its attachments: where they are gone, where one is damaged, and where all is there")
  func single() async throws {
    let (bench, live, removed) = try await attached()
    let made = try await bench.create()
    let (contents, vault) = try await bench.open(made)
    let there = files(bench).map { ($0, FileTree.contents(of: bench.path + "/" + $0)) }
    let records = try contents.records(named: [live.text, removed.text], with: vault)
    #expect(records.map(\.attachmentCount) == [1, 1])
    for file in there { FileTree.write([1], to: bench.path + "/" + file.0) }
    #expect(try await contents.bringBack([records[0]], into: bench.vault).isEmpty)
    #expect(try await contents.bringBack(records, into: bench.vault) == [removed])
    for (name, bytes) in there { #expect(FileTree.contents(of: bench.path + "/" + name) == bytes) }
    try await bench.vault.remove([live, removed])
    _ = try await bench.vault.emptyTrash()
    #expect(files(bench).isEmpty)
    #expect(try await contents.bringBack(records, into: bench.vault).count == 2)
    #expect(files(bench) == there.map(\.0))
    #expect(try await bench.vault.verify().isGood)
  }

  @Test(
    "a record from before a rotation comes back with its attachments, sealed anew, and leaves no file that none names",
    arguments: [KeyringEntry.Reason.rewrap, .reseal], [false, true])
  func otherKey(_ reason: KeyringEntry.Reason, isLive: Bool) async throws {
    let (bench, live, removed) = try await attached()
    let made = try await bench.create()
    let (contents, vault) = try await bench.open(made)
    let records = try contents.records(named: [live.text, removed.text], with: vault)
    let old = files(bench)
    if isLive {
      try await bench.vault.attach([Self.source("later", [1])], to: live)
    } else {
      try await bench.vault.remove([live])
      _ = try await bench.vault.emptyTrash()
    }
    _ = try await bench.vault.rotate(reason)
    #expect(try await contents.bringBack(records, into: bench.vault).count == 2)
    #expect(Set(files(bench)).isDisjoint(with: old))
    #expect(isLive || files(bench).count == 2)
    let record = try await bench.vault.record(live)
    #expect(record.attachments.map(\.name) == ["big"])
    let found = Mutex<[UInt8]>([])
    try await bench.vault.read(try #require(record.attachments.first), of: record) { piece in
      found.withLock { $0 += piece }
    }
    #expect(found.withLock { $0 } == Self.content(200_000))
    #expect(try await bench.vault.verify().isGood)
    #expect(try await contents.bringBack(records, into: bench.vault).count == 2)
    #expect(try await bench.vault.verify().isGood)
  }

  @Test("a record from before a rotation whose file in the backup is another one brings nothing and leaves nothing")
  func otherKeyDamaged() async throws {
    let (bench, live, _) = try await attached()
    let made = try await bench.create()
    let (contents, vault) = try await bench.open(made)
    let records = try contents.records(named: [live.text], with: vault)
    try await bench.vault.remove([live])
    _ = try await bench.vault.emptyTrash()
    _ = try await bench.vault.rotate(.rewrap)
    let error = await #expect(throws: VaultError.self) {
      _ = try await bench.vault.bringBack(records) { ids, take throws(VaultError) in
        for id in ids { try take(id, [1, 2, 3], true) }
      }
    }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    #expect(files(bench).isEmpty)
    #expect(bench.vault.header.requirements.contains("attachments"))
  }

  @Test("writers go on while attachments are read; where one takes some away, all is read again, without them")
  func writersGoOn() async throws {
    for (isUnlocked, removes) in [(false, false), (true, false), (false, true), (true, true)] {
      let (bench, _, removed) = try await attached()
      let plain = try DirectoryStore(at: bench.path)
      let store = MeetingStore(plain) {
        do {
          let lock = try plain.lock(.exclusive, timeout: .zero, isWanted: { true }, onWait: { _ in })
          defer { lock.release() }
          guard removes, let bytes = try plain.read(.trash(removed)) else { return }
          try plain.apply([StoreChange(.trash(removed), from: bytes, to: nil)], under: lock)
          try plain.removeAttachments(NamedAttachments(in: bytes).attachments.map(\.id), under: lock)
        } catch {
          Issue.record("a writer had to wait: \(error)")
        }
      }
      let locked = try LockedVault(store: store)
      let source: Backup.Source =
        isUnlocked
        ? .unlocked(try await locked.unlock(with: .identity(bench.identity), options: Vault.Options(state: nil)))
        : .locked(locked)
      let made = try await Backup.create(
        of: source, in: BackupDirectory(at: bench.target), stem: "team", options: bench.options)
      #expect(store.isMet)
      #expect(made.recordCount == (removes ? 2 : 3))
      #expect(made.attachmentCount == (removes ? 1 : 2))
      let (contents, _) = try await bench.open(made)
      #expect(contents.attachmentCount == made.attachmentCount)
      let spooled = try await Backup.spool(of: source, in: bench.folder.path, options: bench.options)
      #expect(spooled.attachmentCount == made.attachmentCount)
    }
  }

  /// A backup with one attachment, of a vault that has another since.
  private func changed() async throws -> (bench: BackupBench, made: CreatedBackup, new: FolderState) {
    let bench = try await BackupBench(records: 0)
    let id = try await bench.add("record")
    let first = try await bench.vault.attach([Self.source("first", Self.content(70_000))], to: id)
    let made = try await bench.create()
    let new = BackupBench.files(of: bench.path)
    try await bench.vault.attach([Self.source("second", Self.content(10))], to: id)
    try await bench.vault.detach(first.map(\.id), from: id)
    return (bench, made, new)
  }

  @Test(
    "restore over a vault or beside other things: at no moment names a record a file that is not there",
    arguments: BackupFaultTests.Plan.allCases.filter { $0 != .failingReads }, [false, true])
  func faults(_ plan: BackupFaultTests.Plan, isInside: Bool) async throws {
    let (bench, made, new) = try await changed()
    let old = BackupBench.files(of: bench.path)
    for number in plan.numbers("restore, \(isInside)") {
      let folder = TemporaryFolder()
      let path = folder.path + "/w"
      FileTree.copy(bench.path, to: path)
      if isInside { FileTree.write([1], to: path + "/notes.txt") }
      let trial = plan.trial(number)
      _ = try? await bench.restore(made, to: path) { options in
        options.operations = trial.operations
        options.acceptsRollback = true
      }
      trial.end(at: folder.path)
      let call: Comment = "\(plan) at call \(number) (\(trial.operations.reachedCall ?? "none"))"
      for name in FileTree.names(in: folder.path) where !name.hasPrefix(".") {
        #expect(missing(below: folder.path + "/" + name).isEmpty, call)
      }
      if !isInside { #expect([old, new].contains(BackupBench.files(of: path)), call) }
      _ = try await bench.restore(made, to: path) { $0.acceptsRollback = true }
      var files = BackupBench.files(of: path)
      #expect(!isInside || files.remove("notes.txt") == [1], call)
      #expect(files == new, call)
      #expect(!FileTree.names(in: folder.path).contains(".w.restoring"), call)
      guard trial.operations.reachedCall != nil else { return }
    }
  }
}

/// A store that does something once, before the first attachment is read.
private final class MeetingStore: AttachmentStore, ForwardingStore {
  private let folder: DirectoryStore
  var store: any RecordStore { folder }
  private let meet: @Sendable () -> Void
  private let hasMet = Mutex(false)
  var isMet: Bool { hasMet.withLock { $0 } }

  init(_ store: DirectoryStore, _ meet: @escaping @Sendable () -> Void) { (folder, self.meet) = (store, meet) }

  func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    if case .attachment = location {
      let isFirst = hasMet.withLock { hasMet in
        defer { hasMet = true }
        return !hasMet
      }
      if isFirst { meet() }
    }
    return try store.reader(of: location)
  }

  func attachments() throws(StoreError) -> [AttachmentID] { try folder.attachments() }
  func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError) {
    try folder.removeAttachments(ids, under: lock)
  }
}
