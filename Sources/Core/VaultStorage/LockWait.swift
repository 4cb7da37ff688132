/// The pace of waiting for a lock: short steps first, `onWait` once after a second, an error at the end.
///
/// Stores poll, since a blocking wait can neither time out nor tell the user who holds the lock.
public struct LockWait {
  private let start: Duration
  private let timeout: Duration
  private let path: String?
  private let longestStep: Duration
  private var step: Duration
  private var isAnnounced = false

  /// A wait that began at `start`, on the clock that `nextStep` is given.
  ///
  /// - Parameters:
  ///   - path: the vault's, for the error.
  ///   - steps: the first sleep, which doubles, and the longest.
  public init(
    start: Duration, timeout: Duration, path: String? = nil,
    steps: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(25)
  ) {
    (self.start, self.timeout, self.path) = (start, timeout, path)
    (step, longestStep) = (steps.lowerBound, steps.upperBound)
  }

  /// How long to sleep before the next attempt.
  ///
  /// - Parameter isOwn: whether this process itself is the holder.
  /// - Throws: `StoreError` `.locked`, when the time is over or nobody waits any more.
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
    // Whoever waits is told on time.
    let untilTold = isAnnounced ? timeout : .seconds(1) - waited
    return min(step, timeout - waited, untilTold)
  }
}
