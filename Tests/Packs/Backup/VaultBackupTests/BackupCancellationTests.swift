import Synchronization
import Testing
import VaultAge
import VaultBackup
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultTestSupport

/// A cancelled call gives no backup, no answer and no vault; a call without an error gives all of it.
@Suite("Cancelled backups")
struct BackupCancellationTests {
  private let cancellation = Cancellation()

  private var watched: FaultyFileOperations {
    FaultyFileOperations(.watched { [cancellation] in cancellation.step() }, recorder: SimulatedDisk())
  }

  private func isCancelled(_ result: Result<some Any, any Error>) -> Bool {
    if case .failure(let error as VaultError) = result { error.code == .cancelled } else { false }
  }

  private func bench() async throws -> BackupBench {
    let bench = try await BackupBench(records: 8)
    try await bench.vault.remove([bench.add("removed")])
    return bench
  }

  @Test(
    "a backup that is cancelled at any moment is whole, or there is none and none is recorded",
    arguments: [false, true],
    [false, true])
  func create(isLocked: Bool, isProven: Bool) async throws {
    let bench = try await bench()
    let locked = try LockedVault(store: DirectoryStore(at: bench.path, operations: watched))
    let source: Backup.Source =
      isLocked
      ? .locked(locked)
      : .unlocked(try await locked.unlock(with: .identity(bench.identity), options: Vault.Options(state: nil)))
    let directory = try BackupDirectory(at: bench.target)
    var options = bench.options
    if isProven { options.proof = [.identity(bench.backupIdentity)] }
    let create = { @Sendable [options, cancellation] in
      try await Backup.create(of: source, in: directory, stem: "team", options: options) { cancellation.step() }
    }
    _ = try await cancellation.run(at: nil, create).get()
    let stepCount = cancellation.count
    var made = 1
    for moment in Cancellation.moments(of: stepCount) {
      let comment: Comment = "step \(moment) of \(stepCount)"
      let result = await cancellation.run(at: moment, create)
      if !isCancelled(result) {
        made += 1
        let backup = try result.get()
        #expect(backup.recordCount == 9, comment)
        #expect(backup.isAttested != isLocked, comment)
        let contents = try await bench.open(backup).contents
        #expect(contents.recordCount == 8, comment)
        #expect(contents.trashedCount == 1, comment)
      }
      #expect(try directory.catalog().entries.count == made, comment)
      #expect(FileTree.files(below: bench.target).count { $0.hasSuffix(".age") } == made, comment)
    }
    #expect(made < 30, "\(made) of \(stepCount)")
    #expect(stepCount > 20, "\(made) of \(stepCount)")
  }

  @Test("a backup that is cancelled while it waits for its second to be over says that, and nothing of the clock")
  func waiting() async throws {
    let bench = try await bench()
    let directory = try BackupDirectory(at: bench.target)
    var options = bench.options
    options.now = { [cancellation] in
      cancellation.step()
      return time("2026-01-02T03:04:05Z")
    }
    let create = { @Sendable [options] in
      try await Backup.create(of: .unlocked(bench.vault), in: directory, stem: "team", options: options) {}
    }
    _ = try await create()
    #expect(await isCancelled(cancellation.run(at: 2, create)))
  }

  @Test("a backup is opened, verified and unpacked whole, or that is the error")
  func open() async throws {
    let bench = try await bench()
    let made = try await bench.create()
    let opened = await cancellation.run(at: Cancellation.beforeStart) {
      try await bench.open(made).contents.recordCount
    }
    #expect(isCancelled(opened))
    let (contents, vault) = try await bench.open(made)
    for moment in 0...10 {
      let verified = await cancellation.run(at: moment) { [cancellation] in
        let found = try await contents.verify(with: vault) { cancellation.step() }
        return [found.recordCount, found.trashedCount, found.faults.count]
      }
      #expect(try isCancelled(verified) || verified.get() == [8, 1, 0], "\(moment)")
      let path = bench.folder.path + "/restored-\(moment)"
      let restored = await cancellation.run(at: moment) { [cancellation] in
        try await contents.stage(with: vault, for: path, options: RestoreOptions()) { cancellation.step() }
          .putInPlace().path
      }
      #expect((FileTree.kind(of: path) == nil) == isCancelled(restored), "\(moment)")
      if !isCancelled(restored) {
        #expect(BackupBench.files(of: path) == BackupBench.files(of: bench.path), "\(moment)")
      }
    }
  }

  @Test("what was looked at is compared with what the vault holds: a store that loses some of it has no good answer")
  func count() async throws {
    let bench = try await bench()
    let store = ForgetfulStore(try DirectoryStore(at: bench.path))
    let vault = try await LockedVault(store: store).unlock(
      with: .identity(bench.identity), options: Vault.Options(state: nil))
    #expect(try await vault.verify().isGood)
    store.forgets.withLock { $0 = true }
    let found = try await vault.verify()
    #expect(found.recordCount == 7)
    #expect(found.faults.map(\.code) == [.otherDamage])
    await #expect(throws: VaultError(.changedUnderneath, "")) {
      try await Backup.create(
        of: .unlocked(vault), in: BackupDirectory(at: bench.target), stem: "team", options: bench.options)
    }
    #expect(FileTree.files(below: bench.target).isEmpty)
    for reason in [KeyringEntry.Reason.rewrap, .reseal] {
      await #expect(throws: VaultError(.changedUnderneath, "")) { try await vault.rotate(reason) }
    }
    #expect(vault.header.keyring.isEmpty)
  }
}
