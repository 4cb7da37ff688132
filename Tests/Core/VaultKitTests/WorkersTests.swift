import Synchronization
import Testing
import VaultKit

/// The threads for a vault's slow work.
struct WorkersTests {
  @Test("Many jobs run on few threads, each once")
  func everyJobRunsOnce() async {
    let count = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5_000 { group.addTask { await working { count.increase() } } }
    }
    #expect(count.value == 5_000)
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increase() { count.add(1, ordering: .relaxed) }
}
