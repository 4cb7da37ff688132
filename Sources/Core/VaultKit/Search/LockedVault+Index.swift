internal import Synchronization
internal import VaultDocument
internal import VaultIndex
internal import VaultStorage
internal import VaultTrust

extension LockedVault {
  /// The sorted results of a query from the index; nil if no index can be used.
  func indexedRows(_ search: RecordSearch) async throws(VaultError) -> (records: RecordRows, faults: [VaultError])? {
    let query = search.query
    let look: Look<RecordSummary> = { id, bytes throws(VaultError) in try search.summary(of: id, bytes, kinds) }
    guard let answer = await answer(to: search.question) else { return nil }
    guard query.conditions.isEmpty else {
      // Only the file tells which member has the value.
      let findings = try await scan((answer.rows.map(\.id) + answer.watched).sorted(), look)
      return (RecordRows(query.sorted(findings.found)), findings.faults)
    }
    let findings = try await scan(answer.watched, look)
    let rows =
      if answer.isOrdered, findings.found.isEmpty {
        RecordRows(answer.rows)
      } else {
        RecordRows(query.sorted(answer.rows.map(RecordSummary.init) + findings.found))
      }
    return (rows, findings.faults)
  }

  /// The records that a word may mean, from the index; nil if no index can be used.
  func indexedCandidates(_ match: NameMatch) async throws(VaultError) -> FileFindings<NamedRecord>? {
    guard let key = RecordText.key(of: match.lowercased) else { return nil }
    let ids = match.idRange
    let question = IndexQuestion { folder, index in
      // A record without a key may have any name.
      folder.key(index).map { $0 == key[...] } ?? true || ids?.contains(folder.id(index)) ?? false
    }
    guard let answer = await answer(to: question) else { return nil }
    // Only the files have the tags.
    let read = match.tag == nil ? answer.watched : (answer.rows.map(\.id) + answer.watched).sorted()
    var findings = try await scan(read) { id, bytes throws(VaultError) in
      try match.candidate(id, bytes: bytes, kinds: kinds)
    }
    guard match.tag == nil else { return findings }
    findings.found += answer.rows.compactMap { match.candidate(RecordSummary($0)) }
    findings.found.sort { $0.summary.id < $1.summary.id }
    return findings
  }

  /// Whether records are of more than one kind, from the index; nil if no index can be used, or it does not know all.
  func indexedHasSeveralKinds() async -> Bool? {
    let first = Mutex<[UInt8]?>(nil)
    // One record of another kind than the first is enough.
    let isOther: @Sendable (IndexedFolder, Int) -> Bool = { folder, index in
      first.withLock { first in
        let kind = folder.kind(index)
        defer { first = first ?? Array(kind) }
        return first.map { $0[...] != kind } ?? false
      }
    }
    let answer = await answer(to: IndexQuestion(isWanted: isOther, order: .created, limit: 1))
    guard let answer, !answer.rows.isEmpty || answer.watched.isEmpty else { return nil }
    return !answer.rows.isEmpty
  }

  /// The answer of the index. Nil without a place for it, if a new one is not worth making, and after a fault, whose
  /// reason is noted. The index is made or updated on the way. The caller also reads the files of the records in
  /// `watched`.
  private func answer(to question: IndexQuestion) async -> IndexAnswer? {
    guard let indexOptions, let place = indexPlace, let stamped = store as? any StampedStore else { return nil }
    do throws(TextFault) {
      if !place.isTaken, try !holds(indexOptions.minimumRecordCount) { return nil }
      let index = try RecordIndex(at: place, identity: indexIdentity)
      var session = IndexSession(FolderReader(vault: self, store: stamped, index: index), question)
      return try await session.answer()
    } catch {
      indexOptions.onNote("read without the index: " + error.reason)
      return nil
    }
  }

  /// Whether there are at least `count` live records; counting stops there.
  private func holds(_ count: Int) throws(TextFault) -> Bool {
    var found = 0
    let few = try askingStore { () throws(StoreError) in try (store as? any RemoteStore)?.fewRecords() }
    let source = few ?? store
    let folders = try askingStore { () throws(StoreError) in try source.recordFolders() }
    for folder in folders where found < count {
      found += try askingStore { () throws(StoreError) in try source.records(inFolder: folder).count }
    }
    return found >= count
  }
}

extension RecordSearch {
  fileprivate var question: IndexQuestion {
    var question = IndexQuestion(probes: probes)
    if let kind = query.kind.map({ Array($0.utf8)[...] }) { question.isWanted = { $0.kind($1) == kind } }
    question.order =
      switch query.order {
      case .name: .name
      case .created: .created
      case .updated: .updated
      }
    // With conditions, only the files tell which of the candidates match.
    if query.conditions.isEmpty { question.limit = query.limit }
    return question
  }

  /// Texts that the readable values of a matching record contain.
  fileprivate var probes: [IndexProbe] {
    texts.enumerated().map { index, text in
      guard near.isEmpty else {
        let near = near[index]
        return IndexProbe([]) { value in text.matches(lowercased: value) || near.similarity(to: value) > 0 }
      }
      return IndexProbe(text.lowercased, fallback: text.probe) { value in text.matches(lowercased: value) }
    }
      + query.conditions.map { condition in
        let value = condition.value
        return IndexProbe(value.lowercased(), fallback: TextMatch.longestASCIIRun(in: value), where: nil)
      }
  }
}

extension NameMatch {
  /// The ids that begin like the word; nil if no id can.
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
    (id, kind, name, who, revision) = (row.id, row.kind, row.name, row.who, row.revision)
    (createdAt, updatedAt) = (row.createdAt, row.updatedAt)
  }
}
