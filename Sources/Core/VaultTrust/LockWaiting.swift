internal import Dispatch
internal import Synchronization
package import VaultStorage

extension RecordStore {
  /// Takes the vault's lock, first come first served within this process; see ``LockQueue``.
  package nonisolated(nonsending) func waitForLock(
    _ kind: LockKind, timeout: Duration, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> any StoreLock {
    try await LockQueue().lock(kind, of: self, timeout: timeout, onWait: onWait)
  }
}

/// The tasks that wait for the lock of one vault, first come first served.
///
/// All stores of one vault on another machine share a queue, so that of a whole process one connection waits: many
/// waiting connections cost a server more than the changes (decision 229).
///
/// They block no thread of Swift's pool, because the holder of the lock may need those threads to finish; with all of
/// them blocked, none would ever end. One thread, which exists while a task waits, asks the store for the first of
/// them.
package final class LockQueue: Sendable {
  private typealias Outcome = Result<(any StoreLock)?, VaultError>

  private struct Waiter {
    let kind: LockKind
    let store: any RecordStore
    let timeout: Duration
    /// The record that is about to be changed; nil if there are several.
    let id: RecordID?
    let isDone: @Sendable () -> Bool
    let onWait: @Sendable (Int32?) -> Void
    let continuation: CheckedContinuation<Outcome, Never>
    let arrival = ContinuousClock.now
  }

  private struct State {
    /// By their numbers, which rise.
    var waiters: [Int: Waiter] = [:]
    var lastNumber = 0
    /// No waiter has a lower number.
    var first = 0
    /// The time when a waiter last got the lock.
    var lastGiven: ContinuousClock.Instant?
    /// The time when a server last said that another process has the lock.
    var lastRefused: ContinuousClock.Instant?
    /// Whether the thread exists.
    var isServed = false
  }

  /// A place with the longest wait of its tasks: one that waits for longer must not delay others beyond their limit.
  private struct Key: Hashable {
    let address: String
    let timeout: Duration
  }

  /// The queues of this process.
  private final class Known: Sendable {
    struct Entry { weak var queue: LockQueue? }

    let queues = Mutex<[Key: Entry]>([:])
  }

  private static let known = Known()

  private let state = Mutex(State())

  package init() {}

  /// The queue for a store: one for all stores of the same vault on another machine, and a new one for others.
  package static func queue(for store: any RecordStore, timeout: Duration) -> LockQueue {
    guard let store = store as? any RemoteStore else { return LockQueue() }
    let key = Key(address: store.knownAddress, timeout: timeout)
    return known.queues.withLock { queues in
      if let queue = queues[key]?.queue { return queue }
      let queue = LockQueue()
      queues = queues.filter { $0.value.queue != nil }
      queues[key] = Known.Entry(queue: queue)
      return queue
    }
  }

  /// Takes the vault's lock. A cancelled task stops waiting; a lock that comes later is released.
  ///
  /// - Parameter timeout: the longest wait since the last task of the queue got the lock, so that many may wait for one
  ///   another.
  package nonisolated(nonsending) func lock(
    _ kind: LockKind, of store: any RecordStore, timeout: Duration, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> any StoreLock {
    guard let lock = try await lock(kind, of: store, timeout: timeout, unless: { false }, onWait: onWait) else {
      preconditionFailure("it is wanted")
    }
    return lock
  }

  /// Like `lock(_:of:timeout:onWait:)`; nil if `isDone` is true when the task's turn comes.
  ///
  /// - Parameters:
  ///   - id: the record that is about to be changed; nil if there are several.
  ///   - onQueued: called if the lock is not free at once.
  package nonisolated(nonsending) func lock(
    _ kind: LockKind, of store: any RecordStore, changing id: RecordID? = nil, timeout: Duration,
    unless isDone: @escaping @Sendable () -> Bool,
    onQueued: () -> Void = {}, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> (any StoreLock)? {
    guard !Task.isCancelled else { throw .cancelled() }
    let (number, isAlone) = begin(kind, of: store)
    if isAlone || timeout <= .zero {
      do throws(StoreError) {
        return try await working { () throws(StoreError) -> (any StoreLock)? in
          // Another task may have done it before there was a thread for this one.
          isDone() ? nil : try attempt(kind, of: store, changing: id, timeout: timeout)
        }
      } catch {
        guard error.code == .locked, timeout > .zero else { throw VaultError(store: error) }
        if store is any RemoteStore { state.withLock { $0.lastRefused = .now } }
      }
    }
    onQueued()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(
          Waiter(
            kind: kind, store: store, timeout: timeout, id: id, isDone: isDone, onWait: onWait,
            continuation: continuation), number)
        // If the task was cancelled before it was in the queue, nobody else ends it.
        if Task.isCancelled { end(number, .failure(.cancelled())) }
      }
    } onCancel: {
      end(number, .failure(.cancelled()))
    }
    guard let lock = try outcome.get() else { return nil }
    guard Task.isCancelled else { return lock }
    lock.release()
    throw .cancelled()
  }

  /// The number of a new task, and whether it may try to take the lock at once.
  private func begin(_ kind: LockKind, of store: any RecordStore) -> (number: Int, isAlone: Bool) {
    state.withLock { state in
      state.lastNumber += 1
      // Each try costs a server as much as the wait itself.
      let isFree = state.lastRefused.map { $0 + .seconds(1) < .now } ?? true
      // A server shows one moment to any number of readers, beside all writers.
      let isShown = kind == .snapshot && store is any RemoteStore
      return (state.lastNumber, isShown || state.waiters.isEmpty && isFree)
    }
  }

  /// Takes the lock if it is free.
  private func attempt(
    _ kind: LockKind, of store: any RecordStore, changing id: RecordID?, timeout: Duration
  ) throws(StoreError) -> any StoreLock {
    if let id { (store as? any RemoteStore)?.expectChange(of: id) }
    guard timeout > .zero, store is any RemoteStore else { return try store.lock(kind, timeout: .zero) { _ in } }
    // A server is not asked for the name of the holder before the wait begins.
    return try store.lock(kind, timeout: timeout, isWanted: { false }, onWait: { _ in })
  }

  /// Queues a waiter, and starts the thread if there is no thread yet.
  private func add(_ waiter: Waiter, _ number: Int) {
    let isServed = state.withLock { state in
      state.waiters[number] = waiter
      state.first = min(state.first, number)
      defer { state.isServed = true }
      return state.isServed
    }
    if !isServed { startServing() }
  }

  /// Waits for the lock for the first task that gets it, and runs that task on the same thread. Another thread serves
  /// the tasks after it.
  private func serve() {
    while let (number, waiter, start) = nextWaiter() {
      guard !waiter.isDone() else {
        end(number, .success(nil))
        continue
      }
      let result = Result { () throws(StoreError) -> (any StoreLock)? in
        if let id = waiter.id { (waiter.store as? any RemoteStore)?.expectChange(of: id) }
        return try waiter.store.lock(
          waiter.kind, timeout: waiter.timeout - start.duration(to: .now), isWanted: { isWaiting(number) },
          onWait: waiter.onWait)
      }
      guard case .success(let lock?) = result else {
        end(number, result.mapError { VaultError(store: $0) })
        continue
      }
      return Workers.shared.resuming {
        if !end(number, .success(lock)) { lock.release() }
        startServing()
      }
    }
  }

  /// Starts the thread.
  private func startServing() {
    // A separate queue has its own thread, however busy the others are.
    DispatchQueue(label: "vault.lock").async { self.serve() }
  }

  /// The first waiter, and the start of its waiting time; nil ends the service.
  private func nextWaiter() -> (number: Int, waiter: Waiter, start: ContinuousClock.Instant)? {
    state.withLock { state in
      state.isServed = !state.waiters.isEmpty
      guard state.isServed else { return nil }
      while true {
        if let waiter = state.waiters[state.first] {
          return (state.first, waiter, max(waiter.arrival, state.lastGiven ?? waiter.arrival))
        }
        state.first += 1
      }
    }
  }

  private func isWaiting(_ number: Int) -> Bool { state.withLock { $0.waiters[number] != nil } }

  /// Resumes a waiter; false if it was already resumed.
  @discardableResult
  private func end(_ number: Int, _ outcome: Outcome) -> Bool {
    let waiter = state.withLock { state in
      if case .success(_?) = outcome { state.lastGiven = .now }
      return state.waiters.removeValue(forKey: number)
    }
    waiter?.continuation.resume(returning: outcome)
    return waiter != nil
  }
}
