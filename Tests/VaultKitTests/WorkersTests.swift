import Synchronization
import Testing

@testable import VaultKit

/// The threads on which a vault does what takes time.
struct WorkersTests {
  @Test("Other tasks run while every worker calculates")
  func workersLeaveThePool() async {
    let ran = Flag()
    // Whoever is kept out of the pool would wait until all of these give up.
    let end = ContinuousClock.now + .seconds(20)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Workers.threadLimit {
        group.addTask { await working { while !ran.isSet, ContinuousClock.now < end {} } }
      }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(50))
        ran.set()
      }
    }
    #expect(ContinuousClock.now < end)
  }

  @Test("Many jobs run on few threads, each once")
  func everyJobRunsOnce() async {
    let count = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5_000 { group.addTask { await working { count.increase() } } }
    }
    #expect(count.value == 5_000)
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increase() { count.add(1, ordering: .relaxed) }
}
