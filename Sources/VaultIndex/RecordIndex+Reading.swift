package import VaultDocument

/// Which rows are wanted, and in which order; equal ones follow their ids.
package struct IndexQuery: Sendable {
  /// By name from A to Z, by time from the newest.
  package enum Order: Sendable {
    case name, created, updated
  }

  /// Only records of this kind.
  package var kind: String?
  package var order: Order
  /// The most rows; nil for all.
  package var limit: Int?

  package init(kind: String?, order: Order, limit: Int?) {
    (self.kind, self.order, self.limit) = (kind, order, limit)
  }
}

/// One text that is looked for in the values of records.
package struct IndexProbe {
  /// What the bytes of every value in normal form C hold that satisfies `matches`; empty when nothing can be said.
  let bytes: [UInt8]
  /// Whether a value, given in lower case, is one that is looked for; nil when the probe is all that is asked here.
  let matches: ((String) -> Bool)?

  package init(_ bytes: [UInt8], where matches: ((String) -> Bool)?) {
    (self.bytes, self.matches) = (bytes, matches)
  }

  /// Looks for a text in lower case.
  ///
  /// - Parameter fallback: a part of it that stands as it is in every text that holds it, however that is composed.
  package init(_ text: String, fallback: [UInt8], where matches: ((String) -> Bool)?) {
    self.init(RecordText.key(of: text) ?? fallback, where: matches)
  }
}

extension RecordIndex {
  /// The records that are not indexed, sorted.
  ///
  /// - Throws: ``IndexFailure``.
  package func watched() throws(IndexFailure) -> [RecordID] {
    var ids: [RecordID] = []
    try forEachRow("SELECT id FROM records WHERE watched = 1") { row throws(IndexFailure) in ids.append(try row.id(0)) }
    return ids.sorted()
  }

  /// Whether the order of names is that of the rows: not where a name may not be in normal form C.
  ///
  /// - Throws: ``IndexFailure``.
  package func isSortedByName() throws(IndexFailure) -> Bool {
    try guarding { () throws(IndexFailure) in
      try connection.integer("SELECT 1 FROM records WHERE key IS NULL LIMIT 1") == nil
    }
  }

  /// The records that are wanted, sorted.
  ///
  /// - Throws: ``IndexFailure``.
  package func ids(_ query: IndexQuery) throws(IndexFailure) -> [RecordID] {
    // Only columns that the index of the order, or of the kind, has: then it alone is read. Who is watched has no kind.
    let condition = query.kind == nil ? "" : "WHERE kind = ?"
    let watched = Set(query.kind == nil ? try watched() : [])
    let limit = query.limit.map { " LIMIT \(min($0, Int.max - watched.count) + watched.count)" } ?? ""
    let bind = { (statement: borrowing Statement) in if let kind = query.kind { statement.bind(1, kind) } }
    var ids = try ids("\(condition) ORDER BY \(query.order.columns), id" + limit, binding: bind)
    if !watched.isEmpty { ids.removeAll { watched.contains($0) } }
    return query.limit.map { Array(ids.prefix($0)) } ?? ids
  }

  /// The records whose names may be `name` in some case, and those whose names are not indexed.
  ///
  /// - Returns: nil when the name itself has no key, so that any may be meant.
  /// - Throws: ``IndexFailure``.
  package func ids(named name: String) throws(IndexFailure) -> [RecordID]? {
    guard let key = RecordText.key(of: name) else { return nil }
    return try ids("WHERE key = ? OR key IS NULL", binding: { $0.bind(1, key) })
  }

  /// The records whose ids are in a range.
  ///
  /// - Throws: ``IndexFailure``.
  package func ids(in range: ClosedRange<RecordID>) throws(IndexFailure) -> [RecordID] {
    let bind = { (statement: borrowing Statement) in
      statement.bind(1, range.lowerBound.bytes)
      statement.bind(2, range.upperBound.bytes)
    }
    return try ids("WHERE id >= ? AND id <= ?", binding: bind)
  }

  /// The records with values that satisfy every probe, sorted.
  ///
  /// - Throws: ``IndexFailure``.
  package func search(_ probes: [IndexProbe]) throws(IndexFailure) -> [RecordID] {
    var found: [RecordID] = []
    let bytes = probes.map(\.bytes)
    try forEachRow("SELECT piece FROM texts ORDER BY number") { row throws(IndexFailure) in
      try unsafe row.withBytes(0) { piece throws(IndexFailure) in
        unsafe try FolderTexts(piece).search(bytes) { id, text in
          let isMatch = probes.allSatisfy { probe in
            guard let matches = probe.matches else { return true }
            return unsafe RecordText.contains(text, probe: probe.bytes, where: matches)
          }
          if isMatch { found.append(id) }
        }
      }
    }
    return found.sorted()
  }
}

extension IndexQuery.Order {
  var columns: String {
    switch self {
    case .name: "key"
    case .created: "created DESC, created_nanoseconds DESC"
    case .updated: "updated DESC, updated_nanoseconds DESC"
    }
  }
}

extension RecordIndex {
  private func ids(
    _ end: String, binding bind: (borrowing Statement) -> Void
  ) throws(IndexFailure) -> [RecordID] {
    var ids: [RecordID] = []
    try forEachRow("SELECT id FROM records \(end)", binding: bind) { row throws(IndexFailure) in
      ids.append(try row.id(0))
    }
    return ids
  }

  /// Gives each row of a statement to `body`.
  func forEachRow(
    _ text: String, binding bind: (borrowing Statement) -> Void = { _ in },
    _ body: (borrowing Statement) throws(IndexFailure) -> Void
  ) throws(IndexFailure) {
    try guarding { () throws(IndexFailure) in
      let statement = try connection.prepare(text)
      bind(statement)
      while try statement.step() { try body(statement) }
    }
  }

  /// Removes the index when `body` finds it damaged.
  func guarding<Result>(_ body: () throws(IndexFailure) -> Result) throws(IndexFailure) -> Result {
    do throws(IndexFailure) { return try body() } catch { throw giveUp(error) }
  }
}

extension Statement {
  borrowing func id(_ column: Int32) throws(IndexFailure) -> RecordID {
    try unsafe withBytes(column) { bytes throws(IndexFailure) in
      guard bytes.count == Identifier.byteCount else { throw .damaged }
      return unsafe RecordID(unaligned: bytes)
    }
  }
}
