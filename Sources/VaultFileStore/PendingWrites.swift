internal import Synchronization
internal import VaultStorage

/// The writes under way in this process, so that one that is asked to end leaves no staged file behind.
public enum PendingWrites {
  private struct State {
    var isStopping = false
    var count = 0
  }

  private static let state = Mutex(State())

  /// Whether nothing new may be staged any more.
  static var isStopping: Bool { state.withLock { $0.isStopping } }

  /// To be called by a process that is about to end: what is not committed yet is undone, what is, is put in place.
  ///
  /// Afterwards no write of this process begins or returns. One that takes longer than `limit` is cut off by the end of the
  /// process as by a power failure; the next to lock clears up after it.
  public static func stop(within limit: Duration) {
    state.withLock { $0.isStopping = true }
    let operations = LiveFileOperations()
    let end = operations.now() + limit
    while state.withLock({ $0.count > 0 }), operations.now() < end { operations.sleep(.milliseconds(1)) }
  }

  /// Does a write.
  static func during<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Notes that a write begins, which `end` must follow.
  static func begin() { count(+1) }

  /// Notes that a write was completed or undone.
  static func end() { count(-1) }

  /// Whoever writes while the process ends waits here for that, so that nothing is said about a write that was stopped.
  private static func count(_ step: Int) {
    let isStopping = state.withLock { state in
      if step < 0 || !state.isStopping { state.count += step }
      return state.isStopping
    }
    while isStopping { LiveFileOperations().sleep(.seconds(1)) }
  }
}
