public import VaultDocument
public import VaultRecords
internal import VaultSealing
internal import VaultTrust

/// A typed record with its id and version.
///
/// The members of the value are accessible directly: `stored.name` is `stored.value.name`.
@dynamicMemberLookup
public struct TypedRecord<Record: VaultRecord>: Sendable, Identifiable {
  /// The record's id.
  public let id: RecordID
  /// The number of this version, from 1.
  public let revision: Int
  /// The time when the record was added.
  public let createdAt: Timestamp
  /// The time when this version was made.
  public let updatedAt: Timestamp
  /// The record itself.
  public var value: Record

  init(_ record: OpenRecord, as type: Record.Type = Record.self) throws(VaultError) {
    value = try record.decoded(as: type)
    id = record.id
    revision = record.envelope.revision
    createdAt = record.envelope.createdAt
    updatedAt = record.envelope.updatedAt
  }

  /// A member of the value.
  public subscript<Member>(dynamicMember path: KeyPath<Record, Member>) -> Member { value[keyPath: path] }

  /// A member of the value, to change it.
  public subscript<Member>(dynamicMember path: WritableKeyPath<Record, Member>) -> Member {
    get { value[keyPath: path] }
    set { value[keyPath: path] = newValue }
  }
}

extension TypedRecord: Equatable where Record: Equatable {}

extension Vault {
  /// The record with this id as its type, with its revision and dates. Its `value` is the record alone.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.unknownKind`, `.damaged`.
  public nonisolated(nonsending) func record<Record: VaultRecord>(
    _ id: RecordID, as type: Record.Type
  ) async throws(VaultError) -> TypedRecord<Record> {
    try await working { () throws(VaultError) in
      defer { memory?.flush() }
      return try TypedRecord(verifiedRecord(id), as: type)
    }
  }

  /// All records of one type, in the order of their ids. Writers wait meanwhile.
  ///
  /// - Throws: ``VaultError`` of the first record that does not verify or decode; `.lockedByOther`, `.cancelled`.
  public nonisolated(nonsending) func records<Record: VaultRecord>(
    of type: Record.Type
  ) async throws(VaultError) -> [TypedRecord<Record>] {
    var records: [TypedRecord<Record>] = []
    try await forEachOpenRecord(
      { record throws(VaultError) in try record.stored(as: type) },
      consume: { record throws(VaultError) in if let record { records.append(record) } })
    return records
  }

  /// All records of one type one after the other, in the order of their ids, with few of them in memory at a time.
  ///
  /// The vault is not locked between them, so the loop may change records. A record that is removed before its turn is
  /// left out, and one that is added may be left out. For a view of one moment use ``records(of:)``.
  public func sequence<Record: VaultRecord>(of type: Record.Type) -> RecordSequence<Record> { RecordSequence(self) }
}

extension OpenRecord {
  /// The record as a type; nil if it is of another kind.
  fileprivate func stored<Record: VaultRecord>(as type: Record.Type) throws(VaultError) -> TypedRecord<Record>? {
    guard envelope.kind.utf8.elementsEqual(type.kindName.utf8) else { return nil }
    return try TypedRecord(self, as: type)
  }
}

/// The records of one type in a vault: ``Vault/sequence(of:)``.
public struct RecordSequence<Record: VaultRecord>: AsyncSequence, Sendable {
  private let vault: Vault

  init(_ vault: Vault) { self.vault = vault }

  /// Begins with the first record.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(vault) }

  /// Reads some hundred records at a time, on all cores.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let vault: Vault
    private var chunks: RecordChunks?
    private var read: ArraySlice<TypedRecord<Record>> = []

    init(_ vault: Vault) { self.vault = vault }

    /// The next record; nil after the last.
    ///
    /// - Throws: ``VaultError`` of the first record that does not verify or decode; `.lockedByOther`, `.cancelled`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(VaultError) -> TypedRecord<Record>? {
      while read.isEmpty {
        let rest = chunks
        let (piece, next) = try await vault.piece(from: rest)
        guard !piece.isEmpty else { return nil }
        chunks = next
        read = try await vault.records(in: piece)[...]
      }
      return read.popFirst()
    }
  }
}

extension Vault {
  /// The next chunks to read, and the rest; empty at the end. Nil begins with the first record.
  fileprivate nonisolated(nonsending) func piece(
    from rest: RecordChunks?
  ) async throws(VaultError) -> ([RecordChunk], RecordChunks) {
    try await working { () throws(VaultError) in
      var chunks = if let rest { rest } else { try locked.chunks() }
      var (piece, count) = ([RecordChunk](), 0)
      while count < 8 * Chunks<[RecordID]>.size, let chunk = try chunks.next()?.get() {
        piece.append(chunk)
        count += chunk.ids.count
      }
      return (piece, chunks)
    }
  }

  /// The records of a type in some chunks, while writers wait.
  fileprivate nonisolated(nonsending) func records<Record: VaultRecord>(
    in chunks: [RecordChunk]
  ) async throws(VaultError) -> [TypedRecord<Record>] {
    var records: [TypedRecord<Record>] = []
    try await forEachOpenRecord(
      in: { _ throws(VaultError) in chunks.map { .success($0) } },
      { record throws(VaultError) in try record.stored(as: Record.self) },
      consume: { record throws(VaultError) in if let record { records.append(record) } })
    return records
  }
}
