import Synchronization
import Testing
import VaultDocument
import VaultStorage
import VaultTesting

/// A store whose author left out everything optional.
class SmallStore: RecordStore, @unchecked Sendable {
  // Its mutex guards all that can change.
  private let memory = MemoryStore()

  func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? { try memory.read(location) }
  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] { try memory.records(inFolder: folder) }
  func trashed() throws(StoreError) -> [RecordID] { try memory.trashed() }
  func slots() throws(StoreError) -> [SlotID] { try memory.slots() }

  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    try memory.lock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
  }

  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    try memory.apply(changes, under: lock)
  }
}

/// Forgets the comparison.
private final class CarelessStore: SmallStore, @unchecked Sendable {
  override func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    var present: [StoreChange] = []
    for change in changes {
      let old = try read(change.location)
      present.append(StoreChange(change.location, from: old, to: change.isGuard ? old : change.replacement))
    }
    try super.apply(present, under: lock)
  }
}

/// Lists nothing that was removed.
private final class ForgetfulStore: SmallStore, @unchecked Sendable {
  override func trashed() throws(StoreError) -> [RecordID] { [] }
}

/// Shows the present where it should show the moment of the snapshot.
private final class LiveStore: SmallStore, @unchecked Sendable {
  private final class Lock: StoreLock {
    let kind = LockKind.snapshot
    let view: (any RecordStore)?
    init(_ view: any RecordStore) { self.view = view }
    func release() {}
  }

  override func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    if kind == .snapshot { return Lock(self) }
    return try super.lock(kind, timeout: timeout, isWanted: isWanted, onWait: onWait)
  }
}

@Suite("The contract of stores, for stores of others") struct ConformanceTests {
  @Test("a store with nothing but what it has to write keeps it", arguments: StoreConformance.all)
  func small(_ conformance: StoreConformance) throws { try conformance.check(SmallStore()) }

  @Test("a store that does not compare is told which rules it breaks")
  func careless() {
    let broken = StoreConformance.violations { CarelessStore() }.map(\.rule)
    #expect(broken.contains("a change that expects other bytes changes nothing and names the place"))
    #expect(broken.contains("one wrong expectation stops the whole batch"))
    #expect(!broken.contains("an empty store has no documents"))
  }

  @Test("a store that does not list the trash is told so")
  func forgetful() {
    let broken = StoreConformance.violations { ForgetfulStore() }
    let batch = broken.first { $0.rule == "a batch puts, replaces and removes at once" }
    #expect(batch?.finding.contains("listed") == true)
  }

  @Test("a store whose snapshots change is told so")
  func live() {
    let broken = StoreConformance.violations { LiveStore() }
    let snapshot = broken.first { $0.rule.hasPrefix("a snapshot stays unchanged") }
    #expect(snapshot?.finding.hasPrefix("the content before") == true)
  }

  @Test("what a store throws that it should not is a violation, with the error")
  func throwing() throws {
    final class BrokenStore: SmallStore, @unchecked Sendable {
      override func slots() throws(StoreError) -> [SlotID] { throw StoreError(.ioFailed, reason: "is broken") }
    }
    let first = try #require(StoreConformance.all.first)
    let error = #expect(throws: StoreConformance.Violation.self) { try first.check(BrokenStore()) }
    #expect(error?.description == "an empty store has no documents: threw is broken")
  }

  @Test("an error of whoever makes the store is passed on")
  func makers() {
    struct NoDisk: Error {}
    #expect(throws: NoDisk.self) { try StoreConformance.violations { () throws(NoDisk) in throw NoDisk() } }
  }
}
