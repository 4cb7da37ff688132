internal import Dispatch
internal import Synchronization
internal import VaultStorage

/// A connection whose transaction stays open during some work.
///
/// The server ends the transaction if no statement comes for a while, because a client can vanish silently: behind a
/// proxy its connection may look alive for hours. A living client therefore sends a statement now and then.
final class HeldTransaction: Sendable {
  private let connection: Mutex<PostgresConnection?>
  private let toucher: Toucher

  init(_ connection: PostgresConnection, _ patience: ServerPatience) {
    self.connection = Mutex(connection)
    toucher = Toucher.every(patience.touchInterval)
    toucher.add(self)
  }

  deinit { toucher.remove(self) }

  var isHeld: Bool { connection.withLock { $0 != nil } }

  /// Runs a step of the transaction.
  func with<Result: Sendable>(
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(ServerFault) -> Result {
    try connection.withLock { connection throws(ServerFault) in
      guard let connection else { throw .ended }
      return try body(connection)
    }
  }

  /// Runs a step of the transaction, unless another thread is running one. After a fault the transaction no longer
  /// holds anything, and no more steps are run.
  func withIfFree<Result: Sendable>(_ body: (PostgresConnection) throws(ServerFault) -> Result) -> Result? {
    let found = connection.withLockIfAvailable { connection -> Result? in
      guard let connection, !isBroken.load(ordering: .relaxed) else { return nil }
      do throws(ServerFault) { return try body(connection) } catch { isBroken.store(true, ordering: .relaxed) }
      return nil
    }
    return found ?? nil
  }

  /// Whether a step failed, so that the server has ended the transaction.
  let isBroken = Atomic(false)

  /// Gives up the connection; nil if that was done before.
  func take() -> PostgresConnection? {
    toucher.remove(self)
    return connection.withLock { $0.take() }
  }

  /// Ends the transaction without a commit, and returns the connection to a pool. The transaction of a lost connection
  /// has ended anyway.
  func end(_ pool: ConnectionPool) {
    guard let connection = take() else { return }
    if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
  }

  /// Keeps the transaction from being idle. It is not idle while another thread uses its connection.
  fileprivate func touch() {
    _ = connection.withLockIfAvailable { connection in
      guard let connection, !connection.isLost else { return toucher.remove(self) }
      _ = try? connection.run("SELECT 1")
    }
  }
}

/// Touches open transactions at an interval. One timer serves all of them, because most end before it would fire, and
/// to set a timer wakes a thread.
private final class Toucher: Sendable {
  private final class Known: Sendable { let touchers = Mutex<[Duration: Toucher]>([:]) }

  private static let known = Known()

  private struct Held { weak var transaction: HeldTransaction? }

  private struct State {
    var held: [ObjectIdentifier: Held] = [:]
    /// Whether a transaction was held since the timer last fired.
    var isNeeded = false
    var timer: (any DispatchSourceTimer)?
  }

  private let interval: Duration
  private let state = Mutex(State())

  private init(_ interval: Duration) { self.interval = interval }

  static func every(_ interval: Duration) -> Toucher {
    known.touchers.withLock { touchers in
      if let known = touchers[interval] { return known }
      let toucher = Toucher(interval)
      touchers[interval] = toucher
      return toucher
    }
  }

  func add(_ transaction: HeldTransaction) {
    state.withLock { state in
      (state.held[ObjectIdentifier(transaction)], state.isNeeded) = (Held(transaction: transaction), true)
      if state.timer == nil { state.timer = started() }
    }
  }

  func remove(_ transaction: HeldTransaction) {
    state.withLock { _ = $0.held.removeValue(forKey: ObjectIdentifier(transaction)) }
  }

  private func started() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vault.touch"))
    let pause = DispatchTimeInterval.milliseconds(interval.milliseconds)
    timer.setEventHandler { [weak self] in self?.fire() }
    timer.schedule(deadline: .now() + pause, repeating: pause)
    timer.resume()
    return timer
  }

  private func fire() {
    let transactions = state.withLock { state in
      if !state.isNeeded {
        state.timer?.cancel()
        state.timer = nil
      }
      state.isNeeded = !state.held.isEmpty
      return state.held.values.compactMap(\.transaction)
    }
    for transaction in transactions {
      // A separate queue has its own thread; those of Swift's pool may all be busy, and a server may not answer.
      DispatchQueue(label: "vault.touch.one").async { transaction.touch() }
    }
  }
}
