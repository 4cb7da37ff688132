internal import Synchronization
internal import VaultSystem

/// Limits how many obsolete files are deleted now; the next lock holder deletes the rest.
///
/// A minimum is always deleted, so that small leftovers go at once; more only while there is time.
final class DeletionBudget: Sendable {
  private let fileCount: Atomic<Int>
  private let end: Duration?
  private let operations: any FileOperations

  /// This many files are deleted at any cost.
  private static let smallCount = 1000

  /// - Parameter end: the end of the time, on the clock of `operations`; nil means at once.
  init(until end: Duration?, _ operations: any FileOperations) {
    fileCount = Atomic(Self.smallCount)
    self.end = end
    self.operations = operations
  }

  /// Whether one more file may be deleted.
  func takesOne() -> Bool {
    if fileCount.subtract(1, ordering: .relaxed).oldValue > 0 { return true }
    return end.map { operations.now() < $0 } ?? false
  }
}
