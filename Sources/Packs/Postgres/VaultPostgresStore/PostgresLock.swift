internal import Synchronization
internal import VaultStorage
internal import VaultSystem

/// A lock on a vault: rows of the table `locks`, locked by a transaction that stays open. The server ends it with its
/// connection, or if its client sends nothing for a while, so a stale lock cannot exist.
///
/// A writer knows the vault's row from the time when it got the lock, and changes the vault only if the row is still
/// the same. If its connection is lost and another writer takes over, one of the two is refused.
final class PostgresLock: ReleasingLock {
  let kind: LockKind
  /// How long a change waits for rows that others hold.
  let patience: Duration
  /// The fence that the holder's changes write into the vault's row.
  let fence = Int64.random(in: 1 ... .max)
  /// Documents that were read with the lock; nothing changes until the holder changes it.
  let ahead = ReadAhead()
  private let transaction: HeldTransaction
  private let pool: ConnectionPool
  private let store: ObjectIdentifier
  private let known: Mutex<VaultRow>
  private let isEnding = Atomic(false)
  private let isLostUnused = Atomic(false)
  private let reading = Mutex(RecordPrefetch())

  init(
    _ kind: LockKind, _ connection: PostgresConnection, of store: PostgresStore, within patience: Duration,
    _ row: VaultRow = VaultRow()
  ) {
    (self.kind, self.pool, self.store) = (kind, store.pool, ObjectIdentifier(store))
    self.patience = Self.patience(within: patience)
    transaction = HeldTransaction(connection, store.pool.patience)
    known = Mutex(row)
  }

  deinit { release() }

  /// How long a change waits for rows that others hold, if the lock was waited for within a limit.
  static func patience(within timeout: Duration) -> Duration { max(.seconds(1), timeout) }

  /// The vault's row after the holder's last change.
  var row: VaultRow {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  /// Records that are read ahead with the lock.
  var prefetch: RecordPrefetch { reading.withLock { $0 } }

  /// Forgets all documents that were read ahead, because the holder is about to change one.
  func forgetReading() {
    ahead.clear()
    reading.withLock { $0 = RecordPrefetch() }
  }

  /// The set of live records.
  var live: Int64 {
    get { row.live }
    set { known.withLock { $0.live = newValue } }
  }

  /// Notes that a change of the holder is stored.
  func noteChange() { known.withLock { ($0.generation, $0.fence) = ($0.generation + 1, fence) } }

  func isExclusive(of store: PostgresStore) -> Bool {
    kind == .exclusive && self.store == ObjectIdentifier(store) && transaction.isHeld
  }

  func release() { transaction.end(pool) }

  /// Notes that another writer has changed the vault since the holder got the lock.
  func noteLoss() { if row.fence != fence { isLostUnused.store(true, ordering: .relaxed) } }

  var wasLostUnused: Bool { isLostUnused.load(ordering: .relaxed) }

  func releaseWithNextChange() { isEnding.store(true, ordering: .relaxed) }

  /// The connection whose transaction holds the lock, if its commit may release it; nil if it must stay.
  func takeEndingTransaction() -> PostgresConnection? {
    guard isEnding.load(ordering: .relaxed), !transaction.isBroken.load(ordering: .relaxed) else { return nil }
    guard let connection = transaction.take(), !connection.isLost else { return nil }
    return connection
  }

  /// Reads in the lock's own transaction, which sees all that is committed; nil if that is not possible now.
  func reading<Result: Sendable>(_ body: (PostgresConnection) throws(ServerFault) -> Result) -> Result? {
    transaction.withIfFree(body)
  }
}

/// The numbers that order the writers of a vault.
struct VaultRow: Equatable {
  /// Counts the changes.
  var generation: Int64 = 0
  /// Drawn at random by each writer.
  var fence: Int64 = 0
  /// The set of live records.
  var live: Int64 = 0
}

/// The lock that a store holds, which ends with its last reference elsewhere.
struct Holding { weak var lock: PostgresLock? }
