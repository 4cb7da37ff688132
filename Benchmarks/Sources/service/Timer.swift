import Dispatch
import VaultKit
import VaultRecords

/// A task that sleeps, beside tasks that read everything.
enum Timer {
  static let limit = Duration.milliseconds(50)
  /// If threads that only calculate delay it for longer, the cause is the system.
  static let floorFactor = 1.5
  private static let sleep = Duration.milliseconds(10)

  static func measure(at place: String, _ count: Int) async throws -> Bool {
    let vault = try await Measured.create(at: place)
    _ = try await vault.add(contentsOf: Measured.customers(count))
    let idle = await worst { try? await Task.sleep(for: .seconds(1)) }
    let clock = ContinuousClock()
    let start = clock.now
    let busy = await worst {
      async let one = vault.records(of: Customer.self).count
      async let other = vault.records(of: Customer.self).count
      let counts = (try? await one, try? await other)
      if counts.0 != count || counts.1 != count { say("records that were read", "\(counts)") }
    }
    // As many threads as the vault has, for as long.
    let threads = Process.poolCount + 2
    let time = start.duration(to: clock.now)
    let floor = await worst { await calculate(on: threads, for: time) }
    say("two reads of \(count) customers at once", milliseconds(time))
    say("latest of a task that sleeps 10 ms, with nothing else to do", milliseconds(idle))
    say("latest of it while they are read", "\(milliseconds(busy)), at most \(milliseconds(limit))")
    say("latest of it beside \(threads) threads that calculate as long, without a vault", milliseconds(floor))
    return busy <= max(limit, floor * floorFactor)
  }

  private static func calculate(on threads: Int, for time: Duration) async {
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      for number in 0..<threads {
        // A serial queue has a thread of its own, beside those of Swift's pool.
        DispatchQueue(label: "calculates.\(number)").async(group: group) {
          let clock = ContinuousClock()
          let end = clock.now + time
          while clock.now < end {}
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  /// How late the sleeping task was at its latest, while `work` lasted.
  private static func worst(while work: @Sendable () async -> Void) async -> Duration {
    let sleeper = Task.detached {
      let clock = ContinuousClock()
      var worst = Duration.zero
      while !Task.isCancelled {
        let start = clock.now
        try? await Task.sleep(for: sleep)
        if Task.isCancelled { break }
        worst = max(worst, start.duration(to: clock.now) - sleep)
      }
      return worst
    }
    await work()
    sleeper.cancel()
    return await sleeper.value
  }
}
