internal import Dispatch
internal import Synchronization
internal import VaultStorage

/// A connection whose transaction stays open for as long as some work takes.
///
/// The server ends the transaction when no statement came for a while, because a client can vanish without a word:
/// behind a proxy its connection may look alive for hours. A client that lives sends a statement now and then.
final class HeldTransaction: Sendable {
  private let connection: Mutex<PostgresConnection?>
  private let toucher = Mutex<(any DispatchSourceTimer)?>(nil)

  init(_ connection: PostgresConnection, _ patience: ServerPatience) {
    self.connection = Mutex(connection)
    // A queue of its own has a thread of its own: those of Swift's pool may all be busy for longer than the limit.
    toucher.withLock { [interval = DispatchTimeInterval.milliseconds(patience.touchInterval.milliseconds)] toucher in
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vault.touch"))
      timer.setEventHandler { [weak self] in self?.touch() }
      timer.schedule(deadline: .now() + interval, repeating: interval)
      timer.resume()
      toucher = timer
    }
  }

  deinit { stopTouching() }

  /// Whether the connection was not given up.
  var isHeld: Bool { connection.withLock { $0 != nil } }

  /// Does a step of the transaction.
  func with<Result: Sendable>(
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(ServerFault) -> Result {
    try connection.withLock { connection throws(ServerFault) in
      guard let connection else { throw .ended }
      return try body(connection)
    }
  }

  /// Gives the connection up; nil where that was done before.
  func take() -> PostgresConnection? {
    stopTouching()
    return connection.withLock { $0.take() }
  }

  /// Ends the transaction without a commit, and gives the connection back to a pool. With a connection that is lost the
  /// transaction is gone, too.
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
