internal import Synchronization
public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// New records that are added one by one by many tasks: those that wait for the lock at the same time are stored
/// together by the first who gets it, since what takes time is to make a write durable.
final class SingleAdditions: Sendable {
  /// A record on its way into the vault.
  final class Item: Sendable {
    typealias Make = @Sendable () throws(VaultError) -> StoreChange

    fileprivate enum State {
      case waiting
      /// Somebody has it who stores it, and its own task may wait for that.
      case taken(CheckedContinuation<Result<Void, VaultError>, Never>?)
      case done(Result<Void, VaultError>)
    }

    /// Seals the record under the root key of the moment.
    let make: Make
    /// Whose id the record was sealed under.
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

    fileprivate func end(_ result: Result<Void, VaultError>) {
      let waiter: CheckedContinuation<Result<Void, VaultError>, Never>? = state.withLock { state in
        defer { state = .done(result) }
        guard case .taken(let waiter) = state else { return nil }
        return waiter
      }
      waiter?.resume(returning: result)
    }

    /// What became of it once somebody took it.
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

  /// So many are stored together, and so many bytes.
  private static let countLimit = 1024
  private static let byteLimit = 64 << 20

  private let waiting = Mutex<[Item]>([])

  /// How many nobody has taken yet.
  var waitingCount: Int { waiting.withLock { $0.count } }

  func append(_ item: Item) { waiting.withLock { $0.append(item) } }

  /// Takes an item back; false when somebody stores it.
  func remove(_ item: Item) -> Bool {
    waiting.withLock { items in
      guard let index = items.firstIndex(where: { $0 === item }) else { return false }
      items.remove(at: index)
      return true
    }
  }

  /// Those that are to be stored now, in the order in which they came.
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

extension Vault {
  /// Stores a new record, of a type of this program or of ``Options/types``.
  ///
  /// Many tasks may add at once: those that wait for one another are stored together.
  ///
  /// - Returns: its id.
  /// - Throws: ``VaultError`` `.inputRefused`, `.lockedByOther`, `.diskFull`, `.permissionDenied`, `.ioFailed`,
  ///   `.cancelled`, and then it is not stored.
  @discardableResult
  public nonisolated(nonsending) func add(_ record: some VaultRecord) async throws(VaultError) -> RecordID {
    let id = RecordID.random()
    try await addSingle { () throws(VaultError) in
      try self.newRecord(id, record, self.currentTime())
    }
    return id
  }

  /// Stores a new record from clear input.
  nonisolated(nonsending) func add(_ input: RecordInput) async throws(VaultError) -> RecordID {
    let id = RecordID.random()
    try await addSingle { () throws(VaultError) in
      try self.newRecord(id, of: input, self.currentTime())
    }
    return id
  }

  /// A new record of a type that was checked and sealed.
  func newRecord(_ id: RecordID, _ record: some VaultRecord, _ now: Timestamp) throws(VaultError) -> StoreChange {
    let kind = try kind(of: type(of: record))
    return try newRecord(id, kind, now) { context throws(VaultError) in
      try encode(record, kind, in: context, id, before: nil)
    }
  }

  /// Stores a new record, together with others that wait for the same.
  ///
  /// - Parameter make: seals it; called again when the vault has got another root key meanwhile.
  private nonisolated(nonsending) func addSingle(_ make: @escaping SingleAdditions.Item.Make) async throws(VaultError) {
    let item = try await working { () throws(VaultError) in
      try SingleAdditions.Item(keyring.current.id, make)
    }
    additions.append(item)
    do throws(VaultError) {
      if let lock = try await lockForWriting(unless: { item.isDone }) {
        defer { lock.release() }
        await working {
          repeat { storeAdditions(lock) } while !item.isDone
        }
      }
    } catch {
      // Who is cancelled, or has waited too long, when another has just taken the record, hears what became of it.
      if additions.remove(item) { throw error }
    }
    try await item.result().get()
  }

  private func storeAdditions(_ lock: any StoreLock) {
    defer { memory?.flush() }
    let items = additions.take()
    guard !items.isEmpty else { return }
    let made = items.map { item in
      Result { () throws(VaultError) in item.root == keyring.current.id ? item.change : try item.make() }
    }
    let changes = made.compactMap { try? $0.get() }
    do throws(VaultError) {
      try apply(changes, lock)
      for (item, change) in zip(items, made) { item.end(change.map { _ in () }) }
    } catch {
      // One of them may be to blame: each is told what holds for it alone.
      for (item, change) in zip(items, made) {
        guard items.count > 1 else { return item.end(.failure(error)) }
        item.end(Result { () throws(VaultError) in try apply([change.get()], lock) })
      }
    }
  }
}
