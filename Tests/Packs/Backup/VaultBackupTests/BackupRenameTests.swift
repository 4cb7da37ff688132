import Testing
import VaultBackup
import VaultCare
import VaultFileStore
import VaultKit
import VaultStorage
import VaultSystem
import VaultTestSupport

/// Backups on file systems that know no renames with a condition.
@Suite("Backups: where names cannot be exchanged")
struct BackupRenameTests {
  private static let renames: [FaultyFileOperations.FlaggedRenames] = [.exclusiveAlone, .none]

  @Test("create gives the file its name, and never the name of another", arguments: renames)
  func create(_ renames: FaultyFileOperations.FlaggedRenames) async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create(proven: true, operations: FaultyFileOperations(renames: renames))
    #expect(FileTree.names(in: bench.target) == [".backups.lock", "backups.json", made.name.fileName])
    let (contents, vault) = try await bench.open(made)
    #expect(try await contents.verify(with: vault).isGood)
    let folder = try BackupFolder(at: bench.target, operations: FaultyFileOperations(renames: renames))
    let file = try folder.newFile(made.name.fileName)
    try file.append([1])
    #expect(throws: StoreError(.alreadyExists, reason: "")) {
      try file.publish(as: made.name.fileName, replacing: false)
    }
    #expect(FileTree.names(in: bench.target).count == 3)
    #expect(try await bench.open(made).contents.recordCount == 1)
  }

  @Test(
    "restore takes two renames: whoever dies at any call leaves the old vault whole, here or under the kept name",
    arguments: renames, [false, true])
  func restore(_ renames: FaultyFileOperations.FlaggedRenames, isPowerCut: Bool) async throws {
    let bench = try await BackupBench(records: 1)
    let made = try await bench.create()
    let new = BackupBench.files(of: bench.path)
    try await bench.add("later")
    let old = BackupBench.files(of: bench.path)
    for number in 1... {
      let folder = TemporaryFolder()
      let path = folder.path + "/w"
      FileTree.copy(bench.path, to: path)
      let disk = SimulatedDisk()
      let operations = FaultyFileOperations(
        .dying, at: number, recorder: disk, countsChangesAlone: true, renames: renames)
      let restored = try? await bench.restore(made, to: path) { options in
        options.operations = operations
        options.acceptsRollback = true
      }
      if isPowerCut { disk.cutPower(at: folder.path, keeping: number % (disk.unsyncedChangeCount + 1)) }
      let call: Comment = "call \(number) (\(operations.reachedCall ?? "none"))"
      let states = FileTree.names(in: folder.path).filter { !$0.hasPrefix(".") }.map { name in
        (name: name, files: BackupBench.files(of: folder.path + "/" + name))
      }
      #expect(states.allSatisfy { $0.files == new || $0.files == old }, call)
      #expect(states.contains { $0.files == old }, call)
      if let restored {
        #expect(restored.keptPath.map { BackupBench.files(of: $0) } == old, call)
        #expect(states.first { $0.name == "w" }?.files == new, call)
      }
      let again = try await bench.restore(made, to: path) { $0.acceptsRollback = true }
      #expect(BackupBench.files(of: again.path) == new, call)
      #expect(!FileTree.names(in: folder.path).contains(".w.restoring"), call)
      guard operations.reachedCall != nil else { return }
    }
  }
}
