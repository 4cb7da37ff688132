import Foundation
import Synchronization
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

/// A store of your own: documents in a table of this process, with the minimum of code.
final class TableStore: RecordStore {
  private struct Table {
    var rows: [StoreLocation: [UInt8]] = [:]
    var readers = 0
    var isWriting = false
  }

  private let table = Mutex(Table())

  func read(_ place: StoreLocation) throws(StoreError) -> [UInt8]? { table.withLock { $0.rows[place] } }

  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    ids { if case .record(let id) = $0, id.folder == folder { id } else { nil } }
  }

  func trashed() throws(StoreError) -> [RecordID] { ids { if case .trash(let id) = $0 { id } else { nil } } }
  func slots() throws(StoreError) -> [SlotID] { ids { if case .slot(let id) = $0 { id } else { nil } } }

  private func ids(_ id: (StoreLocation) -> Identifier?) -> [Identifier] {
    table.withLock { $0.rows.keys.compactMap(id).sorted() }
  }

  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let start = ContinuousClock.now
    var wait = LockWait(start: .zero, timeout: timeout)
    while !take(kind.withoutViews) {
      let step = try wait.nextStep(
        now: start.duration(to: .now), holder: { nil }, isWanted: isWanted, onWait: onWait)
      // A store blocks, and its callers have threads for that.
      Thread.sleep(forTimeInterval: step / .seconds(1))
    }
    return Lock(kind.withoutViews) { [self] kind in
      table.withLock { if kind == .exclusive { $0.isWriting = false } else { $0.readers -= 1 } }
    }
  }

  private func take(_ kind: LockKind) -> Bool {
    table.withLock { table in
      guard !table.isWriting, kind == .shared || table.readers == 0 else { return false }
      if kind == .exclusive { table.isWriting = true } else { table.readers += 1 }
      return true
    }
  }

  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    // Refuses changes that are too large, and mixtures that a store need not support.
    _ = try ChangePlan(changes)
    let stale = table.withLock { table in
      let stale = changes.first { table.rows[$0.location] != $0.expected }
      if stale == nil { for change in changes { table.rows[change.location] = change.replacement } }
      return stale
    }
    guard let stale else { return }
    throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: stale.location.relativePath)
  }

  private final class Lock: StoreLock {
    let kind: LockKind
    private let end: Mutex<(@Sendable (LockKind) -> Void)?>

    init(_ kind: LockKind, _ end: @escaping @Sendable (LockKind) -> Void) {
      self.kind = kind
      self.end = Mutex(end)
    }

    deinit { release() }

    func release() {
      let end = self.end.withLock { end in
        defer { end = nil }
        return end
      }
      end?(kind)
    }
  }
}

struct Door: VaultRecord {
  var name: String
  var code: EncryptedCodableString
}

@main
struct Testing {
  struct Failure: Error {}

  static func main() async throws {
    let violations = StoreConformance.violations { TableStore() }
    for violation in violations { print("Testing: FAILED: \(violation)") }

    let (test, canary) = (try await TestVault(types: [Door.self]), Canary.random())
    let id = try await test.vault.add(Door(name: "cellar", code: EncryptedCodableString(canary.text)))
    test.clock.advance(by: .seconds(60))
    try await test.vault.update(id, as: Door.self) { $0.name = "cellar door" }
    let door = try await test.reopened().record(id, as: Door.self)
    guard violations.isEmpty, try canary.sightings(in: test.store).isEmpty, try door.value.code.reveal() == canary.text,
      door.updatedAt.text == "2026-01-01T09:01:00Z"
    else { throw Failure() }
    let count = StoreConformance.all.count
    print("Testing: a store of one's own keeps \(count) rules; what a vault in memory seals is nowhere in it")
  }
}
