internal import Synchronization
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// New records that many tasks add one by one. Those that wait for the lock at the same time are stored together by the
/// first task that gets it, because making a write durable takes most of the time.
package final class SingleAdditions: Sendable {
  /// A record that is being added to the vault.
  final class Item: Sendable {
    typealias Make = @Sendable () throws(VaultError) -> StoreChange

    fileprivate enum State {
      case waiting
      /// Another task stores it, and its own task may wait for that.
      case taken(CheckedContinuation<Result<Void, VaultError>, Never>?)
      case done(Result<Void, VaultError>)
    }

    /// Seals the record under the present root key.
    let make: Make
    /// The root under which the record was sealed.
    let root: RootID
    let change: StoreChange
    fileprivate let state = Mutex(State.waiting)

    init(_ root: RootID, _ make: @escaping Make) throws(VaultError) {
      self.make = make
      self.root = root
      change = try make()
    }

    var isDone: Bool { state.withLock { if case .done = $0 { true } else { false } } }

    fileprivate func take() { state.withLock { $0 = .taken(nil) } }

    func end(_ result: Result<Void, VaultError>) {
      let waiter: CheckedContinuation<Result<Void, VaultError>, Never>? = state.withLock { state in
        defer { state = .done(result) }
        guard case .taken(let waiter) = state else { return nil }
        return waiter
      }
      waiter?.resume(returning: result)
    }

    /// The result, after another task took the record. Only the task that made the item calls this, once.
    nonisolated(nonsending) func result() async -> Result<Void, VaultError> {
      await withCheckedContinuation { continuation in
        let result: Result<Void, VaultError>? = state.withLock { state in
          if case .done(let result) = state { return result }
          state = .taken(continuation)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  /// The most records, and the most bytes, that are stored together.
  private static let countLimit = 1024
  private static let byteLimit = 64 << 20

  private let waiting = Mutex<[Item]>([])

  /// The number of records that nobody has taken yet.
  package var waitingCount: Int { waiting.withLock { $0.count } }

  func append(_ item: Item) { waiting.withLock { $0.append(item) } }

  /// Takes an item back; false if another task is storing it.
  func remove(_ item: Item) -> Bool {
    waiting.withLock { items in
      guard let index = items.firstIndex(where: { $0 === item }) else { return false }
      items.remove(at: index)
      return true
    }
  }

  /// Removes the items to store now, in the order in which they came. The caller must call `end` of each, because
  /// their tasks wait for that.
  func take() -> [Item] {
    waiting.withLock { items in
      var (count, byteCount) = (0, 0)
      while count < min(items.count, Self.countLimit), byteCount < Self.byteLimit {
        byteCount += items[count].change.replacement?.count ?? 0
        count += 1
      }
      defer { items.removeFirst(count) }
      for item in items.prefix(count) { item.take() }
      return Array(items.prefix(count))
    }
  }
}
