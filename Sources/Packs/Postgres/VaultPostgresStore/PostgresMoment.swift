internal import Synchronization
internal import VaultStorage

/// The vault as it is at one moment: transactions that see the same, which stop no writer.
///
/// The first of them stays open for as long as the lock is held, and has told the server to lend what it sees to others
/// (PostgreSQL manual, "Snapshot Synchronization Functions"): so it can be read by several threads.
final class PostgresMoment: StoreLock {
  let kind = LockKind.snapshot
  private let transaction: HeldTransaction
  private let shown: Mutex<PostgresStore?>
  private let pool: ConnectionPool

  init(_ connection: PostgresConnection, of store: PostgresStore, named name: String) {
    pool = store.pool
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

/// What a transaction of the server lends of what it sees.
package final class Snapshot: Sendable {
  private static let beginning = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  /// The server ends the transaction of a client that is gone; one that lives, and takes long, sends something.
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

  /// Takes one; the connection keeps it.
  static func taken(by connection: PostgresConnection, _ patience: ServerPatience) throws(ServerFault) -> String {
    try begin(connection, patience)
    guard let name = try connection.row("SELECT pg_export_snapshot()")?.text(0), isPlain(name) else { throw .malformed }
    return name
  }

  /// Lets a connection see the same.
  func adopt(_ connection: PostgresConnection, _ patience: ServerPatience) throws(ServerFault) {
    try connection.run(Self.beginning)
    try connection.run("SET TRANSACTION SNAPSHOT '\(name)'")
    try connection.run(Self.limit(patience))
  }

  /// It goes into a statement, which takes no values.
  private static func isPlain(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 &- 48) < 10 || ($0 &- 65) < 6 }
  }

  /// Nothing changes here, so readers keep nobody out.
  func lock(_ kind: LockKind) throws(StoreError) -> any StoreLock {
    guard kind != .exclusive else {
      throw StoreError(.readOnly, reason: "this is the vault as it was at one moment, which is only read")
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
    let (connection, snapshot) = try pool.held { connection throws(ServerFault) in
      try Snapshot.taken(by: connection, pool.patience)
    }
    return PostgresMoment(connection, of: self, named: snapshot)
  }
}
