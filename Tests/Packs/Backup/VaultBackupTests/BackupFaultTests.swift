import Testing
import VaultAge
import VaultBackup
import VaultDocument
import VaultFileStore
import VaultKit
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lets `create` and `restore` fail, the process die, or the machine, at every file operation.
@Suite("Backups: every file operation fails once")
struct BackupFaultTests {
  /// Which calls go wrong, and how.
  enum Plan: CaseIterable {
    /// Dead before each call that changes the disk; a death between two of them leaves the same.
    case dying
    /// So is the machine, and everything is lost that was not synced.
    case powerCut
    /// A power cut after which the first unsynced changes stay.
    case partialPowerCut
    /// Each call that changes the disk fails.
    case failing
    /// Of all calls, of which most look for one of 256 folders, every twenty-third fails.
    case failingReads

    var fault: FaultyFileOperations.Fault {
      switch self {
      case .dying, .powerCut, .partialPowerCut: .dying
      case .failing: .failing(ENOSPC)
      case .failingReads: .failing(EIO)
      }
    }

    func numbers(_ test: String) -> Sweep { Sweep("\(test), \(self)", stride: self == .failingReads ? 23 : 1) }

    /// Whether it ends the process: then it is the next one that clears up.
    var isDeath: Bool { self != .failing && self != .failingReads }

    func trial(_ number: Int) -> Trial { Trial(plan: self, number: number) }
  }

  /// One attempt, which goes wrong at the call with `number`.
  struct Trial {
    let operations: FaultyFileOperations
    private let disk: SimulatedDisk?
    private let kept: Int

    init(plan: Plan, number: Int) {
      let isPowerCut = plan == .powerCut || plan == .partialPowerCut
      disk = isPowerCut ? SimulatedDisk() : nil
      kept = plan == .partialPowerCut ? number : 0
      operations = FaultyFileOperations(
        plan.fault, at: number, recorder: disk, countsChangesAlone: plan != .failingReads)
    }

    /// Cuts the power where that is the plan.
    func end(at path: String) {
      guard let disk else { return }
      disk.cutPower(at: path, keeping: kept % (disk.unsyncedChangeCount + 1))
    }
  }

  /// The names of backups in a directory, and those of all other files but the record and its lock.
  private func names(in path: String) -> (backups: [String], others: [String]) {
    let all = FileTree.names(in: path).filter { $0 != "backups.json" && $0 != ".backups.lock" }
    return (all.filter { BackupName(fileName: $0) != nil }, all.filter { BackupName(fileName: $0) == nil })
  }

  @Test(
    "create leaves a whole backup under its name, or none; what a death leaves goes with the next",
    arguments: Plan.allCases)
  func create(_ plan: Plan) async throws {
    let bench = try await BackupBench(records: 1)
    for number in plan.numbers("create") {
      let trial = plan.trial(number)
      let made = try? await bench.create(operations: trial.operations)
      trial.end(at: bench.target)
      let call: Comment = "\(plan) at call \(number) (\(trial.operations.reachedCall ?? "none"))"
      let found = names(in: bench.target)
      let states = try BackupDirectory(at: bench.target).listing().rows.map(\.state)
      #expect(states.allSatisfy { $0 == .recorded || $0 == .unrecorded && made == nil }, call)
      for name in found.backups {
        _ = try await BackupContents(
          of: BackupFile(at: bench.target + "/" + name), with: [.identity(bench.backupIdentity)])
      }
      #expect(made == nil || found.backups.count == 1, call)
      if !plan.isDeath { #expect(found.others.isEmpty, call) }
      #expect(trial.operations.openCount == 0, call)
      let next = try await bench.create()
      #expect(names(in: bench.target).others.isEmpty, call)
      for name in names(in: bench.target).backups { FileTree.remove(bench.target + "/" + name) }
      FileTree.remove(bench.target + "/backups.json")
      #expect(next.recordCount == 1)
      guard trial.operations.reachedCall != nil else { return }
    }
  }

  @Test(
    "restore over a vault leaves the one or the other, and the other kept; into nothing, a whole vault or none",
    arguments: Plan.allCases, [true, false])
  func restore(_ plan: Plan, _ isOver: Bool) async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create()
    let new = BackupBench.files(of: bench.path)
    try await bench.add("later")
    let old = BackupBench.files(of: bench.path)
    for number in plan.numbers("restore, \(isOver)") {
      let folder = TemporaryFolder()
      let path = folder.path + "/w"
      if isOver { FileTree.copy(bench.path, to: path) }
      let trial = plan.trial(number)
      let restored = try? await bench.restore(made, to: path) { options in
        options.operations = trial.operations
        options.acceptsRollback = true
      }
      trial.end(at: folder.path)
      let call: Comment = "\(plan) at call \(number) (\(trial.operations.reachedCall ?? "none"))"
      let states = FileTree.names(in: folder.path).filter { !$0.hasPrefix(".") }.map { name in
        (name, BackupBench.files(of: folder.path + "/" + name))
      }
      #expect(states.allSatisfy { $0.1 == new || $0.1 == old }, call)
      let there = states.first { $0.0 == "w" }?.1
      #expect(there != nil || !isOver, call)
      #expect(!isOver || states.contains { $0.1 == old }, call)
      if restored != nil { #expect(there == new, call) }
      if !plan.isDeath { #expect(!FileTree.names(in: folder.path).contains(".w.restoring"), call) }
      // Nothing is in the way of the next restore.
      let again = try await bench.restore(made, to: path) { $0.acceptsRollback = true }
      #expect(BackupBench.files(of: again.path) == new, call)
      #expect(!FileTree.names(in: folder.path).contains(".w.restoring"), call)
      guard trial.operations.reachedCall != nil else { return }
    }
  }

  @Test(
    "restore into a folder with other things ends in the backup's state, run again after any fault",
    arguments: Plan.allCases)
  func restoreInside(_ plan: Plan) async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create()
    let new = BackupBench.files(of: bench.path)
    try await bench.add("later")
    let old = BackupBench.files(of: bench.path)
    for number in plan.numbers("restoreInside") {
      let folder = TemporaryFolder()
      let path = folder.path + "/w"
      FileTree.copy(bench.path, to: path)
      FileTree.write([1], to: path + "/notes.txt")
      let trial = plan.trial(number)
      _ = try? await bench.restore(made, to: path) { options in
        options.operations = trial.operations
        options.acceptsRollback = true
      }
      trial.end(at: folder.path)
      let call: Comment = "\(plan) at call \(number) (\(trial.operations.reachedCall ?? "none"))"
      _ = try await bench.restore(made, to: path) { $0.acceptsRollback = true }
      var files = BackupBench.files(of: path)
      #expect(files.remove("notes.txt") == [1], call)
      #expect(files == new, call)
      let kept = FileTree.names(in: folder.path).filter { $0.hasPrefix("w.before-restore-") }
      #expect(kept.contains { BackupBench.files(of: folder.path + "/" + $0) == old }, call)
      guard trial.operations.reachedCall != nil else { return }
    }
  }

  @Test("a backup that was cut off before it was recorded is recorded once it was verified, as create would have done")
  func recorded() async throws {
    let bench = try await BackupBench(records: 1)
    for number in 1... {
      let trial = Plan.dying.trial(number)
      let made = try? await bench.create(operations: trial.operations)
      try #require(made == nil, "create was never cut off between the two")
      let directory = try BackupDirectory(at: bench.target)
      guard let row = try directory.listing().rows.first, row.entry == nil else { continue }
      let (contents, _) = try await bench.open(row.name)
      let check = BackupCatalog.Verification(time: row.name.time, kind: .list)
      #expect(try directory.record(contents, as: row.name, check))
      #expect(try directory.record(contents, as: row.name, check) == false)
      let entry = try #require(try directory.catalog()[row.name])
      #expect(entry.createdAt == row.name.time)
      #expect(entry.vaultID == bench.vault.header.vaultID)
      #expect(entry.isAttested)
      #expect(try directory.contentHash(of: row.name)?.sha256 == entry.sha256)
      #expect(entry.verification == check)
      return
    }
  }

  @Test("on a disk whose syncs do nothing a power cut takes both back: these tests would see it")
  func noSync() async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create()
    let disk = SimulatedDisk(honoursSync: false)
    let operations = FaultyFileOperations(recorder: disk)
    let lost = try await bench.create(operations: operations)
    _ = try await bench.restore(made, to: bench.folder.path + "/w") { $0.operations = operations }
    disk.cutPower(at: bench.folder.path)
    #expect(names(in: bench.target).backups == [made.name.fileName])
    #expect(try BackupDirectory(at: bench.target).catalog()[lost.name] == nil)
    #expect(!FileTree.names(in: bench.folder.path).contains("w"))
  }
}
