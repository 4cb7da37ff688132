internal import Dispatch
internal import Synchronization

/// Threads for slow work of vaults, so that reading files, opening values and waiting for a disk block no thread of
/// Swift's pool and no actor.
final class Workers: TaskExecutor {
  static let shared = Workers()

  /// One per core, and two that may wait for a disk meanwhile.
  static let threadLimit = ParallelMap.coreCount + 2

  private struct State {
    /// The waiting jobs, from `first` on, first come first served.
    var jobs: [UnownedJob] = []
    var first = 0
    /// The queues without a thread; the last one used is the first to be used again.
    var idle: [DispatchQueue]
    /// Whether the first thread waits for a job.
    var firstThreadIsIdle = false
  }

  // A serial queue has its own thread beside Swift's pool. Outside Darwin, a concurrent queue takes the pool's threads,
  // and other tasks would then wait for ours.
  private let state = Mutex(
    State(idle: (0..<threadLimit).map { DispatchQueue(label: "vault.work.\($0)") }))
  private let firstThread = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let hasThread = Self.hasThread
    let (wakesFirst, idle) = state.withLock { state -> (Bool, DispatchQueue?) in
      state.jobs.append(job)
      if hasThread { return (false, nil) }
      guard state.firstThreadIsIdle else { return (false, state.idle.popLast()) }
      state.firstThreadIsIdle = false
      return (true, nil)
    }
    if wakesFirst { firstThread.signal() }
    if let idle { idle.async { self.serve { $0.idle.append(idle) } } }
  }

  /// Does `body`, and serves on the calling thread for as long as the process lives.
  fileprivate func serve(beginningWith body: @escaping @Sendable () async -> Never) -> Never {
    state.withLock { $0.firstThreadIsIdle = true }
    Task.detached(executorPreference: self) { await body() }
    while true {
      firstThread.wait()
      serve { $0.firstThreadIsIdle = true }
    }
  }

  /// Whether the thread that adds a job is about to run it.
  @TaskLocal private static var hasThread = false

  /// Does `body`, and runs the tasks that it resumes on the calling thread: to wake another one for them takes longer
  /// than most of them do. The thread is a further one of the workers until nothing waits.
  func resuming(_ body: () -> Void) {
    Self.$hasThread.withValue(true) { body() }
    serve { _ in }
  }

  /// Runs what waits.
  ///
  /// - Parameter whenIdle: notes that this thread has nothing left to do.
  private func serve(_ whenIdle: (inout State) -> Void) {
    // Safe: the one executor lives as long as the process, and each job runs once, on the thread that dequeued it.
    let executor = unsafe asUnownedTaskExecutor()
    while let job = next(whenIdle) { unsafe job.runSynchronously(on: executor) }
  }

  /// Removes the next job; nil without a job, and then `whenIdle` runs under the same lock, so that no job is missed.
  private func next(_ whenIdle: (inout State) -> Void) -> UnownedJob? {
    state.withLock { state in
      guard state.first < state.jobs.count else {
        (state.jobs, state.first) = ([], 0)
        whenIdle(&state)
        return nil
      }
      if state.first >= 1024, state.first * 2 >= state.jobs.count {
        state.jobs.removeFirst(state.first)
        state.first = 0
      }
      defer { state.first += 1 }
      return state.jobs[state.first]
    }
  }
}

/// Does the work of a whole program on the calling thread, which is one of the ``Workers`` from then on.
///
/// A run that waits for nothing then has one thread: Swift's pool starts three, and their heaps grow by a page at a
/// time (decision 215).
package func workingAlone(_ body: @escaping @Sendable () async -> Never) -> Never {
  Workers.shared.serve(beginningWith: body)
}

/// Does `body` on a thread of the ``Workers``, whatever the caller is isolated to.
package nonisolated(nonsending) func working<Result: Sendable, Failure: Error>(
  _ body: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  try await withTaskExecutorPreference(Workers.shared) { () async throws(Failure) -> Result in
    try await apart(body)
  }
}

/// Does `body` in the caller's isolation. If the caller has no actor, `body` is on a thread of the ``Workers``, and
/// each ``working(_:)`` in it stays there.
package nonisolated(nonsending) func nearWorkers<Result, Failure: Error>(
  _ body: nonisolated(nonsending) () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  // In the closure below nothing belongs to the caller's actor any more. Swift 6.3.1 crashes on this test in a `guard`.
  let actor = #isolation
  if actor != nil { return try await body() }
  return try await withTaskExecutorPreference(Workers.shared) { () async throws(Failure) -> Result in
    try await body()
  }
}

/// Leaves the caller's actor for the executor that the task prefers.
@concurrent private func apart<Result: Sendable, Failure: Error>(
  _ body: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result { try body() }

/// Runs `work` outside of the caller's actor. Calls `progress` in the caller's isolation with each step that the work
/// reports, the last of them before this returns.
package nonisolated(nonsending) func reporting<Step: Sendable, Result: Sendable, Failure: Error>(
  to progress: (Step) -> Void,
  _ work: @escaping @Sendable (_ report: @escaping @Sendable (Step) -> Void) async throws(Failure) -> Result
) async throws(Failure) -> Result {
  let (steps, reports) = AsyncStream.makeStream(of: Step.self)
  async let result = outcome(of: work, reports)
  for await step in steps { progress(step) }
  return try await result.get()
}

/// The result of `work` for `reporting`; the reports end with it in any case.
@concurrent private func outcome<Step: Sendable, Success: Sendable, Failure: Error>(
  of work: @Sendable (_ report: @escaping @Sendable (Step) -> Void) async throws(Failure) -> Success,
  _ reports: AsyncStream<Step>.Continuation
) async -> Result<Success, Failure> {
  defer { reports.finish() }
  return await withTaskExecutorPreference(Workers.shared) {
    do throws(Failure) {
      return .success(try await work { _ = reports.yield($0) })
    } catch {
      return .failure(error)
    }
  }
}
