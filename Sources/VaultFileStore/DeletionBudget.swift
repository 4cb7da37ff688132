internal import Synchronization
internal import VaultStorage
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
extension FileSystem {
  /// Deletes an entry of a directory with what is in it, as far as that is possible.
  func removeTree(_ entry: DirectoryEntry, in directory: Int32, depth: Int, within budget: DeletionBudget? = nil) {
    guard entry.isExact, depth > 0 else { return }
    if entry.kind != .directory {
      if let budget, !budget.takesOne() { return }
      if (try? remove(entry.name, in: directory)) != nil { return }
    }
    guard removeContents(of: entry.name, in: directory, depth: depth, within: budget) else { return }
    try? call(at: entry.name) { (system) throws(Errno) in try system.removeDirectory(entry.name, in: directory) }
  }

  /// Returns whether there is such a folder.
  private func removeContents(of name: String, in directory: Int32, depth: Int, within budget: DeletionBudget?) -> Bool
  {
    guard let folder = try? open(name, in: directory, as: .directory, at: name) else { return false }
    let descriptor = folder.descriptor
    let entries = try? call(at: name) { (system) throws(Errno) in try system.entries(of: descriptor) }
    for entry in entries ?? [] { removeTree(entry, in: descriptor, depth: depth - 1, within: budget) }
    return true
  }

  private func remove(_ name: String, in directory: Int32) throws(StoreError) {
    try call(at: name) { (system) throws(Errno) in try system.removeFile(name, in: directory) }
  }
}
