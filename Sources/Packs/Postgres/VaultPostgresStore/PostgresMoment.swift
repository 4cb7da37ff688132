internal import Synchronization
internal import VaultStorage

/// The vault at one moment: transactions that see the same state and block no writer.
///
/// The first of them stays open while the lock is held, and the server lends its view to other transactions (PostgreSQL
/// manual, "Snapshot Synchronization Functions"), so that several threads can read.
final class PostgresMoment: StoreLock {
  let kind = LockKind.snapshot
  private let transaction: HeldTransaction
  private let shown: Mutex<PostgresStore?>
  private let pool: ConnectionPool

  /// - Parameter pool: the pool of the connection.
  init(_ connection: PostgresConnection, of store: PostgresStore, in pool: ConnectionPool, named name: String) {
    self.pool = pool
    transaction = HeldTransaction(connection, pool.patience)
    shown = Mutex(store.view(of: Snapshot(name: name)))
  }

  deinit { release() }

  var view: (any RecordStore)? { shown.withLock { $0 } }

  func release() {
    guard let view = shown.withLock({ $0.take() }) else { return }
    view.pool.close()
    transaction.end(pool)
  }
}

/// The view of a transaction that the server lends to others.
package final class Snapshot: Sendable {
  private static let beginning = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  /// The server ends the transaction of a vanished client; a living one sends a statement now and then.
  static func limit(_ patience: ServerPatience) -> String {
    "SET LOCAL idle_in_transaction_session_timeout = \(patience.readerLimit.milliseconds)"
  }

  let name: String
  let ahead = RecordPrefetch()

  init(name: String) { self.name = name }

  /// Lets a connection see one moment, from its next statement on.
  static func begin(_ connection: PostgresConnection, _ patience: ServerPatience) throws(ServerFault) {
    try connection.run(beginning)
    try connection.run(limit(patience))
  }

  /// Takes a snapshot, which lasts as long as the connection's transaction.
  static func taken(by connection: PostgresConnection, _ patience: ServerPatience) throws(ServerFault) -> String {
    try begin(connection, patience)
    guard let name = try connection.row("SELECT pg_export_snapshot()")?.text(0), isPlain(name) else { throw .malformed }
    return name
  }

  /// Lets a connection see the same moment.
  func adopt(_ connection: PostgresConnection, _ patience: ServerPatience) throws(ServerFault) {
    try connection.run(Self.beginning)
    try connection.run("SET TRANSACTION SNAPSHOT '\(name)'")
    try connection.run(Self.limit(patience))
  }

  /// It becomes part of a statement that takes no values.
  private static func isPlain(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 &- 48) < 10 || ($0 &- 65) < 6 }
  }

  /// Nothing changes here, so readers exclude nobody.
  func lock(_ kind: LockKind) throws(StoreError) -> any StoreLock {
    guard kind != .exclusive else {
      throw StoreError(.readOnly, reason: "this is the vault as it was at one moment, and it is read-only")
    }
    return Nobody(kind: kind)
  }

  private final class Nobody: StoreLock {
    let kind: LockKind
    init(kind: LockKind) { self.kind = kind }
    func release() {}
  }
}

extension PostgresStore {
  func moment() throws(StoreError) -> any StoreLock {
    let pool = readers
    let (connection, snapshot) = try pool.held { connection throws(ServerFault) in
      try Snapshot.taken(by: connection, pool.patience)
    }
    return PostgresMoment(connection, of: self, in: pool, named: snapshot)
  }
}
