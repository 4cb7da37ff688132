internal import Synchronization
internal import VaultStorage

/// The connections of one store: one for each thread that asks at a time, kept for the next.
final class ConnectionPool: Sendable {
  private let address: PostgresAddress
  private let applicationName: String
  private let password: String?
  /// What all of them see; nil for the present.
  private let snapshot: Snapshot?
  private let idle = Mutex<[PostgresConnection]>([])

  init(_ address: PostgresAddress, applicationName: String, password: String?, snapshot: Snapshot? = nil) {
    (self.address, self.applicationName, self.password) = (address, applicationName, password)
    self.snapshot = snapshot
  }

  /// Another pool, of connections that see one moment.
  func showing(_ snapshot: Snapshot) -> ConnectionPool {
    ConnectionPool(address, applicationName: applicationName, password: password, snapshot: snapshot)
  }

  /// Lets go of those that nobody uses.
  func close() { idle.withLock { $0 = [] } }

  /// A connection of the caller's own.
  ///
  /// - Throws: `StoreError` `.ioFailed`.
  func take() throws(StoreError) -> PostgresConnection {
    if let connection = idle.withLock({ $0.popLast() }) { return connection }
    return try fresh()
  }

  /// One that nobody has used.
  func fresh() throws(StoreError) -> PostgresConnection {
    let connection = try PostgresConnection(address, applicationName: applicationName, password: password)
    do throws(ServerFault) { try snapshot?.adopt(connection) } catch { throw StoreError(error) }
    return connection
  }

  /// Takes one back; one that is lost is let go.
  func give(_ connection: PostgresConnection) {
    guard !connection.isLost else { return }
    idle.withLock { $0.append(connection) }
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
