import Dispatch
import Synchronization
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

@Suite("Locks of a directory") struct StoreLockTests {
  @Test("two stores of one vault exclude one another, and the waiting one learns the pid")
  func twoStores() throws {
    let vault = try StoreFolder()
    let other = try vault.reopen()
    let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let error = #expect(throws: StoreError.self) { try other.lock(.shared, timeout: .zero, onWait: { _ in }) }
    #expect(error?.code == .locked)
    #expect(error?.holder == getpid())
    #expect(error?.description == "\(vault.path): this process itself holds the vault's lock (process \(getpid()))")
    lock.release()
    #expect(FileTree.contents(of: vault[".lock"]) == [], "the pid goes with the lock")
    try other.lock(.exclusive, timeout: .zero, onWait: { _ in }).release()
  }

  @Test("a released lock is free although a copy of its file is still open, as in a child between fork and exec")
  func copyOfTheFile() throws {
    let vault = try StoreFolder()
    let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let copies = (3..<4096).filter { file in
      var own = stat()
      var named = stat()
      guard unsafe fstat(file, &own) == 0, unsafe stat(vault[".lock"], &named) == 0 else { return false }
      return own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }.map { dup($0) }
    #expect(!copies.isEmpty)
    lock.release()
    try vault.reopen().lock(.exclusive, timeout: .zero, onWait: { _ in }).release()
    for copy in copies { close(copy) }
  }

  @Test("what a dead process left in the lock file blocks nobody, whatever it says")
  func staleLock() throws {
    let vault = try StoreFolder()
    for text in ["1\n", "999999\n", "-3\n", "no number", String(repeating: "9", count: 10_000), "\u{0}\n"] {
      FileTree.write(Array(text.utf8), to: vault[".lock"])
      let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      #expect(FileTree.contents(of: vault[".lock"]) == Array("\(getpid())\n".utf8))
      lock.release()
    }
  }

  @Test("another process's lock is waited for, and not taken for an own one by its pid")
  func otherProcess() throws {
    // flock(1) of util-linux stands for the other process.
    guard unsafe access("/usr/bin/flock", X_OK) == 0 else {
      return Need.notRun("locks", "flock is not installed")
    }
    let vault = try StoreFolder()
    let flag = vault.path + "-held"
    // With a pid that is this one's, too, as in another container.
    let work = "echo \(getpid()) >\(vault[".lock"]); touch \(flag); sleep 0.5"
    unsafe #expect(system("flock -x '\(vault[".lock"])' sh -c '\(work)' &") == 0)
    while FileTree.kind(of: flag) == nil { usleep(1000) }
    let error = #expect(throws: StoreError.self) { try vault.store.lock(.shared, timeout: .zero, onWait: { _ in }) }
    #expect(error?.code == .locked)
    #expect(error?.reason == "another process holds the vault's lock")
    try vault.store.lock(.exclusive, timeout: .seconds(20), onWait: { _ in }).release()
  }

  @Test("a lock file that is replaced under a waiter is opened again")
  func replacedLockFile() throws {
    let vault = try StoreFolder()
    let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    FileTree.remove(vault[".lock"])
    // A new locker locks another file: both hold "the" lock, but only the newcomer's is visible to others.
    let second = try vault.reopen().lock(.exclusive, timeout: .zero, onWait: { _ in })
    #expect(throws: StoreError.self) { try vault.reopen().lock(.shared, timeout: .zero, onWait: { _ in }) }
    lock.release()
    #expect(throws: StoreError.self) { try vault.reopen().lock(.shared, timeout: .zero, onWait: { _ in }) }
    second.release()
  }

  @Test("who counts up under compare-and-swap, on many threads, loses no step", arguments: [true, false])
  func counting(inMemory: Bool) async throws {
    let vault = try StoreFolder()
    let memory = MemoryStore()
    let location = StoreLocation.checkpoint
    let (workers, steps) = (6, 40)
    let store: any RecordStore = inMemory ? memory : vault.store
    try store.apply([.put(location, Array("0".utf8))])
    let refusals = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<workers {
        let store: any RecordStore = inMemory ? memory : try vault.reopen()
        group.addTask {
          var done = 0
          while done < steps {
            let old = try store.read(location)
            let number = Int(String(decoding: old ?? [], as: UTF8.self)) ?? -1
            do throws(StoreError) {
              try store.apply([StoreChange(location, from: old, to: Array("\(number + 1)".utf8))])
              done += 1
            } catch {
              guard error.code == .changedUnderneath else { throw error }
              refusals.add(1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.read(location) == Array("\(workers * steps)".utf8))
    print("counting, \(inMemory ? "memory" : "directory"): \(workers * steps) steps, \(refusals.value) refusals")
  }

  @Test("no reader is let in while a writer waits, and all are once it is done", arguments: [true, false])
  func waitingWriterGoesFirst(inMemory: Bool) throws {
    let (vault, store, reader, writer) = try waitingWriter(inMemory: inMemory, timeout: .seconds(300))
    reader.release()
    writer.join()
    #expect(writer.hasLocked)
    #expect(FileTree.kind(of: vault.path) == .directory)
    try store.lock(.shared, timeout: .zero, onWait: { _ in }).release()
  }

  @Test("a writer that gave up puts nobody off", arguments: [true, false])
  func writerThatGaveUp(inMemory: Bool) throws {
    let (vault, store, reader, writer) = try waitingWriter(inMemory: inMemory, timeout: .seconds(3))
    writer.join()
    #expect(!writer.hasLocked)
    #expect(FileTree.kind(of: vault.path) == .directory)
    try store.lock(.shared, timeout: .zero, onWait: { _ in }).release()
    reader.release()
  }

  /// A store with a shared lock, and a writer that was seen to put readers off.
  private func waitingWriter(
    inMemory: Bool, timeout: Duration
  ) throws -> (vault: StoreFolder, store: any RecordStore, reader: any StoreLock, writer: WaitingWriter) {
    let vault = try StoreFolder()
    let memory = MemoryStore()
    let store: any RecordStore = inMemory ? memory : vault.store
    let reader = try store.lock(.shared, timeout: .zero, onWait: { _ in })
    let writer = WaitingWriter(of: inMemory ? memory : try vault.reopen(), timeout: timeout)
    // Until the writer has begun to wait, other readers are let in.
    var isPutOff = false
    while !isPutOff, !writer.isDone {
      isPutOff = (try? store.lock(.shared, timeout: .zero, onWait: { _ in }).release()) == nil
    }
    #expect(isPutOff, "a reader is put off")
    return (vault, store, reader, writer)
  }

  @Test("a reader beside batches sees old or new, and never goes back")
  func monotonicReading() async throws {
    let vault = try StoreFolder()
    let ids = (0..<12).map { RecordID(bytes: [UInt8($0)] + Array(repeating: 5, count: 15)) }
    let rounds: UInt8 = 60
    try vault.store.apply(ids.map { .put(.record($0), [0]) })
    let isDone = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let reader = try vault.reopen()
      group.addTask {
        var newest: UInt8 = 0
        while isDone.value == 0 {
          for id in ids {
            let bytes = try reader.read(.record(id)) ?? []
            try #require(bytes.count == 1, "\(bytes) after \(newest)")
            #expect(bytes[0] >= newest, "\(bytes) after \(newest)")
            newest = bytes.first ?? newest
          }
        }
      }
      group.addTask {
        defer { isDone.add(1) }
        for round in 0..<rounds {
          try vault.store.apply(ids.map { StoreChange(.record($0), from: [round], to: [round + 1]) })
        }
      }
      try await group.waitForAll()
    }
    for id in ids { #expect(try vault.store.read(.record(id)) == [rounds]) }
  }

  @Test("writing under a lock that is shared, released or another store's stops the program")
  func wrongLocks() async {
    await #expect(processExitsWith: .failure) {
      let store = MemoryStore()
      try store.apply([], under: store.lock(.shared, timeout: .zero, onWait: { _ in }))
    }
    await #expect(processExitsWith: .failure) {
      let vault = try StoreFolder()
      try vault.store.apply([], under: vault.store.lock(.shared, timeout: .zero, onWait: { _ in }))
    }
    await #expect(processExitsWith: .failure) {
      let vault = try StoreFolder()
      let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      lock.release()
      try vault.store.apply([], under: lock)
    }
    await #expect(processExitsWith: .failure) {
      let vault = try StoreFolder()
      let lock = try vault.store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      try vault.reopen().apply([], under: lock)
    }
  }

  @Test("a place named twice, and a mix without a protocol, stop the program")
  func wrongChanges() async {
    await #expect(processExitsWith: .failure) {
      try MemoryStore().apply([.put(.header, [1]), .put(.header, [2])])
    }
    await #expect(processExitsWith: .failure) {
      try MemoryStore().apply([.put(.header, [1]), .put(.record(.random()), [2])])
    }
    await #expect(processExitsWith: .failure) {
      try MemoryStore().apply([.put(.slot(.random()), [1]), .put(.slot(.random()), [2])])
    }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add(_ number: Int) { count.withLock { $0 += number } }
}

/// Waits for the exclusive lock in a thread of its own, which no other test can hold up, and gives it back.
private final class WaitingWriter: Sendable {
  private let outcome = Mutex<Bool?>(nil)
  private let thread = DispatchGroup()

  init(of store: any RecordStore, timeout: Duration) {
    DispatchQueue(label: "writer").async(group: thread) {
      let hasLocked = (try? store.lock(.exclusive, timeout: timeout, onWait: { _ in }).release()) != nil
      self.outcome.withLock { $0 = hasLocked }
    }
  }

  var isDone: Bool { outcome.withLock { $0 } != nil }
  var hasLocked: Bool { outcome.withLock { $0 } == true }

  func join() { thread.wait() }
}
