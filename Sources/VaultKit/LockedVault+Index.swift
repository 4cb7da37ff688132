internal import VaultDocument
internal import VaultIndex
internal import VaultStorage

extension LockedVault {
  /// What a query finds, sorted, by the index; nil when there is none to ask.
  func indexedRows(_ search: RecordSearch) async throws(VaultError) -> (records: RecordRows, faults: [VaultError])? {
    let query = search.query
    let look: Look<RecordSummary> = { id, bytes throws(VaultError) in try search.summary(of: id, bytes, kinds) }
    let isFiltered = !query.texts.isEmpty || !query.conditions.isEmpty
    guard
      let answer = await answer({ index throws(IndexFailure) in
        isFiltered
          ? IndexRequest(selection: .some(try index.search(search.probes))) : try query.request(to: index)
      })
    else { return nil }
    var kept: [RecordSummary] {
      answer.found.lazy.map(RecordSummary.init).filter { row in
        query.kind.map { row.kind.utf8.elementsEqual($0.utf8) } ?? true
      }
    }
    guard query.conditions.isEmpty else {
      // Which member has the value is in the file.
      let findings = try await scan((kept.map(\.id) + answer.watched).sorted(), look)
      return (RecordRows(query.sorted(findings.found)), findings.faults)
    }
    let findings = try await scan(answer.watched, look)
    let isSorted = answer.isSorted && findings.found.isEmpty
    return (
      isSorted ? RecordRows(answer.found) : RecordRows(query.sorted(kept + findings.found)), findings.faults
    )
  }

  /// The records that a word may mean, by the index; nil when there is none to ask.
  func indexedCandidates(_ match: NameMatch) async throws(VaultError) -> FileFindings<NamedRecord>? {
    guard RecordText.key(of: match.lowercased) != nil else { return nil }
    let answer = await answer { index throws(IndexFailure) in
      let named = try index.ids(named: match.lowercased) ?? []
      let prefixed = try match.idRange.map { range throws(IndexFailure) in try index.ids(in: range) } ?? []
      return IndexRequest(selection: .some(Set(named + prefixed).sorted()))
    }
    guard let answer else { return nil }
    var findings = try await scan(answer.watched) { id, bytes throws(VaultError) in
      try match.candidate(id, bytes, kinds)
    }
    findings.found += answer.found.compactMap { match.candidate(RecordSummary($0)) }
    findings.found.sort { $0.summary.id < $1.summary.id }
    return findings
  }
}

extension LockedVault {
  /// What the index says, when there is one, or it is worth to make one; why not is noted.
  private func answer(_ ask: IndexSession.Question) async -> IndexAnswer? {
    guard let indexOptions, let place = indexPlace, let stamped = store as? any StampedStore else { return nil }
    do throws(IndexStop) {
      if place.byteCount == nil, try !holds(indexOptions.minimumRecordCount) { return nil }
      let index = try inIndex { () throws(IndexFailure) in try RecordIndex.open(at: place, identity: indexIdentity) }
      var session = IndexSession(self, stamped, index)
      return try await session.answer(ask)
    } catch {
      indexOptions.onNote("read without the index: " + error.reason)
      return nil
    }
  }

  /// Whether there are at least so many records.
  private func holds(_ count: Int) throws(IndexStop) -> Bool {
    var found = 0
    for folder in UInt8.min...UInt8.max where found < count {
      do throws(StoreError) { found += try store.records(inFolder: folder).count } catch { throw .store(error) }
    }
    return found >= count
  }
}

/// The rows that a question is about.
struct IndexRequest {
  let selection: RowSelection
  /// Whether the rows are in the order, and of the number, that was asked for.
  var isSorted = false
}

/// Rows of an index, and what else has to be looked at.
struct IndexAnswer {
  let found: IndexedRows
  /// As in the request.
  let isSorted: Bool
  /// The records whose files are to be read.
  let watched: [RecordID]
}

/// Rows of an index in the order that was asked for.
struct IndexedRows: RandomAccessCollection, Sendable {
  private let rows: IndexRows
  private let positions: [UInt32]

  init(_ rows: IndexRows, _ positions: [UInt32]) { (self.rows, self.positions) = (rows, positions) }

  var startIndex: Int { 0 }
  var endIndex: Int { positions.count }
  subscript(index: Int) -> IndexRow { rows[Int(positions[index])] }
}

extension RecordQuery {
  fileprivate func request(to index: RecordIndex) throws(IndexFailure) -> IndexRequest {
    let isSorted = if order == .name { try index.isSortedByName() } else { true }
    let limit = isSorted ? limit : nil
    guard kind != nil || limit != nil else { return IndexRequest(selection: .all(indexOrder), isSorted: isSorted) }
    let query = IndexQuery(kind: kind, order: indexOrder, limit: limit)
    return IndexRequest(selection: .some(try index.ids(query)), isSorted: isSorted)
  }

  private var indexOrder: IndexQuery.Order {
    switch order {
    case .name: .name
    case .created: .created
    case .updated: .updated
    }
  }
}

extension RecordSearch {
  /// What the readable values of a record hold that is found.
  fileprivate var probes: [IndexProbe] {
    texts.map { text in
      IndexProbe(text.lowercased, fallback: text.probe) { value in text.matches(lowercased: value) }
    }
      + query.conditions.map { condition in
        let value = condition.value
        return IndexProbe(value.lowercased(), fallback: TextMatch.longestASCIIRun(in: value), where: nil)
      }
  }
}

extension NameMatch {
  /// The ids that begin as the word does; nil when none can.
  fileprivate var idRange: ClosedRange<RecordID>? {
    guard let prefix = idPrefix else { return nil }
    func filled(with digit: Character) -> RecordID? {
      let template = "00000000-0000-0000-0000-000000000000".map { $0 == "0" ? digit : $0 }
      return RecordID(parsing: prefix + String(template.dropFirst(prefix.utf8.count)))
    }
    guard let first = filled(with: "0"), let last = filled(with: "f") else { return nil }
    return first...last
  }
}

extension RecordSummary {
  init(_ row: IndexRow) {
    (id, kind, name, revision) = (row.id, row.kind, row.name, row.revision)
    (createdAt, updatedAt) = (row.createdAt, row.updatedAt)
  }
}
