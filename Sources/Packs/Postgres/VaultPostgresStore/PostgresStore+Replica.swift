internal import Synchronization
package import VaultStorage
internal import VaultSystem

/// How long a store waits for its replica: in total over all calls, because many records may be older at once.
final class ReplicaWait: Sendable {
  private struct Times {
    var end: ContinuousClock.Instant?
    /// The time since when the replica has all changes that were sent to it.
    var calm: ContinuousClock.Instant?
  }

  /// A replica that had all changes for this long will not get more of the earlier writes.
  private static let calmTime = Duration.seconds(1)

  private let times = Mutex(Times())

  /// The final state of a replica; nil while it can still change.
  func state(isBehind: Bool, _ patience: ServerPatience) -> ReplicaState? {
    times.withLock { times in
      let now = ContinuousClock.now
      times.calm = isBehind ? nil : times.calm ?? now
      if let calm = times.calm, calm + Self.calmTime <= now { return .caughtUp }
      let end = times.end ?? now + max(.seconds(1), patience.reconnecting)
      times.end = end
      return end <= now ? .behind : nil
    }
  }
}

extension PostgresStore {
  package func catchUp(until isNewer: () -> Bool) -> ReplicaState? {
    guard var isBehind = isBehind() else { return nil }
    let start = ContinuousClock.now
    while true {
      if isNewer() { return .newer }
      if let state = replicaWait.state(isBehind: isBehind, pool.patience) { return state }
      if ContinuousClock.now - start >= .seconds(1) { pool.tellWait(.replica) }
      LiveFileOperations().sleep(.milliseconds(100))
      isBehind = self.isBehind() ?? true
    }
  }

  /// Whether a replica lacks changes that were sent to it, or its server cannot be asked; nil for a server that takes
  /// changes.
  private func isBehind() -> Bool? {
    // Only administrators see the columns of the receiver, but everybody sees its row.
    let statement = """
      SELECT CASE WHEN pg_is_in_recovery() THEN NOT (NOT pg_is_wal_replay_paused()
        AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver)
        AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn()) END
      """
    let answer = try? readers.with { connection throws(ServerFault) -> Bool? in
      guard let row = try connection.row(statement), row.cells.first ?? nil != nil else { return nil }
      return try row.isTrue(0)
    }
    return answer ?? nil
  }
}
