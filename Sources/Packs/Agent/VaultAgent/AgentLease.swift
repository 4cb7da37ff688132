package import VaultDocument
internal import VaultSystem

/// The clocks of an agent; a test has its own, and can let the machine sleep.
package struct AgentClock: Sendable {
  /// Since the machine was started, with the time in which it slept.
  package var bootTime: @Sendable () -> Duration
  /// The same without.
  package var wakingTime: @Sendable () -> Duration
  package var now: @Sendable () -> Timestamp

  package init(
    bootTime: @escaping @Sendable () -> Duration = { ProcessSession.bootTime },
    wakingTime: @escaping @Sendable () -> Duration = { ProcessSession.wakingTime },
    now: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    (self.bootTime, self.wakingTime, self.now) = (bootTime, wakingTime, now)
  }
}

/// For how long a key is held.
package struct AgentLease: Sendable {
  /// Why it ends.
  package enum End: String, Sendable { case idle, maximum, suspended }

  package let idle: Duration
  private let clock: AgentClock
  private let last: Duration
  private let gap: Duration
  private var used: Duration

  package init(idle: Duration, maximum: Duration, clock: AgentClock) {
    self.idle = idle
    self.clock = clock
    used = clock.bootTime()
    last = used + maximum
    gap = used - clock.wakingTime()
  }

  /// Begins the idle time again.
  package mutating func use() { used = clock.bootTime() }

  /// Why it is over; nil while it is not. It may be over by a clock that stood still meanwhile: what counts is that the
  /// machine slept.
  package var end: End? {
    let now = clock.bootTime()
    if now - clock.wakingTime() - gap > .seconds(2) { return .suspended }
    if now >= last { return .maximum }
    return now >= used + idle ? .idle : nil
  }

  /// How much time is left, when nothing is asked for.
  package var rest: Duration { max(.zero, min(used + idle, last) - clock.bootTime()) }
  /// How much time is left at most.
  var longestRest: Duration { max(.zero, last - clock.bootTime()) }
}
