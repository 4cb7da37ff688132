import Testing
import VaultFileStore
import VaultStorage
import VaultTestSupport

/// Lets the process die, or the power go, at every system call of every operation.
@Suite("Death at every call") struct StoreCrashTests {
  /// Makes a scenario's vault, applies it with a death at `number`, and tells whether it was acknowledged and reached.
  private func die(
    _ scenario: StoreScenario, at number: Int, in folder: TemporaryFolder, disk: SimulatedDisk
  ) throws -> (path: String, isAcknowledged: Bool, call: String?) {
    let path = try scenario.makeVault(in: folder)
    let operations = FaultyFileOperations(.dying, at: number, recorder: disk)
    let isAcknowledged =
      (try? scenario.apply(to: DirectoryStore(at: path, operations: operations))) != nil
    return (path, isAcknowledged, operations.reachedCall)
  }

  private func expectOldOrNew(
    _ scenario: StoreScenario, at path: String, isAcknowledged: Bool, _ comment: Comment
  ) throws {
    let documents = try scenario.documents(of: try DirectoryStore(at: path))
    let isOld = scenario.isState(documents, scenario.before)
    #expect(scenario.isState(documents, scenario.after) || isOld && !isAcknowledged, comment)
    #expect(FileTree.names(in: path + "/.staging").isEmpty, comment)
    #expect(FileTree.contents(of: path + "/.journal.json") == nil, comment)
  }

  @Test("a process that dies leaves the old or the new state", arguments: StoreScenario.all)
  func death(_ scenario: StoreScenario) throws {
    let folder = TemporaryFolder()
    for number in Sweep("death, \(scenario)") {
      let run = try die(scenario, at: number, in: folder, disk: SimulatedDisk())
      let comment: Comment = "\(scenario), call \(number) (\(run.call ?? "none"))"
      try expectOldOrNew(scenario, at: run.path, isAcknowledged: run.isAcknowledged, comment)
      FileTree.remove(run.path)
      guard run.call != nil else {
        print("death, \(scenario): \(number - 1) calls")
        return
      }
    }
  }

  @Test(
    "a power cut leaves the old or the new state, and the new one once it was acknowledged",
    arguments: StoreScenario.all)
  func powerCut(_ scenario: StoreScenario) throws {
    let folder = TemporaryFolder()
    for number in Sweep("power cut, \(scenario)") {
      // Of the changes that no sync made durable, the disk may have kept the first few.
      var kept = 0
      var call: String?
      while true {
        let disk = SimulatedDisk()
        let run = try die(scenario, at: number, in: folder, disk: disk)
        let comment: Comment =
          "\(scenario), power cut at call \(number) (\(run.call ?? "the end")), \(kept) changes kept"
        let unsynced = disk.unsyncedChangeCount
        disk.cutPower(at: run.path, keeping: kept)
        try expectOldOrNew(scenario, at: run.path, isAcknowledged: run.isAcknowledged, comment)
        FileTree.remove(run.path)
        call = run.call
        guard kept < unsynced else { break }
        kept = min(unsynced, kept + max(1, unsynced / 4))
      }
      guard call != nil else {
        print("power cut, \(scenario): \(number - 1) calls")
        return
      }
    }
  }

  @Test(
    "a process that dies while it completes or removes what another left leaves it to the next",
    arguments: StoreScenario.all.suffix(4))
  func deathInRecovery(_ scenario: StoreScenario) throws {
    let folder = TemporaryFolder()
    var recoveries = 0
    // Every call of both; of large ones, whose calls repeat themselves, every fifth of the first.
    let stride = scenario.changes.count > 8 || scenario.isReplacement ? 5 : 1
    for number in Sweep("death in recovery, \(scenario)", stride: stride, oneOf: 4) {
      for second in Sweep("second death, \(scenario), \(number)", oneOf: 4) {
        let disk = SimulatedDisk()
        let run = try die(scenario, at: number, in: folder, disk: disk)
        guard run.call != nil else {
          print("death in recovery, \(scenario): \(recoveries) recoveries died")
          // A sample may hold no death that leaves anything to recover from.
          #expect(recoveries > 100 || !Sweep.isWhole)
          return
        }
        guard
          FileTree.contents(of: run.path + "/.journal.json") != nil
            || scenario.isReplacement && !FileTree.names(in: run.path + "/.staging").isEmpty
        else { break }
        let operations = FaultyFileOperations(.dying, at: second, recorder: disk)
        _ = try? DirectoryStore(at: run.path, operations: operations)
        disk.cutPower(at: run.path)
        try expectOldOrNew(
          scenario, at: run.path, isAcknowledged: run.isAcknowledged, "\(scenario), calls \(number) and \(second)")
        FileTree.remove(run.path)
        guard operations.reachedCall != nil else { break }
        recoveries += 1
      }
    }
  }

  @Test("a disk whose syncs do nothing is caught by this suite", arguments: StoreScenario.all)
  func mutant(_ scenario: StoreScenario) throws {
    let folder = TemporaryFolder()
    let disk = SimulatedDisk(honoursSync: false)
    let run = try die(scenario, at: .max, in: folder, disk: disk)
    #expect(run.isAcknowledged)
    disk.cutPower(at: run.path)
    #expect(try scenario.documents(of: try DirectoryStore(at: run.path)) != scenario.after)
  }
}
