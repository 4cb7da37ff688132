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
  }

  // A serial queue has its own thread beside Swift's pool. Outside Darwin, a concurrent queue takes the pool's threads,
  // and other tasks would then wait for ours.
  private let state = Mutex(
    State(idle: (0..<threadLimit).map { DispatchQueue(label: "vault.work.\($0)") }))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let idle = state.withLock { state in
      state.jobs.append(job)
      return state.idle.popLast()
    }
    if let idle { idle.async { self.serve(idle) } }
  }

  private func serve(_ queue: DispatchQueue) {
    // Safe: the one executor lives as long as the process, and each job is run once, by the queue that took it out.
    let executor = unsafe asUnownedTaskExecutor()
    while let job = next(queue) { unsafe job.runSynchronously(on: executor) }
  }

  /// The next job; without one the queue gives up its thread.
  private func next(_ queue: DispatchQueue) -> UnownedJob? {
    state.withLock { state in
      guard state.first < state.jobs.count else {
        (state.jobs, state.first) = ([], 0)
        state.idle.append(queue)
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

/// Runs `body` on a thread of the ``Workers``, in any isolation of the caller.
package nonisolated(nonsending) func working<Result: Sendable, Failure: Error>(
  _ body: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  try await withTaskExecutorPreference(Workers.shared) { () async throws(Failure) -> Result in
    try await apart(body)
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
