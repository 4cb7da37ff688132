internal import Synchronization
public import VaultDocument

/// A clock that stands still until it is moved, so that a test writes the same times on every day.
public final class TestClock: Sendable {
  private let time: Mutex<Timestamp>

  /// Makes a clock with a time; by default 1 January 2026, 09:00 UTC.
  public init(at time: Timestamp? = nil) {
    self.time = Mutex(time ?? Self.start)
  }

  /// The present time of the clock.
  public var now: Timestamp { time.withLock { $0 } }

  /// Moves the clock forward or back.
  ///
  /// - Precondition: the time stays in the years 0001 to 9999.
  public func advance(by duration: Duration) {
    time.withLock { $0 = Self.time($0, after: duration) }
  }

  private static let start = time(secondsSinceEpoch: 1_767_258_000, nanoseconds: 0)

  private static func time(_ time: Timestamp, after duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    // Both parts have the sign of the duration.
    let nanoseconds = Int64(time.nanoseconds) + attoseconds / 1_000_000_000
    let carried = (nanoseconds + 1_000_000_000) / 1_000_000_000 - 1
    return Self.time(
      secondsSinceEpoch: time.secondsSinceEpoch + seconds + carried,
      nanoseconds: Int32(nanoseconds - carried * 1_000_000_000))
  }

  private static func time(secondsSinceEpoch: Int64, nanoseconds: Int32) -> Timestamp {
    do throws(DocumentError) {
      return try Timestamp(secondsSinceEpoch: secondsSinceEpoch, nanoseconds: nanoseconds)
    } catch {
      preconditionFailure("a test clock stays in the years 0001 to 9999")
    }
  }
}
