package import VaultDocument
internal import VaultSystem

/// The clocks of an agent. A test has its own clocks, and can let the machine sleep.
package struct AgentClock: Sendable {
  /// The time since the machine was started, including sleep.
  package var bootTime: @Sendable () -> Duration
  /// The time since the machine was started, without sleep.
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

/// How long a key is held.
package struct AgentLease: Sendable {
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

  package mutating func use() { used = clock.bootTime() }

  /// Why the lease is over; nil while it is not. If the machine slept, that is the reason, even if a time limit has
  /// passed as well.
  package var end: End? {
    let now = clock.bootTime()
    if now - clock.wakingTime() - gap > .seconds(2) { return .suspended }
    if now >= last { return .maximum }
    return now >= used + idle ? .idle : nil
  }

  /// The remaining time without further use.
  package var rest: Duration { max(.zero, min(used + idle, last) - clock.bootTime()) }
  /// The maximum remaining time.
  var longestRest: Duration { max(.zero, last - clock.bootTime()) }
}
