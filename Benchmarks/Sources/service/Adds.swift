import VaultCare
import VaultKit

/// Many tasks that add a customer each.
enum Adds {
  static let limit = 8

  static func measure(at place: String, _ count: Int) async throws -> Bool {
    let vault = try await Measured.create(at: place)
    let peak = Peak()
    let clock = ContinuousClock()
    let start = clock.now
    // The main thread may be one of the pool's, or wait for it.
    let pool = Process.poolCount + 1
    let watcher = Task.detached {
      while !Task.isCancelled {
        await peak.take(Process.threadCount)
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask { _ = try await vault.add(Measured.customer(number)) } }
      try await group.waitForAll()
    }
    let time = start.duration(to: clock.now)
    watcher.cancel()
    let beyond = await peak.value - pool
    let found = try await vault.verify()
    say(
      "\(count) tasks that add a customer each",
      "\(milliseconds(time)), \(Int(Double(count) / (time / .seconds(1)))) a second")
    say("records, all of them good", "\(found.recordCount)")
    say("threads beyond the pool of \(Process.poolCount) and the first", "\(beyond), at most \(limit)")
    return beyond <= limit && found.isGood && found.recordCount == count
  }

  private actor Peak {
    private(set) var value = 0
    func take(_ count: Int) { value = max(value, count) }
  }
}
