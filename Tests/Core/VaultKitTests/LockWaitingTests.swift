import FoundationEssentials
import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Waiting for the lock") struct LockWaitingTests {
  @Test(
    "a task that is cancelled while it waits ends at once and stores nothing, and the next one gets the lock",
    arguments: [CancellationBench.Place.memory, .folder])
  func cancelled(_ place: CancellationBench.Place) async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let store = try bench.copy(to: place, in: folder, Cancellation())()
    let attempts = Cancellation()
    let vault = try await bench.open(WatchedStore(store) { attempts.step() })
    let lock = try store.lock(.exclusive, timeout: .zero) { _ in }

    let before = attempts.count
    let cancelled = Task { try await vault.add(RotationVault.customer("cancelled")) }
    // The first attempt is made before it waits.
    while attempts.count < before + 2 { await Task.yield() }
    let next = Task { try await vault.add(RotationVault.customer("next")) }
    cancelled.cancel()
    // The lock is held meanwhile, so a task that waited to the end would hear that another has it.
    #expect(await cancelled.result.isCancelled)
    lock.release()

    let id = try await next.value
    #expect(try await vault.record(id, as: Customer.self).value.name == "next")
    #expect(try vault.locked.recordCount() == bench.live.count + 1)
  }

  @Test(
    "a reader is let in as soon as the writer that waited before it is cancelled",
    arguments: [CancellationBench.Place.memory, .folder])
  func cancelledWriter(_ place: CancellationBench.Place) async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let store = try bench.copy(to: place, in: folder, Cancellation())()
    let vault = try await bench.open(store)
    let lock = try store.lock(.shared, timeout: .zero) { _ in }
    defer { lock.release() }
    let writer = Task { try await vault.add(RotationVault.customer("late")) }
    // Until the writer waits, readers are let in.
    while (try? store.lock(.shared, timeout: .zero) { _ in }.release()) != nil { await Task.yield() }
    let reader = Task { try await vault.verify() }
    writer.cancel()
    #expect(await writer.result.isCancelled)
    #expect(try await reader.value.faults.isEmpty)
  }

  @Test("a lock that this process holds is not said to be another's", arguments: [true, false])
  func ownLock(inMemory: Bool) async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let store = try bench.copy(to: inMemory ? .memory : .folder, in: folder, Cancellation())()
    var options = RotationVault.options
    options.lockTimeout = .milliseconds(20)
    let vault = try await LockedVault(store: store).unlock(with: .identity(bench.identity), options: options)
    let lock = try store.lock(.exclusive, timeout: .zero) { _ in }
    defer { lock.release() }
    let error = await #expect(throws: VaultError.self) { try await vault.add(RotationVault.customer("late")) }
    #expect(error?.code == .lockedByOther)
    let text = error.map(String.init(describing:)) ?? ""
    #expect(text.contains("this process itself holds the vault's lock"), "\(text)")
    #expect(!text.contains("another"), "\(text)")
  }

  @Test("the time of those who wait begins anew when one of them gets the lock; all get it")
  func movingQueue() async {
    // In a process of its own, whose threads nobody else keeps busy.
    await #expect(processExitsWith: .success) {
      let (queue, store) = (LockQueue(), MemoryStore())
      let (time, work) = (Duration.seconds(2), Duration.seconds(1))
      let start = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let lock = try await queue.lock(.exclusive, of: store, timeout: time) { _ in }
            defer { lock.release() }
            try await Task.sleep(for: work)
          }
        }
        try await group.waitForAll()
      }
      #expect(start.duration(to: .now) >= work * 4, "one after the other")
    }
  }

  @Test("1,000 tasks that add to a vault in memory at once are all stored, with few threads")
  func manyInMemory() async {
    await #expect(processExitsWith: .success) { try await Self.addAtOnce(1000, to: MemoryStore()) }
  }

  @Test("300 tasks that add to a vault in a folder at once are all stored, with few threads")
  func manyInFolder() async {
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      try await Self.addAtOnce(300, to: DirectoryStore.create(at: folder.path + "/v", operations: RotationVault.quiet))
    }
  }

  /// In a process of its own, whose threads nobody else takes.
  private static func addAtOnce(_ count: Int, to store: any RecordStore) async throws {
    let slots = [NewSlot(.recipient(try AgeIdentity.generate().recipient))]
    let vault = try await Vault.create(in: store, slots: slots, options: RotationVault.options)
    let threads = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          try await vault.add(RotationVault.customer("number \(number)"))
          return threadCount() ?? 0
        }
      }
      return try await group.reduce(0, max)
    }
    #expect(try vault.locked.recordCount() == count)
    guard threads > 0 else { return Need.notRun("threads", "the system does not tell how many there are") }
    #expect(threads < 40, "\(threads) threads")
  }

  private static func threadCount() -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
    return line.flatMap { Int($0.dropFirst(8).filter(\.isNumber)) }
  }
}
