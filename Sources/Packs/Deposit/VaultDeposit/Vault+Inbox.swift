internal import VaultAge
internal import VaultCare
internal import VaultCrypto
public import VaultDocument
public import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

extension Vault {
  /// The deposits that wait, ascending by id; at most 10,000. Hostile and damaged files are entries, too.
  ///
  /// All of them are in memory at once: up to 2.6 GB in a full inbox. ``inbox(_:inBatches:)`` needs less.
  ///
  /// - Throws: ``VaultError`` if the folder or the keys of deposits cannot be read; `.cancelled`.
  public func inbox() async throws(VaultError) -> [WaitingDeposit] { try await inbox(waitingIDs()) }

  /// The ids of all files that wait; nothing is opened.
  package func waitingIDs() throws(VaultError) -> [DepositID] {
    try inStore { () throws(StoreError) in try store.heldDeposits() }
  }

  /// The deposits with these ids, in this order.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord` for an id that does not wait, and like ``inbox()``.
  public func inbox(_ ids: [DepositID]) async throws(VaultError) -> [WaitingDeposit] {
    let held = Set(try waitingIDs())
    if let missing = ids.first(where: { !held.contains($0) }) {
      throw VaultError(.noSuchRecord, "is not the id of a deposit that waits", record: missing)
    }
    var (found, batches) = ([WaitingDeposit](), try await InboxBatches(ids, of: self))
    while let batch = try batches.next() { found += batch }
    return found
  }

  /// Calls `body` with the deposits that have these ids, in this order, so many at once as have 16 MiB.
  ///
  /// - Parameter ids: nil for all that wait, ascending.
  /// - Throws: like ``inbox()``, and the errors of `body`.
  public func inbox(
    _ ids: [DepositID]? = nil, inBatches body: ([WaitingDeposit]) async throws -> Void
  ) async throws {
    var batches = try await InboxBatches(ids ?? waitingIDs(), of: self)
    while let batch = try batches.next() { try await body(batch) }
  }

  /// Nil if another process has removed the file.
  fileprivate func opened(_ id: DepositID, with identities: [AgeIdentity]) throws(VaultError) -> WaitingDeposit? {
    do throws(StoreError) {
      guard let bytes = try store.read(.inbox(id)) else { return nil }
      let deposit = Result { () throws(VaultError) in
        try DepositFile.open(bytes, as: id, of: header.vaultID, with: identities)
      }
      return WaitingDeposit(id: id, deposit: deposit, bytes: bytes)
    } catch {
      guard error.isOfOneFile else { throw VaultError(store: error) }
      // No earlier version of the file is worth restoring.
      return WaitingDeposit(id: id, deposit: .failure(.notADeposit(error.reason, id)), bytes: nil)
    }
  }

  fileprivate func stated(_ entry: WaitingDeposit, _ names: NamesOfRecords) throws(VaultError) -> WaitingDeposit {
    guard case .success(let deposit) = entry.deposit else { return entry }
    var entry = entry
    switch deposit.content {
    case .record(let kind, let members):
      let known = [try locked.read(entry.id), try readTrash(entry.id)]
      let title = kinds[kind]?.title(of: members) ?? ""
      let fits = (try? kinds[kind]?.check(clear: members)) != nil
      entry.state =
        known.contains { $0 != nil } ? .isAccepted : fits ? .adds(namesakes: names.ids(of: title).count) : .doesNotFit
    case .value(let word, let field, _, let replaces):
      guard let id = names.only(word), let record = try? verifiedRecord(id) else {
        entry.state = .hasNoTarget
        return entry
      }
      let path = record.kind?.pathInCurrentSchema(field) ?? field
      let isSame = RecordID(parsing: word) != nil && JSONValue.object(record.fields).sealingTime(at: path) == replaces
      // A field that is empty again looks as it did before it had a value.
      let isNewer = replaces != nil || record.envelope.updatedAt <= deposit.createdAt
      let fits = record.kind.map { $0.value(at: path)?.isSealed == true } ?? true
      let isFresh = isSame && isNewer
      (entry.state, entry.target) = (!fits ? .doesNotFit : isFresh ? .replaces(id) : .mayBeOld(id), record.name)
    }
    return entry
  }

  /// Stores the change of a deposit as ``add(_:id:)`` and ``edit(_:_:expecting:)`` do, and then removes the deposit.
  ///
  /// A new record gets the id of the deposit, so that a deposit that was accepted on two machines, or again after an
  /// interruption, is one record.
  ///
  /// - Throws: ``VaultError`` of a file that is not a deposit; `.unknownKind`, `.inputRefused`, `.usage` for a readable
  ///   field, `.noSuchRecord`, and like ``add(_:)``. The deposit then stays.
  @discardableResult
  public func accept(_ waiting: WaitingDeposit) async throws(VaultError) -> AcceptedDeposit {
    let deposit = try waiting.deposit.get()
    let accepted: AcceptedDeposit
    switch deposit.content {
    case .record(let kind, let members): accepted = try await add(waiting, deposit, kind, members)
    case .value(_, let field, let value, _):
      switch waiting.state {
      case .replaces(let id), .mayBeOld(let id): accepted = try await change(id, field, value)
      case .doesNotFit:
        throw VaultError(.inputRefused, "is not a sealed field of the record", field: field.description)
      default: throw VaultError(.noSuchRecord, "names no single record of the vault", file: VaultError.file(deposit.id))
      }
    }
    try await remove(waiting)
    return accepted
  }

  /// Accepts the deposit with this id.
  ///
  /// - Throws: ``VaultError`` like ``inbox(_:)`` and ``accept(_:)-(WaitingDeposit)``.
  @discardableResult
  public func accept(_ id: DepositID) async throws(VaultError) -> AcceptedDeposit {
    guard let waiting = try await inbox([id]).first else {
      throw VaultError(.changedUnderneath, "was removed meanwhile", file: VaultError.file(id))
    }
    return try await accept(waiting)
  }

  /// Removes deposits that wait, whatever they hold. Missing ones are ignored.
  ///
  /// - Throws: ``VaultError`` `.lockedByOther`, `.permissionDenied`, `.ioFailed`.
  public func dropDeposits(_ ids: [DepositID]) async throws(VaultError) {
    try await writing { lock throws(VaultError) in try drop(ids, lock) }
  }

  private func drop(_ ids: [DepositID], _ lock: any StoreLock) throws(VaultError) {
    guard let inbox = store as? any InboxStore else { return }
    try inStore { () throws(StoreError) in try inbox.removeDeposits(ids, under: lock) }
  }

  /// Removes an accepted deposit, unless its file was exchanged meanwhile.
  private func remove(_ waiting: WaitingDeposit) async throws(VaultError) {
    try await writing { lock throws(VaultError) in
      let found = try inStore { () throws(StoreError) in try store.read(.inbox(waiting.id)) }
      if let found, found == waiting.bytes { try drop([waiting.id], lock) }
    }
  }

  private func add(
    _ waiting: WaitingDeposit, _ deposit: Deposit, _ name: String, _ members: JSONObject
  ) async throws(VaultError) -> AcceptedDeposit {
    let id = deposit.id
    guard let kind = kinds[name] else {
      throw VaultError(.unknownKind, "is of a kind that the vault does not have", file: VaultError.file(id))
    }
    var wasThere = false
    do throws(VaultError) {
      var input = RecordInput(kind, members)
      if let keys = header.deposit, let bytes = waiting.bytes {
        input.origin = RecordOrigin(
          dataKey: try keys.dataKey(of: id, bytes, under: keyring.current),
          createdAt: min(deposit.createdAt, currentTime()))
      }
      try await add(input, id: id)
    } catch {
      guard error.code == .alreadyExists else { throw error }
      wasThere = true
    }
    return AcceptedDeposit(record: id, wasThere: wasThere, replacedRevision: nil, change: nil)
  }

  private func change(_ id: RecordID, _ field: MemberPath, _ value: String) async throws(VaultError) -> AcceptedDeposit
  {
    let record = try await record(id)
    let text = Array(value.utf8)
    let secret = try inCrypto { () throws(CryptoError) in try unsafe SecretBytes(copying: text.span.bytes) }
    let path = record.kind?.pathInCurrentSchema(field) ?? field
    let effect = try await editing(id, [.seal(path, secret)], expecting: record)
    return AcceptedDeposit(
      record: id, wasThere: !effect.hasChanged, replacedRevision: record.envelope.revision, change: (record, effect))
  }
}

/// Deposits that wait, opened so many at a time as have 16 MiB.
private struct InboxBatches {
  private static let byteCount = 16 << 20

  private let vault: Vault
  private let identities: [AgeIdentity]
  private let names: NamesOfRecords
  private var ids: ArraySlice<DepositID>

  init(_ ids: [DepositID], of vault: Vault) async throws(VaultError) {
    (self.vault, self.ids) = (vault, ids.prefix(InboxCheck.maximumCount))
    identities = ids.isEmpty ? [] : try vault.header.deposit?.identities(under: vault.keyring.current) ?? []
    names = NamesOfRecords(ids.isEmpty ? [] : try await vault.locked.listed().records)
  }

  /// Nil after the last one.
  mutating func next() throws(VaultError) -> [WaitingDeposit]? {
    var (batch, byteCount): ([WaitingDeposit], Int) = ([], 0)
    while byteCount < Self.byteCount, let id = ids.popFirst() {
      guard !Task.isCancelled else { throw .cancelled() }
      guard let entry = try vault.opened(id, with: identities) else { continue }
      batch.append(try vault.stated(entry, names))
      byteCount += entry.bytes?.count ?? 0
    }
    return batch.isEmpty ? nil : batch
  }
}

/// The live records by their ids and names.
private struct NamesOfRecords {
  private var named: [String: [RecordID]] = [:]
  private var ids: Set<RecordID> = []

  init(_ records: [RecordSummary]) {
    for record in records {
      ids.insert(record.id)
      named[record.name.lowercased(), default: []].append(record.id)
    }
  }

  func ids(of name: String) -> [RecordID] { name.isEmpty ? [] : named[name.lowercased()] ?? [] }

  /// The one record with an id or a whole name. A beginning of an id is not enough for the word of a stranger.
  func only(_ word: String) -> RecordID? {
    if let id = RecordID(parsing: word) { return ids.contains(id) ? id : nil }
    let found = ids(of: word)
    return found.count == 1 ? found[0] : nil
  }
}
