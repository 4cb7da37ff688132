internal import VaultDocument
internal import VaultIndex
internal import VaultStorage

extension LockedVault {
  /// What a query finds, sorted, by the index; nil when there is none to ask.
  func indexedList(_ search: RecordSearch) async throws(VaultError) -> FileFindings<RecordSummary>? {
    let query = search.query
    let look: Look<RecordSummary> = { id, bytes throws(VaultError) in try search.summary(of: id, bytes, kinds) }
    let isFiltered = !query.texts.isEmpty || !query.conditions.isEmpty
    guard
      let answer = await answer({ index throws(IndexFailure) in
        isFiltered
          ? IndexAnswer(rows: try index.rows(of: index.search(search.probes))) : try query.answer(from: index)
      })
    else { return nil }
    var rows = answer.rows
    if isFiltered, let kind = query.kind { rows.removeAll { !$0.kind.utf8.elementsEqual(kind.utf8) } }
    guard query.conditions.isEmpty else {
      // Which member has the value is in the file.
      var findings = try await scan((rows.map(\.id) + answer.watched).sorted(), look)
      findings.found = query.sorted(findings.found)
      return findings
    }
    var findings = try await scan(answer.watched, look)
    let isSorted = !isFiltered && findings.found.isEmpty && answer.isSorted
    let found = rows.map(RecordSummary.init)
    findings.found = isSorted ? found : query.sorted(found + findings.found)
    return findings
  }

  /// The records that a word may mean, by the index; nil when there is none to ask.
  func indexedCandidates(_ match: NameMatch) async throws(VaultError) -> FileFindings<NamedRecord>? {
    guard RecordText.key(of: match.lowercased) != nil else { return nil }
    let answer = await answer { index throws(IndexFailure) in
      let named = try index.rows(named: match.lowercased) ?? []
      let prefixed = try match.idRange.map { range throws(IndexFailure) in try index.rows(in: range) } ?? []
      let known = Set(named.map(\.id))
      let rows = named + prefixed.filter { !known.contains($0.id) }
      return IndexAnswer(rows: rows.filter { match.candidate(RecordSummary($0)) != nil })
    }
    guard let answer else { return nil }
    var findings = try await scan(answer.watched) { id, bytes throws(VaultError) in
      try match.candidate(id, bytes, kinds)
    }
    findings.found += answer.rows.compactMap { match.candidate(RecordSummary($0)) }
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

/// Rows of an index, and what else has to be looked at.
struct IndexAnswer {
  let rows: [IndexRow]
  /// Whether the rows are in the order, and of the number, that was asked for.
  var isSorted = false
  /// The records whose files are to be read.
  var watched: [RecordID] = []
}

extension RecordQuery {
  fileprivate func answer(from index: RecordIndex) throws(IndexFailure) -> IndexAnswer {
    let isSorted = if order == .name { try index.isSortedByName() } else { true }
    let query = IndexQuery(kind: kind, order: indexOrder, limit: isSorted ? limit : nil)
    return IndexAnswer(rows: try index.rows(query), isSorted: isSorted)
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
  fileprivate init(_ row: IndexRow) {
    (id, kind, name, revision) = (row.id, row.kind, row.name, row.revision)
    (createdAt, updatedAt) = (row.createdAt, row.updatedAt)
  }
}
