import Synchronization
import Testing
import VaultAge
import VaultBackup
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultStorage
import VaultTestSupport

/// Set once, and seen by all.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

/// Backups of a vault that changes meanwhile.
@Suite("Backups: what they hold")
struct BackupHistoryTests {
  /// The titles of the records of a vault, by their ids.
  private func titles(_ vault: Vault) async throws -> [RecordID: String] {
    Dictionary(uniqueKeysWithValues: try await vault.listed().records.map { ($0.id, $0.name) })
  }

  @Test("after a random history each backup restores to exactly the state that it was made of", arguments: 0..<4)
  func model(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = try await BackupBench(records: 2)
    var made: [(backup: CreatedBackup, files: FolderState)] = []
    for _ in 0..<40 {
      let ids = try await bench.vault.listed().records.map(\.id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: try await bench.add("record \(UInt16.random(in: .min ... .max, using: &random))")
      case 4..<6:
        if let id = ids.randomElement(using: &random) {
          try await bench.vault.update(id, as: Login.self) { $0.username = "changed" }
        }
      case 6: if let id = ids.randomElement(using: &random) { try await bench.vault.remove([id]) }
      case 7: _ = try await bench.vault.makeCheckpoint()
      case 8: _ = try await bench.vault.emptyTrash()
      default:
        let isLocked = Bool.random(using: &random)
        made.append((try await bench.create(proven: true, locked: isLocked), BackupBench.files(of: bench.path)))
      }
    }
    made.append((try await bench.create(), BackupBench.files(of: bench.path)))
    for (number, (backup, files)) in made.enumerated() {
      let path = bench.folder.path + "/restored-\(number)"
      _ = try await bench.restore(backup, to: path) { options in
        options.acceptsUnattested = true
        // After the trash was emptied, the checkpoint lists what is gone: as `vault verify` tells of the source.
        options.acceptsRollback = true
      }
      #expect(BackupBench.files(of: path) == files, "seed \(seed), backup \(number)")
    }
  }

  /// Adds batches of five records of one title, and removes each third of them again.
  private static func write(_ writer: Int, into vault: Vault, until isDone: Flag) async throws {
    var number = 0
    while !isDone.isSet {
      number += 1
      let start = ContinuousClock.now
      var inputs: [JSONObject] = []
      for _ in 0..<5 {
        var input = JSONObject()
        input["title"] = .string("batch \(writer) \(number)")
        inputs.append(input)
      }
      let ids = try await vault.add(inputs, kind: RecordKind(of: Login.self))
      if number % 3 == 0 { try await vault.remove(ids) }
      // Writers go before readers: four that write most of the time would let no backup in, however slow the machine.
      let end = ContinuousClock.now + .milliseconds(50) + (ContinuousClock.now - start) * 5
      while !isDone.isSet, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(50)) }
    }
  }

  @Test("while others write, no backup holds half a batch, and each restores to a vault that verifies")
  func concurrent() async throws {
    let bench = try await BackupBench(records: 0)
    let isDone = Flag()
    let backups = try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask { [vault = bench.vault] in try await Self.write(writer, into: vault, until: isDone) }
      }
      var backups: [CreatedBackup] = []
      for number in 0..<8 { backups.append(try await bench.create(locked: number % 2 == 0)) }
      isDone.set()
      try await group.waitForAll()
      return backups
    }
    for backup in backups {
      let (contents, vault) = try await bench.open(backup)
      let found = try await contents.verify(with: vault)
      #expect(found.isGood)
      let path = bench.folder.path + "/" + backup.name.fileName
      _ = try await bench.restore(backup, to: path) { $0.acceptsUnattested = true }
      let restored = try await LockedVault(at: path).unlock(
        with: .identity(bench.identity), options: Vault.Options(state: nil))
      let batches = Dictionary(grouping: try await titles(restored).values, by: \.self)
      #expect(batches.values.allSatisfy { $0.count == 5 }, "a batch is torn")
      #expect(found.trashedCount % 5 == 0)
    }
  }

  @Test("a backup that waits for its proof keeps no writer out")
  func short() async throws {
    let bench = try await BackupBench()
    var options = bench.options
    options.proof = [.identity(bench.backupIdentity)]
    let (now, path) = (options.now, bench.path)
    let free = Mutex<[Bool]>([])
    // The clock is asked at the beginning and after the proof.
    options.now = {
      let lock = try? DirectoryStore(at: path).lock(.exclusive, timeout: .zero) { _ in }
      free.withLock { $0.append(lock != nil) }
      lock?.release()
      return now()
    }
    let directory = try BackupDirectory(at: bench.target)
    let made = try await Backup.create(of: .unlocked(bench.vault), in: directory, stem: "team", options: options)
    #expect(made.provenAt != nil)
    #expect(free.withLock { $0 } == [true, true])
  }

  @Test("one byte changed anywhere is noticed, with the key and without, and nothing is restored")
  func everyByte() async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create()
    let path = bench.target + "/" + made.name.fileName
    let good = try #require(FileTree.contents(of: path))
    for offset in good.indices where offset < 320 || offset % 23 == 0 {
      var bytes = good
      bytes[offset] ^= 1 << UInt8(offset % 8)
      FileTree.write(bytes, to: path)
      await #expect(throws: VaultError.self, "byte \(offset)") {
        try await BackupContents(of: BackupFile(at: path), with: [.identity(bench.backupIdentity)])
      }
      if offset % 64 == 0 {
        let recorded = try BackupDirectory(at: bench.target).catalog()[made.name]?.sha256
        let hash = try? BackupFile(at: path).hash()
        #expect(hash != recorded, "byte \(offset)")
      }
    }
    for count in stride(from: 0, to: good.count, by: 37) {
      FileTree.write(Array(good.prefix(count)), to: path)
      await #expect(throws: VaultError.self, "\(count) bytes") {
        try await BackupContents(of: BackupFile(at: path), with: [.identity(bench.backupIdentity)])
      }
    }
  }

  @Test("backups at one moment all succeed, each under the name of a second of its own")
  func sameSecond() async throws {
    let bench = try await BackupBench()
    let start = ContinuousClock.now
    // Its seconds are short.
    let now: @Sendable () -> Timestamp = {
      let seconds = 1_700_000_000 + Int64((ContinuousClock.now - start) / .milliseconds(100))
      return (try? Timestamp(secondsSinceEpoch: seconds)) ?? .now()
    }
    let first = try await bench.create(now: now)
    let second = try await bench.create(now: now)
    #expect(first.name.time < second.name.time)
    let made = try await withThrowingTaskGroup(of: CreatedBackup.self) { group in
      for _ in 0..<4 { group.addTask { try await bench.create(now: now) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set((made + [first, second]).map(\.name)).count == 6)
    for backup in made { #expect(try await bench.open(backup).contents.recordCount == 3) }
    #expect(try BackupDirectory(at: bench.target).catalog().entries.count == 6)
    #expect(FileTree.names(in: bench.target).filter { $0.hasSuffix(".age") }.count == 6)
  }

  @Test("a backup that another process finishes while the clock is asked is not from the future")
  func finishedMeanwhile() async throws {
    let bench = try await BackupBench()
    let times = try [0, 1, 1000].map { try Timestamp(secondsSinceEpoch: 1_700_000_000 + $0) }
    let (before, earlier, later) = (times[0], times[1], times[2])
    let other = try #require(BackupName(stem: "team", time: later)).fileName
    let made = try await bench.create(now: { [target = bench.target] in
      FileTree.write([], to: target + "/" + other)
      return earlier
    })
    #expect(made.createdAt == earlier)
    #expect(made.fromTheFuture == nil)
    let second = try await bench.create(now: { before })
    #expect(second.createdAt == before)
    #expect(second.fromTheFuture?.fileName == other)
  }
}
