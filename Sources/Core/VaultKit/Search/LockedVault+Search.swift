public import VaultDocument
internal import VaultIndex
package import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// The records that a list shows.
public struct RecordQuery: Sendable {
  /// The order of a list, for times the newest first; equal rows are ordered by their ids.
  public enum Order: String, Sendable, CaseIterable {
    /// By name, compared by bytes.
    case name
    /// By the time of adding.
    case created
    /// By the time of the last write.
    case updated
  }

  /// Only records of this kind.
  public var kind: String?
  /// Texts that must all occur in readable values, in any case.
  public var texts: [String] = []
  /// Values that readable members must have, as text.
  public var conditions: [(path: MemberPath, value: String)] = []
  /// The order of the rows.
  public var order: Order = .name
  /// The most rows; nil for all.
  public var limit: Int?
  /// Whether values that are only similar to the texts also match.
  var allowsSlips = false

  /// All records, by name.
  public init() {}
}

extension LockedVault {
  /// The records that match a query, sorted.
  ///
  /// With an index, files that were edited in place and that the index does not find are not read.
  ///
  /// - Parameter leavingOut: gets the error of each unreadable file; nil throws the first of them.
  /// - Throws: ``VaultError`` if a folder cannot be read; `.cancelled`.
  public nonisolated(nonsending) func list(
    _ query: RecordQuery = .init(), leavingOut: ((VaultError) -> Void)? = nil
  ) async throws(VaultError) -> [RecordSummary] {
    try await listedRows(of: listed(query), leavingOut: leavingOut)
  }

  /// The records that match a query, sorted, and the errors of unreadable files.
  package func listed(_ query: RecordQuery = .init()) async throws(VaultError) -> Listed<RecordSummary> {
    let (rows, faults) = try await rows(query)
    return (Array(rows), faults)
  }

  /// Like `listed(_:)`, with rows that are unpacked one by one: a million of them take a third of the memory.
  package func rows(
    _ query: RecordQuery = .init()
  ) async throws(VaultError) -> (records: RecordRows, faults: [VaultError]) {
    let search = RecordSearch(query)
    if let found = try await indexedRows(search) { return found }
    let found = try await scan { id, bytes throws(VaultError) in try search.summary(of: id, bytes, kinds) }
    return (RecordRows(query.sorted(found.found)), found.faults)
  }

  /// Whether records are of more than one kind; unreadable files do not count.
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

/// The rows of a list, packed as the index has them, or as they were read.
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

/// A query in the form for checking each file.
struct RecordSearch: Sendable {
  let query: RecordQuery
  let texts: [TextMatch]
  /// The similar texts that also match, if slips are allowed.
  let near: [NearMatch]

  init(_ query: RecordQuery) {
    self.query = query
    texts = query.texts.map(TextMatch.init)
    near = query.allowsSlips ? query.texts.map(NearMatch.init) : []
  }

  /// The record in these bytes, if it matches.
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
  /// The ids are sorted first, so that equal records always come in the same order: for a few texts, such as U+037E and
  /// `;k`, neither is before the other in the order of `<`, although they are not equal.
  private static func sorted<Key: Comparable>(
    _ records: [RecordSummary], by isBefore: (Key, Key) -> Bool = { $0 < $1 }, _ key: (RecordSummary) -> Key
  ) -> [RecordSummary] {
    records.sorted { $0.id < $1.id }.map { (key($0), $0) }
      .sorted { $0.0 != $1.0 ? isBefore($0.0, $1.0) : $0.1.id < $1.1.id }
      .map(\.1)
  }
}

extension JSONValue {
  /// Whether a member of a record is readable and has this text as its value, or is a list that contains it.
  ///
  /// - Parameter kind: the kind of the record, which may know the path of an older schema.
  package func hasReadable(_ text: String, at path: MemberPath, of kind: RecordKind?) -> Bool {
    guard let value = try? value(at: kind?.pathInCurrentSchema(path) ?? path) else { return false }
    return (value.array ?? [value]).contains { $0.isReadable(as: text) }
  }

  /// Whether it is one readable value with this text.
  fileprivate func isReadable(as text: String) -> Bool {
    switch self {
    case .string(let own): !SealedToken.hasTokenShape(own) && own == text
    case .number(let number): number.literal == text
    case .bool(let flag): String(flag) == text
    default: false
    }
  }
}
