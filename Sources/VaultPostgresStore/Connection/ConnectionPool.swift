internal import Synchronization
internal import VaultStorage

/// The connections of one store: one for each thread that asks at a time, kept for the next for a while.
final class ConnectionPool: Sendable {
  private struct Idle {
    /// Those that wait, the one that has waited longest first.
    var connections: [(connection: PostgresConnection, since: ContinuousClock.Instant)] = []
    /// Whether a task looks after them.
    var isWatched = false
  }

  private let address: PostgresAddress
  private let applicationName: String
  private let password: String?
  /// What all of them see; nil for the present.
  private let snapshot: Snapshot?
  /// How long a connection may wait for its next use.
  private let idleTime: Duration
  private let idle = Mutex(Idle())

  init(
    _ address: PostgresAddress, applicationName: String, password: String?, snapshot: Snapshot? = nil,
    idleTime: Duration = .seconds(60)
  ) {
    (self.address, self.applicationName, self.password) = (address, applicationName, password)
    (self.snapshot, self.idleTime) = (snapshot, idleTime)
  }

  /// Another pool, of connections that see one moment.
  func showing(_ snapshot: Snapshot) -> ConnectionPool {
    ConnectionPool(address, applicationName: applicationName, password: password, snapshot: snapshot)
  }

  /// Lets go of those that nobody uses.
  func close() { idle.withLock { $0.connections = [] } }

  /// A connection of the caller's own.
  ///
  /// - Throws: `StoreError` `.ioFailed`.
  func take() throws(StoreError) -> PostgresConnection {
    if let last = idle.withLock({ $0.connections.popLast() }) { return last.connection }
    return try fresh()
  }

  /// One that nobody has used.
  func fresh() throws(StoreError) -> PostgresConnection {
    let connection = try PostgresConnection(address, applicationName: applicationName, password: password)
    do throws(ServerFault) { try snapshot?.adopt(connection) } catch { throw StoreError(error) }
    return connection
  }

  /// A connection on which `body` was done, for a transaction that stays open. One that was lost while nobody used it
  /// is replaced.
  func held<Result>(
    writing: Bool = false, _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> (PostgresConnection, Result) {
    let connection = try take()
    do throws(ServerFault) {
      return (connection, try body(connection))
    } catch {
      guard error.isLost else { throw StoreError(error, writing: writing) }
    }
    let other = try fresh()
    do throws(ServerFault) { return (other, try body(other)) } catch { throw StoreError(error, writing: writing) }
  }

  /// Takes one back; one that is lost is let go.
  func give(_ connection: PostgresConnection) {
    guard !connection.isLost else { return }
    let isWatched = idle.withLock { idle in
      defer { idle.isWatched = true }
      idle.connections.append((connection, .now))
      return idle.isWatched
    }
    guard !isWatched else { return }
    Task.detached { [weak self, idleTime] in
      while let rest = self?.closeIdle(), rest > .zero {
        do { try await Task.sleep(for: min(rest, idleTime)) } catch { return }
      }
    }
  }

  /// Closes those that have waited long enough; how long the next one has still to wait, nothing where there is none.
  private func closeIdle() -> Duration {
    let now = ContinuousClock.now
    return idle.withLock { idle in
      idle.connections.removeAll { $0.since + idleTime <= now }
      idle.isWatched = !idle.connections.isEmpty
      return idle.connections.first.map { $0.since + idleTime - now } ?? .zero
    }
  }

  /// Does `body` with a connection, outside of any transaction.
  ///
  /// A connection that was lost while nobody used it is replaced: `body` is done once more, if it says that nobody has
  /// seen anything of it.
  @discardableResult
  func with<Result>(
    path: String? = nil, writing: Bool = false, again: () -> Bool = { true },
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> Result {
    let connection = try take()
    do throws(ServerFault) {
      defer { give(connection) }
      return try body(connection)
    } catch {
      guard error.isLost || error.isConflict, again() else { throw StoreError(error, path: path, writing: writing) }
    }
    let other = try fresh()
    defer { give(other) }
    do throws(ServerFault) {
      return try body(other)
    } catch {
      throw StoreError(error, path: path, writing: writing)
    }
  }
}
