/// The pace of waiting for a lock: short steps first, `onWait` once after a second, an error at the end.
///
/// Stores poll, because a blocking wait cannot time out, and cannot tell the user who holds the lock.
public struct LockWait {
  private let start: Duration
  private let timeout: Duration
  private let path: String?
  private let longestStep: Duration
  private var step: Duration
  private var isAnnounced = false

  /// Begins a wait at `start`, a time of the same clock as in `nextStep`.
  ///
  /// - Parameters:
  ///   - path: the vault's path, for the error.
  ///   - steps: the first sleep, which doubles each time, and the longest.
  public init(
    start: Duration, timeout: Duration, path: String? = nil,
    steps: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(25)
  ) {
    (self.start, self.timeout, self.path) = (start, timeout, path)
    (step, longestStep) = (steps.lowerBound, steps.upperBound)
  }

  /// The time to sleep before the next attempt.
  ///
  /// - Parameter isOwn: whether this process is the holder.
  /// - Throws: `StoreError` `.locked` if the time is over or the lock is no longer wanted.
  public mutating func nextStep(
    now: Duration, holder: () -> Int32?, isOwn: () -> Bool = { false }, isWanted: () -> Bool = { true },
    onWait: (Int32?) -> Void
  ) throws(StoreError) -> Duration {
    let waited = now - start
    guard waited < timeout, isWanted() else {
      let who = isOwn() ? "this process itself" : "another process"
      throw StoreError(.locked, reason: who + " holds the vault's lock", path: path, holder: holder())
    }
    if waited >= .seconds(1), !isAnnounced {
      isAnnounced = true
      onWait(holder())
    }
    defer { step = min(step * 2, longestStep) }
    // Wake in time to call `onWait` after one second.
    let untilTold = isAnnounced ? timeout : .seconds(1) - waited
    return min(step, timeout - waited, untilTold)
  }
}
