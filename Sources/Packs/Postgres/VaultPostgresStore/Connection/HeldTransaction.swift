internal import Dispatch
internal import Synchronization
internal import VaultStorage

/// A connection whose transaction stays open during some work.
///
/// The server ends the transaction if no statement comes for a while, because a client can vanish silently: behind a
/// proxy its connection may look alive for hours. A living client therefore sends a statement now and then.
final class HeldTransaction: Sendable {
  private let connection: Mutex<PostgresConnection?>
  private let toucher = Mutex<(any DispatchSourceTimer)?>(nil)

  init(_ connection: PostgresConnection, _ patience: ServerPatience) {
    self.connection = Mutex(connection)
    // A separate queue has its own thread; those of Swift's pool may all be busy for longer than the limit.
    toucher.withLock { [interval = DispatchTimeInterval.milliseconds(patience.touchInterval.milliseconds)] toucher in
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vault.touch"))
      timer.setEventHandler { [weak self] in self?.touch() }
      timer.schedule(deadline: .now() + interval, repeating: interval)
      timer.resume()
      toucher = timer
    }
  }

  deinit { stopTouching() }

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
    stopTouching()
    return connection.withLock { $0.take() }
  }

  /// Ends the transaction without a commit, and returns the connection to a pool. The transaction of a lost connection
  /// has ended anyway.
  func end(_ pool: ConnectionPool) {
    guard let connection = take() else { return }
    if (try? connection.run("ROLLBACK")) != nil { pool.give(connection) }
  }

  private func stopTouching() { toucher.withLock { $0?.cancel() } }

  /// Keeps the transaction from being idle.
  private func touch() {
    connection.withLock { connection in
      guard let connection, !connection.isLost else { return stopTouching() }
      _ = try? connection.run("SELECT 1")
    }
  }
}
