internal import Dispatch
internal import Synchronization
package import VaultStorage

extension RecordStore {
  /// Takes the vault's lock, first come first served within this process; see ``LockQueue``.
  package nonisolated(nonsending) func waitForLock(
    _ kind: LockKind, timeout: Duration, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> any StoreLock {
    try await LockQueue(of: self).lock(kind, timeout: timeout, onWait: onWait)
  }
}

/// The tasks that wait for the lock of one store, first come first served.
///
/// They block no thread of Swift's pool, because the holder of the lock may need those threads to finish; with all of
/// them blocked, none would ever end. One thread, which exists while a task waits, asks the store for one task after
/// the other.
package final class LockQueue: Sendable {
  private typealias Outcome = Result<(any StoreLock)?, VaultError>

  private struct Waiter {
    let kind: LockKind
    let timeout: Duration
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

  private let store: any RecordStore
  private let state = Mutex(State())

  package init(of store: any RecordStore) { self.store = store }

  /// Takes the vault's lock. A cancelled task stops waiting; a lock that comes later is released.
  ///
  /// - Parameter timeout: the longest wait since the last task of the queue got the lock, so that many may wait for one
  ///   another.
  package nonisolated(nonsending) func lock(
    _ kind: LockKind, timeout: Duration, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> any StoreLock {
    guard let lock = try await lock(kind, timeout: timeout, unless: { false }, onWait: onWait) else {
      preconditionFailure("it is wanted")
    }
    return lock
  }

  /// Like `lock(_:timeout:onWait:)`; nil if `isDone` is true when the task's turn comes.
  ///
  /// - Parameter onQueued: called if the lock is not free at once.
  package nonisolated(nonsending) func lock(
    _ kind: LockKind, timeout: Duration, unless isDone: @escaping @Sendable () -> Bool,
    onQueued: () -> Void = {}, onWait: @escaping @Sendable (Int32?) -> Void
  ) async throws(VaultError) -> (any StoreLock)? {
    guard !Task.isCancelled else { throw .cancelled() }
    let (number, isAlone) = state.withLock { state in
      state.lastNumber += 1
      // Each try costs a server as much as the wait itself.
      let isFree = state.lastRefused.map { $0 + .seconds(1) < .now } ?? true
      return (state.lastNumber, state.waiters.isEmpty && isFree)
    }
    if isAlone || timeout <= .zero {
      do throws(StoreError) {
        return try await working { () throws(StoreError) -> (any StoreLock)? in
          // Another task may have done it before there was a thread for this one.
          isDone() ? nil : try attempt(kind, timeout: timeout)
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
          Waiter(kind: kind, timeout: timeout, isDone: isDone, onWait: onWait, continuation: continuation), number)
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

  /// Takes the lock if it is free.
  private func attempt(_ kind: LockKind, timeout: Duration) throws(StoreError) -> any StoreLock {
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
    guard !isServed else { return }
    // A separate queue has its own thread, however busy the others are.
    DispatchQueue(label: "vault.lock").async { self.serve() }
  }

  /// Waits for the lock for one task after the other, on its own thread, until no task waits.
  private func serve() {
    while let (number, waiter, start) = nextWaiter() {
      guard !waiter.isDone() else {
        end(number, .success(nil))
        continue
      }
      let result = Result { () throws(StoreError) -> (any StoreLock)? in
        try store.lock(
          waiter.kind, timeout: waiter.timeout - start.duration(to: .now), isWanted: { isWaiting(number) },
          onWait: waiter.onWait)
      }
      if !end(number, result.mapError { VaultError(store: $0) }), case .success(let lock?) = result { lock.release() }
    }
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
