internal import Synchronization

/// The writes under way in this process, so that one that is asked to end leaves no staged file behind.
package enum PendingWrites {
  private static let isEnding = Atomic<Bool>(false)
  private static let count = Atomic<Int>(0)
  /// A class holds the mutex, because the optimiser can leave a static mutex undefined (Tests/Toolchain).
  private final class Unpublished: Sendable {
    let removals = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
  }

  /// How to remove the files that are not published yet, by their owners.
  private static let unpublished = Unpublished()

  /// Whether nothing new may be staged any more.
  package static var isStopping: Bool { isEnding.load(ordering: .sequentiallyConsistent) }

  /// To be called by a process that is about to end: what is not committed yet is undone, what is, is put in place.
  ///
  /// Afterwards no write of this process begins or returns. One that takes longer than `limit` is cut off by the end of
  /// the process as by a power failure; the next to lock clears up after it.
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

  /// Does a write.
  package static func during<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  /// Notes that a write begins, which `end` must follow.
  package static func begin() {
    // Counted before it is asked: in the one order of all four operations, either this sees the end or `stop` this
    // write.
    count.add(1, ordering: .sequentiallyConsistent)
    if isStopping { end() }
  }

  /// Notes that a write was completed or undone.
  ///
  /// Whoever writes while the process ends waits here for that, so that nothing is said about a write that was stopped.
  package static func end() {
    count.subtract(1, ordering: .sequentiallyConsistent)
    waitForEnd()
  }

  /// Returns where the process is not asked to end.
  static func waitForEnd() {
    while isStopping { LiveFileOperations().sleep(.seconds(1)) }
  }
}
