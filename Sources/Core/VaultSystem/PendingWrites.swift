internal import Synchronization

/// The unfinished writes of this process, so that a process that is asked to end leaves no staged file behind.
package enum PendingWrites {
  private static let isEnding = Atomic<Bool>(false)
  private static let count = Atomic<Int>(0)
  /// A class holds the mutex, because the optimiser can leave a static mutex undefined (Tests/Toolchain).
  private final class Unpublished: Sendable {
    let removals = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
  }

  /// For each owner, how to remove its unpublished file.
  private static let unpublished = Unpublished()

  /// Whether new files may no longer be staged.
  package static var isStopping: Bool { isEnding.load(ordering: .sequentiallyConsistent) }

  /// Stops all writes. A process calls this when it is about to end: uncommitted writes are undone, committed ones
  /// completed.
  ///
  /// Afterwards no write of this process begins or returns. A write that takes longer than `limit` is cut off by the
  /// end of the process, as by a power failure; the next process that locks cleans up.
  package static func stop(within limit: Duration) {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    let operations = LiveFileOperations()
    let end = operations.now() + limit
    while count.load(ordering: .sequentiallyConsistent) > 0, operations.now() < end {
      operations.sleep(.milliseconds(1))
    }
    unpublished.removals.withLock { $0.values.forEach { $0() } }
  }

  /// Notes how to remove a file if the process is asked to end before ``forget(_:)``.
  static func remember(_ file: AnyObject, removal: @escaping @Sendable () -> Void) {
    unpublished.removals.withLock { $0[ObjectIdentifier(file)] = removal }
  }

  static func forget(_ file: AnyObject) {
    _ = unpublished.removals.withLock { $0.removeValue(forKey: ObjectIdentifier(file)) }
  }

  /// The end of the process waits for `body`. If the process is already ending, this call never returns.
  package static func during<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Notes that a write begins; `end` must follow. If the process is already ending, this never returns.
  package static func begin() {
    // Count first, then ask: in the one order of all four operations, either this write sees the end or `stop` sees
    // this write.
    count.add(1, ordering: .sequentiallyConsistent)
    if isStopping { end() }
  }

  /// Notes that a write was completed or undone.
  ///
  /// If the process is ending, the writer waits here, so that nothing is reported about a stopped write.
  package static func end() {
    count.subtract(1, ordering: .sequentiallyConsistent)
    waitForEnd()
  }

  /// Returns unless the process was asked to end.
  static func waitForEnd() {
    while isStopping { LiveFileOperations().sleep(.seconds(1)) }
  }
}
