internal import Synchronization
public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// Changes of records that are made together, all or none, by the closure of ``Vault/write(_:)``.
///
/// It reads its own changes. Nothing is written before the closure has ended, or if it throws.
public final class VaultTransaction: Sendable {
  private struct State {
    /// The new content of each place, and the old one.
    var changes: [StoreLocation: StoreChange] = [:]
    /// The places in the order of their first change.
    var order: [StoreLocation] = []
    var isOpen = true
  }

  private let vault: Vault
  private let state = Mutex(State())

  fileprivate init(_ vault: Vault) { self.vault = vault }

  /// The record with this id as its type, including changes of this transaction.
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

  /// Changes a typed record; `change` runs in the caller's isolation.
  ///
  /// - Parameter revision: the version on which the change is based; nil means the present one.
  /// - Returns: the result of `change`.
  /// - Throws: ``VaultError`` like ``Vault/update(_:as:expecting:_:)``, and the errors of `change`.
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
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`; `.usage` for a record that this transaction has added.
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

  /// Adds changes; repeated changes of a place still replace its original content.
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

  /// Ends the transaction and returns the changes, in their order.
  fileprivate func end() -> [StoreChange] {
    state.withLock { state in
      state.isOpen = false
      return state.order.compactMap { state.changes[$0] }
    }
  }
}

extension Vault {
  /// The vault to which the task is writing.
  @TaskLocal private static var written: ObjectIdentifier?

  /// Makes changes together, all or none: other programs and tasks see all of them or none, even if the machine stops
  /// meanwhile.
  ///
  /// The vault is locked from the first read to the last write. `body` runs in the caller's isolation. It must not
  /// write to the vault outside the transaction, and should not wait for anything slow.
  ///
  /// - Returns: the result of `body`.
  /// - Throws: the errors of `body`, and then nothing is written; ``VaultError`` `.lockedByOther`, `.diskFull`,
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
        try apply(changes, lock, isLast: true)
      }
    }
    return output
  }

  /// Runs `body`, in the caller's isolation, as a part of a transaction.
  private func notingTransaction<Output>(
    isolation: isolated (any Actor)? = #isolation, _ body: nonisolated(nonsending) () async throws -> Output
  ) async throws -> Output {
    try await Vault.$written.withValue(ObjectIdentifier(self)) {
      // A closure has the isolation of its function only if it refers to it.
      _ = isolation
      return try await body()
    }
  }

  /// Refuses to wait for a lock that the task itself holds.
  func requireNoTransaction() throws(VaultError) {
    guard Vault.written != ObjectIdentifier(self) else {
      throw VaultError(
        .usage, "this transaction is already writing the vault",
        remedies: ["read and change records through the transaction"])
    }
  }
}
