internal import Synchronization

/// Runs something in a task that is cancelled at a chosen moment of its work.
package final class Cancellation: Sendable {
  private struct State {
    var count = 0
    var moment = Int.max
    var cancel: (@Sendable () -> Void)?
  }

  /// Before anything is done.
  package static let beforeStart = 0

  private let state = Mutex(State())

  package init() {}

  /// How many steps the last work had, and whatever came after it.
  package var count: Int { state.withLock { $0.count } }

  /// Notes that the work goes on, and cancels it when its moment has come.
  package func step() {
    let cancel = state.withLock { state in
      state.count += 1
      return state.count == state.moment ? state.cancel : nil
    }
    cancel?()
  }

  /// Does `work` in a task of its own.
  ///
  /// - Parameter moment: the number of the ``step()`` at which the task is cancelled, from 1; ``beforeStart``; nil for
  ///   never.
  package func run<Success: Sendable>(
    at moment: Int?, _ work: sending @escaping () async throws -> Success
  ) async -> Result<Success, any Error> {
    let (start, starter) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in start { break }
      return try await work()
    }
    state.withLock { $0 = State(moment: moment ?? .max, cancel: { task.cancel() }) }
    if moment == Self.beforeStart { task.cancel() }
    starter.yield()
    return await task.result
  }

  /// At most so many of the steps of work that has `count`, evenly, and the moment before the first. A sample has a
  /// fifth of them.
  package static func moments(_ maximum: Int = 60, of count: Int) -> [Int] {
    let number = min(maximum, count)
    let numbers = Sweep("moments, \(maximum) of \(count)", in: 0..<number, oneOf: 5)
    return [beforeStart] + numbers.map { 1 + $0 * count / number }
  }
}
