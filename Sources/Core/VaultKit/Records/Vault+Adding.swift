package import VaultCrypto
public import VaultDocument
public import VaultRecords
public import VaultSealing
package import VaultStorage
internal import VaultTrust

/// Clear members for a new record of a kind.
public struct RecordInput: Sendable {
  /// The kind of the record.
  public let kind: RecordKind
  /// Its members in clear, as the kind encodes them.
  public let members: JSONObject
  /// Whether members that the kind does not have are sealed in `extra` rather than refused.
  public let keepsUnknown: Bool
  /// Former values of its sealed fields, the newest of each field first.
  package var former: [FormerInput] = []
  /// The properties that never change, if they must be alike on every machine that adds the record; nil to make them.
  package var origin: RecordOrigin?
  private let source: SealingContext?

  /// Members for a record of a kind, which are checked when it is added.
  ///
  /// - Parameter source: opens members that another program has sealed:
  ///   ``/VaultSealing/SealingContext/init(cryptoKitKey:associatedData:)``. Without it they are in clear.
  public init(
    _ kind: RecordKind, _ members: JSONObject, keepingUnknown: Bool = false, openingWith source: SealingContext? = nil
  ) {
    (self.kind, self.members, keepsUnknown, self.source) = (kind, members, keepingUnknown, source)
  }

  fileprivate func clear() throws(RecordError) -> JSONObject {
    guard let source else { return members }
    return try kind.opened(members, in: source)
  }
}

/// The properties of a record that never change, beside its id and kind.
package struct RecordOrigin: Sendable {
  let dataKey: SecretBytes
  let createdAt: Timestamp

  package init(dataKey: SecretBytes, createdAt: Timestamp) { (self.dataKey, self.createdAt) = (dataKey, createdAt) }
}

/// A former value of a sealed field, in clear.
package struct FormerInput: Sendable {
  package let path: MemberPath
  /// Text, or the value that the kind seals as JSON. It need not fit the present rules of the field.
  package let value: JSONValue
  /// When the value was sealed or set; nil if unknown. An unknown or future time becomes the time at which the record
  /// is sealed.
  package let sealedAt: Timestamp?

  package init(_ path: MemberPath, _ value: JSONValue, sealedAt: Timestamp?) {
    (self.path, self.value, self.sealedAt) = (path, value, sealedAt)
  }
}

/// The reaction to input that is partly refused.
public enum RefusalPolicy: Sendable {
  /// The accepted input is stored.
  case leaveOut
  /// Nothing is stored, but all input is checked.
  case storeNothing
  /// The first refusal is thrown, and nothing is stored.
  case throwFirst
}

/// The result of adding many inputs.
public struct BulkAddResult<Input: Sendable>: Sendable {
  /// The ids of the records that were stored, or only checked, in the order of the input.
  public internal(set) var ids: [RecordID] = []
  /// The refused inputs: index from 0, input and error; ascending.
  public internal(set) var refusals: [(index: Int, input: Input, error: VaultError)] = []
}

extension Vault {
  /// Stores new typed records, all or none.
  ///
  /// The ids rise in the order of the records, so that lists by id keep that order.
  ///
  /// - Returns: their ids, one for each.
  /// - Throws: ``VaultError`` like ``add(_:)``.
  @discardableResult
  public func add(contentsOf records: [any VaultRecord]) async throws(VaultError) -> [RecordID] {
    let result = try await add({ () in records }, count: records.count, .throwFirst) {
      record, id, now throws(VaultError) in
      try self.newRecord(id, record: record, now: now)
    }
    return result.ids
  }

  /// Stores new records of a kind, all or none, from clear input that the kind checks.
  ///
  /// The ids rise in the order of the input, so that lists by id keep that order.
  ///
  /// - Parameter keepingUnknown: whether members that the kind does not have are sealed in `extra` rather than refused.
  /// - Returns: their ids, one for each input.
  /// - Throws: ``VaultError`` `.inputRefused` naming the member, and like ``add(_:)``.
  @discardableResult
  public func add(
    _ inputs: [JSONObject], kind: RecordKind, keepingUnknown: Bool = false
  ) async throws(VaultError) -> [RecordID] {
    // One record needs none of the machinery for many.
    if let only = inputs.first, inputs.count == 1 {
      return [try await add(RecordInput(kind, only, keepingUnknown: keepingUnknown))]
    }
    let result = try await add(inputs, count: inputs.count, refusals: .throwFirst) { input in
      RecordInput(kind, input, keepingUnknown: keepingUnknown)
    }
    return result.ids
  }

  /// Stores new records as one batch, from clear input that their kinds check.
  ///
  /// Reading, checking, sealing and writing overlap, on all cores, and only some hundred records are in memory at a
  /// time. The vault is locked from the first to the last record, and readers see all of them at once. The ids rise in
  /// the order of the input, so that lists by id keep that order.
  ///
  /// - Parameters:
  ///   - inputs: exactly `count` of them.
  ///   - refusals: the reaction to refused input.
  ///   - isDryRun: checks and seals everything but stores nothing.
  ///   - kept: the part of refused input to keep.
  ///   - progress: called occasionally with the number of records since the last call, in the caller's isolation.
  ///   - record: makes the kind and clear members of an input; called once for each, on any thread.
  /// - Throws: ``VaultError`` like ``add(_:)``; `.inputRefused` with `.throwFirst`, naming the member; `.cancelled`.
  public nonisolated(nonsending) func add<Input: Sendable>(
    _ inputs: some Sequence<Input>, count: Int, refusals: RefusalPolicy, isDryRun: Bool = false,
    keeping kept: @escaping @Sendable (Input) -> Input = { $0 }, progress: (Int) -> Void = { _ in },
    record: @escaping @Sendable (Input) throws(VaultError) -> RecordInput
  ) async throws(VaultError) -> BulkAddResult<Input> {
    try await add({ () in inputs }, count: count, refusals, isDryRun: isDryRun, keeping: kept, progress: progress) {
      input, id, now throws(VaultError) in
      try self.newRecord(id, of: record(input), now)
    }
  }

  /// Stores new records as one batch, which are chosen while the vault is locked for others.
  ///
  /// - Parameters:
  ///   - count: the most inputs of `chosen`.
  ///   - chosen: called once, under the lock; it may read records, and returns the inputs. An empty result stores
  ///     nothing.
  package nonisolated(nonsending) func add<Input: Sendable>(
    upTo count: Int, refusals: RefusalPolicy,
    chosen: nonisolated(nonsending) () async throws(VaultError) -> [Input],
    record: @escaping @Sendable (Input) throws(VaultError) -> RecordInput
  ) async throws(VaultError) -> BulkAddResult<Input> {
    try await add(chosen, count: count, refusals) { input, id, now throws(VaultError) in
      try self.newRecord(id, of: record(input), now)
    }
  }

  /// All other ways to add many records end here. `inputs` is called once, under the lock unless this is a dry run,
  /// and inputs beyond `count` are dropped.
  private nonisolated(nonsending) func add<Input: Sendable, Inputs: Sequence<Input>>(
    _ inputs: nonisolated(nonsending) () async throws(VaultError) -> Inputs, count: Int, _ refusals: RefusalPolicy,
    isDryRun: Bool = false,
    keeping kept: @escaping @Sendable (Input) -> Input = { $0 }, progress: (Int) -> Void = { _ in },
    make: @escaping @Sendable (Input, RecordID, Timestamp) throws(VaultError) -> StoreChange
  ) async throws(VaultError) -> BulkAddResult<Input> {
    let now = currentTime()
    let ids = try Self.newIDs(count)
    var adder = try await BulkAdder<Input>(self, count: count, refusals: refusals, isStoring: !isDryRun)
    defer { adder.end() }
    let inputs = try await inputs()
    let replacement = adder.replacement
    try await ParallelMap(chunkSize: 1)(
      Chunks(zip(inputs, ids)), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in
        let prepared = chunk.map { input, id -> Preparation<Input> in
          let record = self.prepared(id) { () throws(VaultError) in try make(input, id, now) }
          return if case .failure = record { (record, kept(input)) } else { (record, nil) }
        }
        return try prepared.staged(in: replacement)
      },
      consume: { chunk throws(VaultError) in
        for prepared in chunk { try adder.take(prepared) }
        progress(chunk.count)
      })
    return try adder.finish()
  }

  /// Random ids, ascending, drawn many at a time.
  private static func newIDs(_ count: Int) throws(VaultError) -> [RecordID] {
    let (size, drawCount) = (RecordID.byteCount, 1 << 10)
    var ids: [RecordID] = []
    ids.reserveCapacity(count)
    while ids.count < count {
      let drawn = min(drawCount, count - ids.count)
      let bytes = try inCrypto { () throws(CryptoError) in try SecureRandom.bytes(count: drawn * size) }
      for index in 0..<drawn { ids.append(RecordID(bytes: Array(bytes[index * size..<(index + 1) * size]))) }
    }
    ids.sort()
    return ids
  }

  private func prepared(
    _ id: RecordID, _ make: () throws(VaultError) -> StoreChange
  ) -> Result<PreparedRecord, VaultError> {
    Result { () throws(VaultError) in
      let bytes = try make().replacement
      return PreparedRecord(id: id, bytes: bytes, version: memory?.takePrepared(for: .record(id)))
    }
  }

  /// The change that adds a record from clear input. Nothing is stored yet, and the version is prepared for the
  /// memory.
  package func newRecord(_ id: RecordID, of input: RecordInput, _ now: Timestamp) throws(VaultError) -> StoreChange {
    try newRecord(id, kind: input.kind, former: input.former, from: input.origin, now: now) {
      context throws(VaultError) in
      do throws(RecordError) {
        return try input.kind.sealed(clear: input.clear(), keepingUnknown: input.keepsUnknown, in: context)
      } catch {
        throw VaultError(record: error, id: nil, input: true)
      }
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
  ///   `.cancelled`; then it is not stored.
  @discardableResult
  public nonisolated(nonsending) func add(_ record: some VaultRecord) async throws(VaultError) -> RecordID {
    let id = RecordID.random()
    try await addSingle { () throws(VaultError) in
      try self.newRecord(id, record: record, now: self.currentTime())
    }
    return id
  }

  nonisolated(nonsending) func add(_ input: RecordInput) async throws(VaultError) -> RecordID {
    let id = RecordID.random()
    try await addSingle { () throws(VaultError) in
      try self.newRecord(id, of: input, self.currentTime())
    }
    return id
  }

  /// Stores a new record from clear input under an id, such as that of a record in another vault with other readers.
  ///
  /// - Throws: ``VaultError`` `.alreadyExists` if the id is used here, live or removed; and like ``add(_:)``.
  public nonisolated(nonsending) func add(_ input: RecordInput, id: RecordID) async throws(VaultError) {
    let change = try newRecord(id, of: input, currentTime())
    try await writing { lock throws(VaultError) in
      let known = [try locked.read(id), try readTrash(id)]
      guard known.allSatisfy({ $0 == nil }) else {
        throw VaultError(
          .alreadyExists, "is already the id of a live record here, or of a record in the trash", record: id)
      }
      try apply([change], lock, isLast: true)
    }
  }

  /// Checks and seals a new typed record.
  func newRecord(_ id: RecordID, record: some VaultRecord, now: Timestamp) throws(VaultError) -> StoreChange {
    let kind = try kind(of: type(of: record))
    return try newRecord(id, kind: kind, now: now) { context throws(VaultError) in
      try encode(record, kind: kind, in: context, id: id, before: nil)
    }
  }

  /// Stores a new record, together with others that wait at the same time.
  ///
  /// - Parameter make: seals it; called again if the vault got another root key meanwhile.
  private nonisolated(nonsending) func addSingle(_ make: @escaping SingleAdditions.Item.Make) async throws(VaultError) {
    let item = try await working { () throws(VaultError) in
      try SingleAdditions.Item(keyring.current.id, make)
    }
    additions.append(item)
    do throws(VaultError) {
      if let lock = try await lockForWriting(unless: { item.isDone }) {
        defer { lock.release() }
        await working {
          repeat { storeAdditions(lock, for: item) } while !item.isDone
        }
      }
    } catch {
      // If another task has just taken the record, a cancelled or late task waits for its result.
      if additions.remove(item) { throw error }
    }
    try await item.result().get()
  }

  /// Stores the next waiting records under the caller's lock and ends each of them with its own result. If they fail
  /// together, each is stored alone, unless they may be stored already.
  private func storeAdditions(_ lock: any StoreLock, for item: SingleAdditions.Item) {
    defer { memory?.flush() }
    let items = additions.take()
    guard !items.isEmpty else { return }
    let made = items.map { item in
      Result { () throws(VaultError) in item.root == keyring.current.id ? item.change : try item.make() }
    }
    let changes = made.compactMap { try? $0.get() }
    do throws(VaultError) {
      try apply(changes, lock, isLast: items.count == 1 && items[0] === item)
      for (item, change) in zip(items, made) { item.end(change.map { _ in () }) }
    } catch {
      // One of them may be the cause, so each is then stored separately. A record that may be stored is not stored
      // again.
      let isOver = items.count == 1 || error.mayBeStored
      for (item, change) in zip(items, made) {
        guard !isOver else {
          item.end(change.flatMap { _ in .failure(error) })
          continue
        }
        item.end(Result { () throws(VaultError) in try apply([change.get()], lock) })
      }
    }
  }
}

extension Array {
  /// Writes the record on the sealing thread, if a replacement takes records from any thread.
  fileprivate func staged<Input>(in replacement: (any StoreReplacement)?) throws(VaultError) -> Self
  where Element == Preparation<Input> {
    guard let replacement else { return self }
    let good = compactMap { result -> (id: RecordID, bytes: [UInt8])? in
      guard case .success(let record) = result.record, let bytes = record.bytes else { return nil }
      return (record.id, bytes)
    }
    try inStore { () throws(StoreError) in try replacement.stage(good) }
    return map { ($0.record.map { PreparedRecord(id: $0.id, bytes: nil, version: $0.version) }, $0.refused) }
  }
}
