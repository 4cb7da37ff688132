import Foundation
import Synchronization
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage
import VaultTesting

/// A custom store with only the required functions.
final class TableStore: RecordStore {
  private let rows = Mutex<[StoreLocation: [UInt8]]>([:])
  private let readers = Mutex(0)

  func read(_ place: StoreLocation) throws(StoreError) -> [UInt8]? { rows.withLock { $0[place] } }

  private func ids(_ id: (StoreLocation) -> Identifier?) -> [Identifier] {
    rows.withLock { $0.keys.compactMap(id).sorted() }
  }

  func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    ids { if case .record(let id) = $0, id.folder == folder { id } else { nil } }
  }
  func trashed() throws(StoreError) -> [RecordID] { ids { if case .trash(let id) = $0 { id } else { nil } } }
  func slots() throws(StoreError) -> [SlotID] { ids { if case .slot(let id) = $0 { id } else { nil } } }

  func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    let kind = kind.withoutViews
    let start = ContinuousClock.now
    var wait = LockWait(start: .zero, timeout: timeout)
    while !take(kind) {
      let step = try wait.nextStep(now: start.duration(to: .now), holder: { nil }, isWanted: isWanted, onWait: onWait)
      Thread.sleep(forTimeInterval: step / .seconds(1))
    }
    return Lock(kind) { [self] in readers.withLock { $0 = kind == .exclusive ? 0 : $0 - 1 } }
  }

  private func take(_ kind: LockKind) -> Bool {
    readers.withLock { readers in
      guard kind == .shared ? readers >= 0 : readers == 0 else { return false }
      readers = kind == .exclusive ? -1 : readers + 1
      return true
    }
  }

  func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) {
    _ = try ChangePlan(changes)
    let stale = rows.withLock { rows in
      let stale = changes.first { rows[$0.location] != $0.expected }
      if stale == nil { for change in changes { rows[change.location] = change.replacement } }
      return stale
    }
    if let stale { throw StoreError(.changedUnderneath, reason: "was changed", path: stale.location.relativePath) }
  }

  private final class Lock: StoreLock {
    let kind: LockKind
    private let end: Mutex<(@Sendable () -> Void)?>
    init(_ kind: LockKind, _ end: @escaping @Sendable () -> Void) {
      self.kind = kind
      self.end = Mutex(end)
    }
    deinit { release() }
    func release() {
      end.withLock { end in
        end?()
        end = nil
      }
    }
  }
}

let violations = StoreConformance.violations { TableStore() }
for violation in violations { print(violation) }
precondition(violations.isEmpty)
print("Store: \(StoreConformance.all.count) rules are kept")
