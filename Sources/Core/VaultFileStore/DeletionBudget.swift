internal import Synchronization
internal import VaultSystem

/// How much of what counts no more is deleted now; what is left is deleted by the next who locks.
///
/// Some files always are, so that little is never left; more of them only as long as there is time.
final class DeletionBudget: Sendable {
  private let fileCount: Atomic<Int>
  private let end: Duration?
  private let operations: any FileOperations

  /// So many files are deleted whatever it takes.
  private static let smallCount = 1000

  /// - Parameter end: when the time is over, on the clock of `operations`; nil is at once.
  init(until end: Duration?, _ operations: any FileOperations) {
    fileCount = Atomic(Self.smallCount)
    self.end = end
    self.operations = operations
  }

  /// Whether one more may be deleted.
  func takesOne() -> Bool {
    if fileCount.subtract(1, ordering: .relaxed).oldValue > 0 { return true }
    return end.map { operations.now() < $0 } ?? false
  }
}
