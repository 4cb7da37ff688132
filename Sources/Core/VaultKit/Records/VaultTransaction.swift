internal import Synchronization
public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// Changes of records that are made together, all or none: what ``Vault/write(_:)`` gives to its closure.
///
/// It reads what it has changed itself. Nothing is written before the closure has ended, and nothing is when it throws.
public final class VaultTransaction: Sendable {
  private struct State {
    /// What is to be at a place, and what was there.
    var changes: [StoreLocation: StoreChange] = [:]
    /// The places in the order in which they were changed first.
    var order: [StoreLocation] = []
    var isOpen = true
  }

  private let vault: Vault
  private let state = Mutex(State())

  fileprivate init(_ vault: Vault) { self.vault = vault }

  /// The record with this id as its type, as this transaction has it.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.unknownKind`, `.damaged`.
  public nonisolated(nonsending) func record<Record: VaultRecord>(
    _ id: RecordID, as type: Record.Type
  ) async throws(VaultError) -> TypedRecord<Record> {
    try await working { () throws(VaultError) in try TypedRecord(record(id), as: type) }
  }

  /// Adds a record.
  ///
  /// - Returns: its id.
  /// - Throws: ``VaultError`` `.inputRefused`.
  @discardableResult
  public nonisolated(nonsending) func add(_ record: some VaultRecord) async throws(VaultError) -> RecordID {
    let id = RecordID.random()
    try await working { () throws(VaultError) in
      try put([vault.newRecord(id, record: record, now: vault.currentTime())])
    }
    return id
  }

  /// Changes a record as its type; `change` runs where the caller is isolated.
  ///
  /// - Parameter revision: the version that the change is made for; nil takes the record as it is now.
  /// - Returns: what `change` returns.
  /// - Throws: ``VaultError`` as ``Vault/update(_:as:expecting:_:)``, and what `change` throws.
  @discardableResult
  public nonisolated(nonsending) func update<Record: VaultRecord, Output, Failure: Error>(
    _ id: RecordID, as type: Record.Type, expecting revision: Int? = nil,
    _ change: (inout Record) throws(Failure) -> Output
  ) async throws -> Output {
    var draft: RecordDraft<Record> = try await working { () throws(VaultError) in
      let old = try record(id)
      if let revision, old.envelope.revision != revision { throw .changedMeanwhile(old) }
      return try vault.draft(of: old, vault.kind(of: type))
    }
    let output = try change(&draft.stored.value)
    try await working { [draft] () throws(VaultError) in
      if let change = try vault.change(by: draft) { try put([change]) }
    }
    return output
  }

  /// Removes a record: it goes to the trash.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`; `.usage` for one that this transaction has added.
  public nonisolated(nonsending) func remove(_ id: RecordID) async throws(VaultError) {
    try await working { () throws(VaultError) in
      if isNew(id) { throw VaultError(.usage, "was added by this transaction, and is not stored yet", record: id) }
      try put(vault.removal(of: record(id), at: vault.currentTime()))
    }
  }

  private func record(_ id: RecordID) throws(VaultError) -> OpenRecord {
    try requireOpen()
    guard let change = state.withLock({ $0.changes[.record(id)] }) else { return try vault.verifiedRecord(id) }
    guard let bytes = change.replacement else { throw .noSuchRecord }
    return try vault.verify(bytes, id)
  }

  private func isNew(_ id: RecordID) -> Bool {
    state.withLock { $0.changes[.record(id)].map { $0.expected == nil } ?? false }
  }

  private func requireOpen() throws(VaultError) {
    guard state.withLock({ $0.isOpen }) else { throw VaultError(.usage, "the transaction has ended") }
  }

  /// Takes changes of what it has, so that what was there first is what they replace.
  private func put(_ changes: [StoreChange]) throws(VaultError) {
    try requireOpen()
    state.withLock { state in
      for change in changes {
        let known = state.changes[change.location]
        if known == nil { state.order.append(change.location) }
        state.changes[change.location] = StoreChange(
          change.location, from: known.map(\.expected) ?? change.expected, to: change.replacement)
      }
    }
  }

  /// Ends it: the changes, in their order.
  fileprivate func end() -> [StoreChange] {
    state.withLock { state in
      state.isOpen = false
      return state.order.compactMap { state.changes[$0] }
    }
  }
}

extension Vault {
  /// The vault that the task is writing to.
  @TaskLocal private static var written: ObjectIdentifier?

  /// Makes changes together, all or none: other programs and tasks see each of them or none, even if the machine stops
  /// meanwhile.
  ///
  /// The vault is locked from the first to the last, so that what the transaction reads is what it changes. `body` runs
  /// where the caller is isolated; it must not write to the vault past the transaction, and waits for nothing slow.
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, and then nothing is written; ``VaultError`` `.lockedByOther`, `.diskFull`,
  ///   `.permissionDenied`, `.ioFailed`, `.cancelled`.
  @discardableResult
  public nonisolated(nonsending) func write<Output>(
    _ body: nonisolated(nonsending) (VaultTransaction) async throws -> Output
  ) async throws -> Output {
    let lock = try await lockForWriting()
    defer { lock.release() }
    let transaction = VaultTransaction(self)
    let output: Output
    do {
      output = try await notingTransaction { try await body(transaction) }
    } catch {
      _ = transaction.end()
      throw error
    }
    guard !Task.isCancelled else { throw VaultError.cancelled() }
    let changes = transaction.end()
    if !changes.isEmpty {
      try await working { () throws(VaultError) in
        defer { memory?.flush() }
        try apply(changes, lock)
      }
    }
    return output
  }

  /// Does `body`, where the caller is isolated, as a part of a transaction.
  private func notingTransaction<Output>(
    isolation: isolated (any Actor)? = #isolation, _ body: nonisolated(nonsending) () async throws -> Output
  ) async throws -> Output {
    try await Vault.$written.withValue(ObjectIdentifier(self)) {
      // A closure is where its function is only if it refers to that.
      _ = isolation
      return try await body()
    }
  }

  /// Refuses to wait for a lock that the task holds itself.
  func requireNoTransaction() throws(VaultError) {
    guard Vault.written != ObjectIdentifier(self) else {
      throw VaultError(
        .usage, "is being written by the transaction that asks",
        remedies: ["read and change records through the transaction"])
    }
  }
}
