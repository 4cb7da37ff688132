internal import VaultCrypto
public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// Clear members that a record of a kind is to be made of.
public struct RecordInput: Sendable {
  /// What the record is to be.
  public let kind: RecordKind
  /// Its members in clear, as the kind encodes them.
  public let members: JSONObject
  /// Whether members that the kind does not have are sealed in `extra` rather than refused.
  public let keepsUnknown: Bool

  /// Members for a record of a kind; they are checked when it is added.
  public init(_ kind: RecordKind, _ members: JSONObject, keepingUnknown: Bool = false) {
    (self.kind, self.members, keepsUnknown) = (kind, members, keepingUnknown)
  }
}

/// What to do with input of which some is refused.
public enum RefusalPolicy: Sendable {
  /// The others are stored.
  case leaveOut
  /// Nothing is stored, but the rest is checked, too.
  case storeNothing
  /// The first ends it with its error; nothing is stored.
  case throwFirst
}

/// What became of many inputs.
public struct Addition<Input: Sendable>: Sendable {
  /// The ids of the records that were stored, or only checked, in the order of the input.
  public fileprivate(set) var ids: [RecordID] = []
  /// What was refused: its index, from 0, and why; ascending.
  public fileprivate(set) var refusals: [(index: Int, input: Input, error: VaultError)] = []
}

extension Vault {
  /// Stores new records of types, all or none.
  ///
  /// The ids rise in the order of the records, so that whatever goes by ids keeps that order.
  ///
  /// - Returns: their ids, one for each.
  /// - Throws: ``VaultError`` as ``add(_:)``.
  @discardableResult
  public func add(contentsOf records: [any VaultRecord]) async throws(VaultError) -> [RecordID] {
    let result = try await add(records, count: records.count, .throwFirst) { record, id, now throws(VaultError) in
      try self.newRecord(id, record, now)
    }
    return result.ids
  }

  /// Stores new records of a kind, all or none, from clear input that the kind's type checks.
  ///
  /// The ids rise in the order of the input, so that whatever goes by ids keeps that order.
  ///
  /// - Parameter keepingUnknown: whether members that the kind does not have are sealed in `extra` rather than refused.
  /// - Returns: their ids, one for each input.
  /// - Throws: ``VaultError`` `.inputRefused` naming the member, and as ``add(_:)``.
  @discardableResult
  public func add(
    _ inputs: [JSONObject], kind: RecordKind, keepingUnknown: Bool = false
  ) async throws(VaultError) -> [RecordID] {
    // One record needs nothing of what many do.
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
  /// Reading, checking, sealing and writing overlap, on all cores, and of the records themselves only some hundred are
  /// in memory at a time. The vault is locked from the first to the last; readers see nothing before all are there. The
  /// ids rise in the order of the input, so that whatever goes by ids keeps that order.
  ///
  /// - Parameters:
  ///   - inputs: as many as `count` says.
  ///   - refusals: what to do when some of it is refused.
  ///   - isDryRun: checks and seals everything and stores nothing.
  ///   - kept: what is kept of input that is refused.
  ///   - progress: called now and then with how many were done since, where the caller is isolated.
  ///   - record: makes the kind and clear members of an input; called once for each, on any thread.
  /// - Throws: ``VaultError`` as ``add(_:)``; `.inputRefused` with `.throwFirst`, naming the member; `.cancelled`.
  public nonisolated(nonsending) func add<Input: Sendable>(
    _ inputs: some Sequence<Input>, count: Int, refusals: RefusalPolicy, isDryRun: Bool = false,
    keeping kept: @escaping @Sendable (Input) -> Input = { $0 }, progress: (Int) -> Void = { _ in },
    record: @escaping @Sendable (Input) throws(VaultError) -> RecordInput
  ) async throws(VaultError) -> Addition<Input> {
    try await add(inputs, count: count, refusals, isDryRun: isDryRun, keeping: kept, progress: progress) {
      input, id, now throws(VaultError) in
      try self.newRecord(id, of: record(input), now)
    }
  }

  /// The same with records that are made in any way.
  private nonisolated(nonsending) func add<Input: Sendable>(
    _ inputs: some Sequence<Input>, count: Int, _ refusals: RefusalPolicy, isDryRun: Bool = false,
    keeping kept: @escaping @Sendable (Input) -> Input = { $0 }, progress: (Int) -> Void = { _ in },
    make: @escaping @Sendable (Input, RecordID, Timestamp) throws(VaultError) -> StoreChange
  ) async throws(VaultError) -> Addition<Input> {
    let now = currentTime()
    let ids = try Self.newIDs(count)
    var adder = try await BulkAdder<Input>(self, count: count, refusals: refusals, isStoring: !isDryRun)
    defer { adder.end() }
    let replacement = adder.replacement
    try await ParallelMap(chunkSize: 1)(
      Chunks(zip(inputs, ids)), cancellation: VaultError.cancelled,
      { chunk throws(VaultError) in
        let prepared = chunk.map { input, id in
          self.prepared(id) { () throws(VaultError) in try make(input, id, now) }
            .mapError { Refusal(input: kept(input), error: $0) }
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

  /// A new record that was checked and sealed.
  func newRecord(_ id: RecordID, of input: RecordInput, _ now: Timestamp) throws(VaultError) -> StoreChange {
    try newRecord(id, input.kind, now) { context throws(VaultError) in
      do throws(RecordError) {
        return try input.kind.sealed(clear: input.members, keepingUnknown: input.keepsUnknown, in: context)
      } catch {
        throw VaultError(record: error, id: nil, input: true)
      }
    }
  }
}

/// A new record that was checked and sealed, and is not stored yet.
private struct PreparedRecord: Sendable {
  let id: RecordID
  /// Nil once it is staged.
  let bytes: [UInt8]?
  /// What is to be remembered of it; nil where nothing is.
  var version: SeenVersion?
}

/// Input that is refused.
private struct Refusal<Input: Sendable>: Error {
  let input: Input
  let error: VaultError
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

extension Array {
  /// The same, written by whoever has sealed them where a store takes them from any thread.
  fileprivate func staged<Input>(in replacement: (any StoreReplacement)?) throws(VaultError) -> Self
  where Element == Result<PreparedRecord, Refusal<Input>> {
    guard let replacement else { return self }
    let good = compactMap { result -> (id: RecordID, bytes: [UInt8])? in
      guard case .success(let record) = result, let bytes = record.bytes else { return nil }
      return (record.id, bytes)
    }
    try inStore { () throws(StoreError) in try replacement.stage(good) }
    return map { $0.map { PreparedRecord(id: $0.id, bytes: nil, version: $0.version) } }
  }
}

/// Takes prepared records in the order of the input and stages them, so that they leave memory again.
///
/// Many records in a vault of fewer are written as a replacement of all: that spares a journal and a rename of each.
/// Fewer go into a batch.
private struct BulkAdder<Input: Sendable> {
  /// From so many records on a replacement is worth its folders.
  private static var replacementCount: Int { 16 }

  private let refusals: RefusalPolicy
  private let vault: Vault
  private let count: Int
  /// Nil when nothing is to be stored, or no longer.
  private var lock: (any StoreLock)?
  /// What takes the records where there is one; else a batch does.
  private(set) var replacement: (any StoreReplacement)?
  private var batch: (any StoreBatch)?
  private var piece: [StoreChange] = []
  /// What is to be remembered once it is written.
  private var versions = VersionList.Builder()
  private var index = 0
  private var result = Addition<Input>()

  init(_ vault: Vault, count: Int, refusals: RefusalPolicy, isStoring: Bool) async throws(VaultError) {
    (self.vault, self.count, self.refusals) = (vault, count, refusals)
    guard isStoring, count > 0 else { return }
    let lock = try await vault.lockForWriting()
    self.lock = lock
    guard try Self.isWorthReplacing(count, in: vault) else { return }
    replacement = try inStore { () throws(StoreError) in try vault.store.replacement(under: lock) }
    guard let replacement else {
      guard count > ChangePlan.maximumChangeCount else { return }
      end()
      throw VaultError(
        .inputRefused, "more than \(ChangePlan.maximumChangeCount) records cannot be stored at once here",
        remedies: [
          "verifying names what does not belong among the records; without it, and on a file system that can",
          "exchange two folders, any number can: else divide the input",
        ])
    }
    do throws(VaultError) {
      try await RecordRewriter(vault: vault) { _ in nil }.copy(into: replacement)
    } catch {
      end()
      throw error
    }
  }

  private static func isWorthReplacing(_ count: Int, in vault: Vault) throws(VaultError) -> Bool {
    if count < replacementCount { return false }
    // More than a batch may have are written so, too, whatever has to be copied for it.
    if count > ChangePlan.maximumChangeCount { return true }
    return try count >= vault.locked.recordCount()
  }

  mutating func take(_ prepared: Result<PreparedRecord, Refusal<Input>>) throws(VaultError) {
    defer { index += 1 }
    switch prepared {
    case .success(let record):
      result.ids.append(record.id)
      if let version = record.version { versions.append(version.version) }
      guard lock != nil, let bytes = record.bytes else { return }
      piece.append(StoreChange(.record(record.id), from: nil, to: bytes))
      if piece.count == Chunks<[Int]>.size { try stage() }
    case .failure(let refusal): try refuse(refusal)
    }
  }

  private mutating func refuse(_ refusal: Refusal<Input>) throws(VaultError) {
    guard refusal.error.code == .inputRefused, refusals != .throwFirst else { throw refusal.error }
    result.refusals.append((index: index, input: refusal.input, error: refusal.error))
    if refusals == .storeNothing { end() }
  }

  private mutating func stage() throws(VaultError) {
    guard let lock, !piece.isEmpty else { return }
    let batch = try batch(under: lock)
    let changes = piece
    piece.removeAll()
    try inStore { () throws(StoreError) in try batch.stage(changes) }
  }

  private mutating func batch(under lock: any StoreLock) throws(VaultError) -> any StoreBatch {
    if let batch { return batch }
    let (store, count) = (vault.store, count)
    let new = try inStore { () throws(StoreError) in try store.batch(expecting: count, under: lock) }
    batch = new
    return new
  }

  /// Stores what was taken.
  mutating func finish() throws(VaultError) -> Addition<Input> {
    if lock != nil { try commit() }
    if refusals == .storeNothing, !result.refusals.isEmpty { result.ids = [] }
    return result
  }

  private mutating func commit() throws(VaultError) {
    if let replacement {
      try inStore { () throws(StoreError) in try replacement.commit() }
      replacement.end()
    } else if let batch {
      try stage()
      try inStore { () throws(StoreError) in try batch.commit() }
    } else if let lock {
      // Few enough for one piece: a single record needs no journal.
      let (store, changes) = (vault.store, piece)
      try inStore { () throws(StoreError) in try store.apply(changes, under: lock) }
    }
    vault.options.tell(.added, of: vault.header.vaultID, records: result.ids)
    vault.memory?.noteWritten(versions.finish())
    vault.memory?.flush()
  }

  /// Forgets what was not stored, and lets others in.
  mutating func end() {
    replacement?.end()
    batch?.abandon()
    lock?.release()
    (replacement, batch, lock, piece) = (nil, nil, nil, [])
  }
}
