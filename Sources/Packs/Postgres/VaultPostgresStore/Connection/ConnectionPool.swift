internal import Synchronization
package import VaultStorage
internal import VaultSystem

/// The connections of one store: one for each thread that asks at a time, kept for the next for a while.
package final class ConnectionPool: Sendable {
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
  private let wait: ServerWait
  private let idle = Mutex(Idle())

  package convenience init(
    _ address: PostgresAddress, applicationName: String, password: String?, patience: ServerPatience = .init(),
    idleTime: Duration = .seconds(60)
  ) {
    self.init(
      address, applicationName: applicationName, password: password, wait: ServerWait(patience), snapshot: nil,
      idleTime: idleTime)
  }

  private init(
    _ address: PostgresAddress, applicationName: String, password: String?, wait: ServerWait, snapshot: Snapshot?,
    idleTime: Duration
  ) {
    (self.address, self.applicationName, self.password) = (address, applicationName, password)
    (self.wait, self.snapshot, self.idleTime) = (wait, snapshot, idleTime)
  }

  /// How long the server is waited for.
  var patience: ServerPatience { wait.patience }

  /// Tells of a wait that is no connection's.
  func tellWait(_ kind: RemoteWait) { wait.tell(kind) }

  /// Another pool, of connections that see one moment.
  func showing(_ snapshot: Snapshot) -> ConnectionPool {
    ConnectionPool(
      address, applicationName: applicationName, password: password, wait: wait, snapshot: snapshot, idleTime: idleTime)
  }

  /// Lets go of those that nobody uses.
  func close() { idle.withLock { $0.connections = [] } }

  /// A connection of the caller's own.
  package func take() throws(StoreError) -> PostgresConnection {
    if let connection = takeIdle() { return connection }
    return try fresh()
  }

  private func takeIdle() -> PostgresConnection? { idle.withLock { $0.connections.popLast()?.connection } }

  /// One that nobody has used.
  ///
  /// - Parameter end: how long a server that cannot be reached is tried again; nil for the usual time from now on.
  func fresh(until end: ContinuousClock.Instant? = nil) throws(StoreError) -> PostgresConnection {
    let connection = try PostgresConnection(
      address, applicationName: applicationName, password: password, waiting: wait,
      until: end ?? .now + patience.reconnecting)
    do throws(ServerFault) { try snapshot?.adopt(connection, patience) } catch { throw StoreError(error) }
    return connection
  }

  /// A connection on which `body` was done, for a transaction that stays open. One that was lost while nobody used it
  /// is replaced.
  func held<Result>(
    writing: Bool = false, until end: ContinuousClock.Instant? = nil,
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> (PostgresConnection, Result) {
    let connection = if let idle = takeIdle() { idle } else { try fresh(until: end) }
    do throws(ServerFault) {
      return (connection, try body(connection))
    } catch {
      guard error.isLost, !error.isSilent else { throw StoreError(error, writing: writing) }
    }
    let other = try fresh(until: end)
    do throws(ServerFault) { return (other, try body(other)) } catch { throw StoreError(error, writing: writing) }
  }

  /// Takes one back; one that is lost is let go.
  package func give(_ connection: PostgresConnection) {
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
  /// A connection that is lost is replaced while there is time: `body` is done once more, if it says that nobody has
  /// seen anything of it.
  @discardableResult
  func with<Result>(
    path: String? = nil, writing: Bool = false, for time: Duration? = nil, again: () -> Bool = { true },
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> Result {
    let end = ContinuousClock.now + (time ?? patience.reconnecting)
    var connection = try take()
    var isFirst = true
    while true {
      do throws(ServerFault) {
        defer { give(connection) }
        return try body(connection)
      } catch {
        let isLost = error.isLost && !error.isSilent && (isFirst || ContinuousClock.now < end)
        guard isLost || error.isConflict && isFirst, again() else {
          throw StoreError(error, path: path, writing: writing)
        }
      }
      if !isFirst { LiveFileOperations().sleep(.milliseconds(100)) }
      isFirst = false
      connection = try fresh(until: end)
    }
  }
}
