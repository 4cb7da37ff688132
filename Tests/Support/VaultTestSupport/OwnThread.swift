internal import Dispatch
internal import Synchronization

/// Runs the work of a task on a thread beside those of Swift's pool, all of which may be waiting for tasks like it.
package final class OwnThread: TaskExecutor {
  // A serial queue has a thread of its own.
  private let queue = DispatchQueue(label: "test.run")

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      // Safe: the queue holds the executor until the job is done, and each job is run once.
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }

  /// Begins `body`.
  ///
  /// - Returns: a function that waits for the end of it and returns its result.
  package static func begin<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> () -> Result {
    let outcome = Outcome<Result>()
    Task.detached(executorPreference: OwnThread()) { outcome.set(await body()) }
    return outcome.get
  }
}

private final class Outcome<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ new: Value) {
    value.withLock { $0 = new }
    isThere.signal()
  }

  func get() -> Value {
    isThere.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("a value is set before it is said") }
    return value
  }
}
