public import VaultDocument
internal import VaultIndex
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// Which records a list shows.
public struct RecordQuery: Sendable {
  /// The order of a list, of times the newest first; equal rows follow their ids.
  public enum Order: String, Sendable, CaseIterable {
    /// By what names them, compared by bytes.
    case name
    /// By the time at which they were added.
    case created
    /// By the time at which they were written last.
    case updated
  }

  /// Only records of this kind.
  public var kind: String?
  /// Texts that must all occur in readable values, in any case.
  public var texts: [String] = []
  /// Readable values that members must have, as text.
  public var conditions: [(path: MemberPath, value: String)] = []
  /// The order of the rows.
  public var order: Order = .name
  /// The most rows; nil for all.
  public var limit: Int?
  /// Whether also values fit that are only near to the texts.
  var allowsSlips = false

  /// All records, by name.
  public init() {}
}

extension LockedVault {
  /// The records that a query finds, sorted.
  ///
  /// With an index, files that were edited in place and that the index does not find are not looked at.
  ///
  /// - Parameter leavingOut: is told of each file that cannot be read; nil to throw the first of them.
  /// - Throws: ``VaultError`` when a folder cannot be read; `.cancelled`.
  public nonisolated(nonsending) func list(
    _ query: RecordQuery = .init(), leavingOut: ((VaultError) -> Void)? = nil
  ) async throws(VaultError) -> [RecordSummary] {
    try await listedRows(of: listed(query), leavingOut: leavingOut)
  }

  /// The records that a query finds, sorted, and the faults of files that could not be read.
  package func listed(_ query: RecordQuery = .init()) async throws(VaultError) -> Listed<RecordSummary> {
    let (rows, faults) = try await rows(query)
    return (Array(rows), faults)
  }

  /// The same, with records that are only taken apart one by one: a million of them take a third of the memory.
  package func rows(
    _ query: RecordQuery = .init()
  ) async throws(VaultError) -> (records: RecordRows, faults: [VaultError]) {
    let search = RecordSearch(query)
    if let found = try await indexedRows(search) { return found }
    let found = try await scan { id, bytes throws(VaultError) in try search.summary(of: id, bytes, kinds) }
    return (RecordRows(query.sorted(found.found)), found.faults)
  }

  /// Whether records are of more than one kind; files that cannot be read do not count.
  ///
  /// - Parameter ids: only of these; nil for all.
  package func hasSeveralKinds(among ids: Set<RecordID>? = nil) async throws(VaultError) -> Bool {
    if ids == nil, let answer = await indexedHasSeveralKinds() { return answer }
    var first: String?
    var isMixed = false
    try forEachRecord { result in
      guard let envelope = try? result.get().envelope, ids?.contains(envelope.id) ?? true else { return true }
      isMixed = !envelope.kind.utf8.elementsEqual((first ?? envelope.kind).utf8)
      first = first ?? envelope.kind
      return !isMixed
    }
    return isMixed
  }
}

/// What a list shows, in its order.
package struct RecordRows: RandomAccessCollection, Sendable {
  private enum Storage {
    case indexed(IndexRows)
    case read([RecordSummary])
  }

  private let storage: Storage

  init(_ rows: IndexRows) { storage = .indexed(rows) }
  package init(_ records: [RecordSummary]) { storage = .read(records) }

  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch storage {
    case .indexed(let rows): rows.count
    case .read(let records): records.count
    }
  }

  package subscript(index: Int) -> RecordSummary {
    switch storage {
    case .indexed(let rows): RecordSummary(rows[index])
    case .read(let records): records[index]
    }
  }
}

/// A query in the form in which it is asked of each file.
struct RecordSearch: Sendable {
  let query: RecordQuery
  let texts: [TextMatch]
  /// What is looked for besides, where slips are allowed.
  let near: [NearMatch]

  init(_ query: RecordQuery) {
    self.query = query
    texts = query.texts.map(TextMatch.init)
    near = query.allowsSlips ? query.texts.map(NearMatch.init) : []
  }

  /// The record in these bytes, when it is one that is looked for.
  func summary(of id: RecordID, _ bytes: [UInt8], _ kinds: KindCatalog) throws(VaultError) -> RecordSummary? {
    guard !near.isEmpty || texts.allSatisfy({ $0.mayMatch(bytes) }) else { return nil }
    let record = try StoredRecord(parsing: bytes, file: StoreLocation.record(id).relativePath, id: id, kinds: kinds)
    guard near.isEmpty || isNear(record) else { return nil }
    return query.matches(record, near.isEmpty ? texts : []) ? RecordSummary(record) : nil
  }

  private func isNear(_ record: StoredRecord) -> Bool {
    let values = JSONValue.object(record.fields).searchedValues
    return texts.indices.allSatisfy { index in
      values.contains { texts[index].matches($0) || near[index].similarity(to: $0) > 0 }
    }
  }
}

extension RecordQuery {
  fileprivate func matches(_ record: StoredRecord, _ texts: [TextMatch]) -> Bool {
    if let kind, !record.envelope.kind.utf8.elementsEqual(kind.utf8) { return false }
    let tree = JSONValue.object(record.fields)
    guard texts.allSatisfy({ $0.matches(tree) }) else { return false }
    return conditions.allSatisfy { tree.hasReadable($0.value, at: $0.path, of: record.kind) }
  }

  func sorted(_ records: [RecordSummary]) -> [RecordSummary] {
    let sorted =
      switch order {
      case .name: Self.sorted(records) { $0.name.lowercased() }
      case .created: Self.sorted(records, by: >) { $0.createdAt }
      case .updated: Self.sorted(records, by: >) { $0.updatedAt }
      }
    return limit.map { Array(sorted.prefix($0)) } ?? sorted
  }

  /// Sorts by a key that is made once per record, then by id.
  ///
  /// By id first, so that the same records always come out alike: of a few texts, such as U+037E and `;k`, `<` says in
  /// neither direction that one is before the other, and yet they are not equal.
  private static func sorted<Key: Comparable>(
    _ records: [RecordSummary], by isBefore: (Key, Key) -> Bool = { $0 < $1 }, _ key: (RecordSummary) -> Key
  ) -> [RecordSummary] {
    records.sorted { $0.id < $1.id }.map { (key($0), $0) }
      .sorted { $0.0 != $1.0 ? isBefore($0.0, $1.0) : $0.1.id < $1.1.id }
      .map(\.1)
  }
}

extension JSONValue {
  /// Whether a member of a record is not sealed and has a value, as text, or is a list that holds it.
  ///
  /// - Parameter kind: that of the record, which may know the path of an older schema.
  func hasReadable(_ text: String, at path: MemberPath, of kind: RecordKind?) -> Bool {
    guard let value = try? value(at: kind?.pathInCurrentSchema(path) ?? path) else { return false }
    return (value.array ?? [value]).contains { $0.isReadable(as: text) }
  }

  /// Whether it is one value, not sealed, and this is its text.
  fileprivate func isReadable(as text: String) -> Bool {
    switch self {
    case .string(let own): !SealedToken.hasTokenShape(own) && own == text
    case .number(let number): number.literal == text
    case .bool(let flag): String(flag) == text
    default: false
    }
  }
}
