internal import Synchronization
package import VaultStorage
internal import VaultSystem

/// The connections of a store: one for each thread that asks at the same time, kept for a while for the next.
///
/// Stores of one address with the usual limits share a pool, because each connection costs a server a process with its
/// own caches (decision 229).
package final class ConnectionPool: Sendable {
  private struct Idle {
    /// The idle connections, the longest idle first.
    var connections: [(connection: PostgresConnection, since: ContinuousClock.Instant)] = []
    /// Whether a task closes idle connections.
    var isWatched = false
  }

  private let address: PostgresAddress
  private let applicationName: String
  private let password: String?
  /// The snapshot that all of them see; nil for the present.
  private let snapshot: Snapshot?
  /// How long a connection may stay idle.
  private let idleTime: Duration
  private let wait: ServerWait
  private let idle = Mutex(Idle())
  /// The kind of server that is needed; nil if the address says it.
  private let attributes: String?
  /// Documents that were read before they were requested. A later request to the server makes them old.
  let ahead = ReadAhead()
  private let isShared: Bool

  /// The shared pools of this process.
  private final class Known: Sendable {
    struct Entry { weak var pool: ConnectionPool? }

    let pools = Mutex<[Entry]>([])
  }

  private static let known = Known()

  /// The pool of this process for an address.
  package static func shared(
    _ address: PostgresAddress, applicationName: String, password: String?, attributes: String? = nil
  ) -> ConnectionPool {
    known.pools.withLock { pools in
      pools.removeAll { $0.pool == nil }
      let found = pools.lazy.compactMap(\.pool).first {
        $0.address == address && $0.password == password && $0.attributes == attributes
      }
      if let found { return found }
      let pool = ConnectionPool(
        address, applicationName: applicationName, password: password, wait: ServerWait(ServerPatience()),
        snapshot: nil, idleTime: Self.idleTime, attributes: attributes, isShared: true)
      pools.append(Known.Entry(pool: pool))
      return pool
    }
  }

  private static let idleTime = Duration.seconds(60)

  package convenience init(
    _ address: PostgresAddress, applicationName: String, password: String?, patience: ServerPatience = .init(),
    idleTime: Duration = idleTime, attributes: String? = nil
  ) {
    self.init(
      address, applicationName: applicationName, password: password, wait: ServerWait(patience), snapshot: nil,
      idleTime: idleTime, attributes: attributes)
  }

  private init(
    _ address: PostgresAddress, applicationName: String, password: String?, wait: ServerWait, snapshot: Snapshot?,
    idleTime: Duration, attributes: String?, isShared: Bool = false
  ) {
    self.isShared = isShared
    (self.address, self.applicationName, self.password) = (address, applicationName, password)
    (self.wait, self.snapshot, self.idleTime, self.attributes) = (wait, snapshot, idleTime, attributes)
  }

  var patience: ServerPatience { wait.patience }

  /// Reports a wait that does not belong to a connection.
  func tellWait(_ kind: RemoteWait) { wait.tell(kind) }

  /// Another pool, of connections that see one moment.
  func showing(_ snapshot: Snapshot) -> ConnectionPool {
    ConnectionPool(
      address, applicationName: applicationName, password: password, wait: wait, snapshot: snapshot, idleTime: idleTime,
      attributes: attributes)
  }

  /// The pool for changes: this one, unless it may be connected to a standby although the address has more servers.
  func writing() -> ConnectionPool {
    guard address.hosts.count > 1, !ServerKind.takesWrites(attributes ?? address.serverKind) else { return self }
    let attributes = ServerKind.readWrite
    guard !isShared else {
      return Self.shared(address, applicationName: applicationName, password: password, attributes: attributes)
    }
    return ConnectionPool(
      address, applicationName: applicationName, password: password, wait: wait, snapshot: nil, idleTime: idleTime,
      attributes: attributes)
  }

  func close() { idle.withLock { $0.connections = [] } }

  /// A connection for the caller alone.
  package func take() throws(StoreError) -> PostgresConnection {
    ahead.clear()
    if let connection = takeIdle() { return connection }
    return try fresh()
  }

  /// The last used connection, whose caches in the server are the best filled ones.
  private func takeIdle() -> PostgresConnection? { idle.withLock { $0.connections.popLast()?.connection } }

  /// A new connection.
  ///
  /// - Parameter end: how long to retry an unreachable server; nil for the default time from now on.
  func fresh(until end: ContinuousClock.Instant? = nil) throws(StoreError) -> PostgresConnection {
    let connection = try PostgresConnection(
      address, applicationName: applicationName, password: password, waiting: wait, attributes: attributes,
      until: end ?? .now + patience.reconnecting)
    do throws(ServerFault) { try snapshot?.adopt(connection, patience) } catch { throw StoreError(error) }
    return connection
  }

  /// A connection on which `body` was run, for a transaction that stays open. A connection that was lost while idle is
  /// replaced.
  func held<Result>(
    writing: Bool = false, until end: ContinuousClock.Instant? = nil,
    _ body: (PostgresConnection) throws(ServerFault) -> Result
  ) throws(StoreError) -> (PostgresConnection, Result) {
    ahead.clear()
    let connection = if let idle = takeIdle() { idle } else { try fresh(until: end) }
    do throws(ServerFault) {
      return (connection, try body(connection))
    } catch {
      guard error.isLost, !error.isSilent else { throw StoreError(error, writing: writing) }
    }
    // The server may be gone, and the other idle connections with it.
    close()
    let other = try fresh(until: end)
    do throws(ServerFault) { return (other, try body(other)) } catch { throw StoreError(error, writing: writing) }
  }

  /// Takes a connection back; a lost one is closed.
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

  /// Closes connections that were idle for too long. Returns the time until the next one is; nil if there are no more.
  private func closeIdle() -> Duration {
    let now = ContinuousClock.now
    return idle.withLock { idle in
      idle.connections.removeAll { $0.since + idleTime <= now }
      idle.isWatched = !idle.connections.isEmpty
      return idle.connections.first.map { $0.since + idleTime - now } ?? .zero
    }
  }

  /// Runs `body` with a connection, outside of any transaction.
  ///
  /// A lost connection is replaced while there is time. `body` is then run once more, if `again` says that nothing of
  /// it was seen yet.
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
        if isLost { close() }
      }
      if !isFirst { LiveFileOperations().sleep(.milliseconds(100)) }
      isFirst = false
      connection = try fresh(until: end)
    }
  }
}
