package import VaultDocument
package import VaultStorage

extension PostgresStore {
  /// The set of live records that readers see, as a part of a statement whose first value is the vault.
  var liveSet: String { "(SELECT v.live FROM \(schema.vaults) AS v WHERE v.vault = $1)" }

  private func set(of location: StoreLocation) -> String {
    location.place == StoreLocation.Place.record ? liveSet : "0"
  }

  /// The columns of a part. Content over the size limit does not leave the server.
  private func columns(_ location: StoreLocation) -> String {
    """
    d.id, d.part, d.size, CASE WHEN d.size <= \(location.byteLimit)
      AND octet_length(d.bytes) <= \(PostgresSchema.partByteCount) THEN d.bytes END AS bytes
    """
  }

  package func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    if case .attachment = location {
      guard let reader = try reader(of: location) else { return nil }
      return try reader.all()
    }
    if case .inbox(let id) = location { return try readDeposit(id) }
    do throws(StoreError) {
      return try readDocument(location)
    } catch {
      // A role that may only deposit sees the header alone.
      guard location == .header, error.code == .permissionDenied else { throw error }
      return try read(location, by: statementOfHeader)
    }
  }

  private func readDocument(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    let ahead = heldLock?.ahead ?? readers.ahead
    if let known = ahead.document(at: location) ?? readWithLock(location) { return try known.get() }
    if let known = try readForOneCommand(location) { return try known.get() }
    return try read(location, by: statement(reading: location))
  }

  private func read(_ location: StoreLocation, by statement: SQLStatement) throws(StoreError) -> [UInt8]? {
    var joined = PartJoiner { _ in location }
    var found: Result<[UInt8], StoreError>?
    try readers.with(path: location.relativePath) { connection throws(ServerFault) in
      joined = PartJoiner { _ in location }
      found = nil
      var fault: ServerFault?
      try connection.rows(statement.text, statement.values) { row in
        do throws(ServerFault) {
          if let document = try joined.take(row) { found = document.bytes }
          return true
        } catch {
          fault = error
          return false
        }
      }
      if let fault { throw fault }
    }
    return try (found ?? joined.finish()?.bytes)?.get()
  }

  func statement(reading location: StoreLocation) -> SQLStatement {
    SQLStatement(
      selection(of: location, place: 2, id: 3) + " ORDER BY d.part",
      [.id(vault), .place(location.place), .id(location.id)])
  }

  /// The parts of a document, as a part of a statement.
  ///
  /// - Parameters:
  ///   - place: the number of the value for its place; the first value is the vault.
  ///   - id: the number of the value for its id.
  func selection(of location: StoreLocation, place: Int, id: Int) -> String {
    """
    SELECT \(columns(location)) FROM \(schema.documents) AS d
    WHERE d.vault = $1 AND d.live = \(set(of: location)) AND d.place = $\(place) AND d.id = $\(id)
    """
  }

  /// The header for a role that sees nothing else.
  private var statementOfHeader: SQLStatement {
    SQLStatement(
      "SELECT \(columns(.header)) FROM \(schema.headers) AS d WHERE d.vault = $1 ORDER BY d.part", [.id(vault)])
  }

  /// A document, read in the transaction that holds the lock of this store, so that no second connection is made. The
  /// next request after one for a live record is mostly for a removed one of the same id.
  private func readWithLock(_ location: StoreLocation) -> Result<[UInt8]?, StoreError>? {
    guard let lock = heldLock, location.byteLimit <= Self.wholeLimit else { return nil }
    var locations = [location]
    if case .record(let id) = location { locations.append(.trash(id)) }
    let documents = lock.reading { connection throws(ServerFault) in try self.documents(at: locations, connection) }
    guard let documents else { return nil }
    for (location, document) in zip(locations, documents).dropFirst() {
      lock.ahead.add(location, document, for: Self.aheadWithLock)
    }
    return documents.first
  }

  /// A live record together with a removed one of the same id, for which a command asks next.
  private func readForOneCommand(_ location: StoreLocation) throws(StoreError) -> Result<[UInt8]?, StoreError>? {
    guard case .record(let id) = location, pool.patience.isForOneCommand, snapshot == nil, heldLock == nil else {
      return nil
    }
    let documents = try readers.with(path: location.relativePath) { connection throws(ServerFault) in
      try self.documents(at: [location, .trash(id)], connection)
    }
    readers.ahead.replace([.trash(id): documents[1]], for: ReadAhead.time)
    return documents[0]
  }

  /// Documents over this size are read piece by piece.
  private static let wholeLimit = 16 << 20

  /// Documents that fit into memory, in one round trip.
  func documents(
    at locations: [StoreLocation], _ connection: PostgresConnection
  ) throws(ServerFault) -> [Result<[UInt8]?, StoreError>] {
    var joiners = locations.map { location in PartJoiner { _ in location } }
    try connection.pipeline(locations.map(statement(reading:))) { step, row throws(ServerFault) in
      _ = try joiners[step].take(row)
    }
    return joiners.indices.map { index in joiners[index].finish()?.bytes.map { $0 } ?? .success(nil) }
  }

  package func recordFolders() throws(StoreError) -> [UInt8] {
    // The folders that ever had a record: an exact answer would cost a look at each record.
    let statement = "SELECT f.folder FROM \(schema.folders) AS f WHERE f.vault = $1 ORDER BY f.folder"
    return try readers.with { connection throws(ServerFault) in
      var folders: [UInt8] = []
      try connection.rows(
        statement, [.id(vault)],
        each: { row throws(ServerFault) in
          guard let folder = UInt8(exactly: try row.place(0)), folders.last.map({ $0 < folder }) ?? true else {
            throw .malformed
          }
          folders.append(folder)
        })
      return folders
    }
  }

  package func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    let passing = pool.patience.isForOneCommand && snapshot == nil && heldLock == nil ? listing.listing() : nil
    guard let prefetch = prefetch ?? passing else { return try records(inFolders: folder...folder) }
    return try prefetch.ids(of: folder, records(inFolders:upTo:))
  }

  /// The records that are read ahead while nobody else changes anything.
  private var prefetch: RecordPrefetch? { snapshot?.ahead ?? heldLock?.prefetch }

  private func records(inFolders folders: ClosedRange<UInt8>, upTo limit: Int? = nil) throws(StoreError) -> [RecordID] {
    try identifiers(.record(vault), (Self.edge(folders.lowerBound, 0), Self.edge(folders.upperBound, 0xFF)), limit)
  }

  package func trashed() throws(StoreError) -> [RecordID] { try identifiers(.trash(vault)) }

  package func slots() throws(StoreError) -> [SlotID] { try identifiers(.slot(vault)) }

  /// Tables can hold nothing else.
  package func strayEntries() throws(StoreError) -> [String] { [] }

  private static func edge(_ folder: UInt8, _ rest: UInt8) -> Identifier {
    Identifier(bytes: [folder] + [UInt8](repeating: rest, count: Identifier.byteCount - 1))
  }

  /// The ids of one kind of place, ascending: uuids sort by their bytes.
  private func identifiers(
    _ kind: StoreLocation, _ range: (Identifier, Identifier)? = nil, _ limit: Int? = nil
  ) throws(StoreError) -> [Identifier] {
    let statement = """
      SELECT d.id FROM \(schema.documents) AS d
      WHERE d.vault = $1 AND d.live = \(set(of: kind)) AND d.place = $2 AND d.part = 0
        \(range == nil ? "" : "AND d.id >= $3 AND d.id <= $4") ORDER BY d.id\(limit.map { " LIMIT \($0)" } ?? "")
      """
    let edges = range.map { [SQLValue.id($0.0), .id($0.1)] } ?? []
    return try readers.with { connection throws(ServerFault) in
      var ids: [Identifier] = []
      try connection.rows(
        statement, [.id(vault), .place(kind.place)] + edges,
        each: { row throws(ServerFault) in
          ids.append(try row.id(0))
        })
      return ids
    }
  }

  package func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    if let found = try prefetch?.bytes(of: ids, inFolder: folder, run(from:)) {
      for (id, bytes) in zip(ids, found) where !body(id, .success(bytes)) { return }
      return
    }
    guard ids.count > 1, zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else {
      for id in ids {
        let document: Result<[UInt8], StoreError>?
        do throws(StoreError) { document = try read(.record(id)).map { .success($0) } } catch {
          document = .failure(error)
        }
        if let document, !body(id, document) { return }
      }
      return
    }
    try readAscending(ids, body)
  }

  package func fewRecords() throws(StoreError) -> (any RecordStore)? {
    if let few = readers.ahead.few() { return few }
    // Nothing leaves the server if there are more. If there is no vault, the usual way reports it.
    let statement = FewRecords.statement(schema, of: "$1")
    var few = FewRecords()
    try readers.with { connection throws(ServerFault) in
      few = FewRecords()
      try connection.rows(statement, [.id(vault)], each: { row throws(ServerFault) in try few.take(row) })
    }
    guard let records = try few.store() else { return nil }
    if pool.patience.isForOneCommand, heldLock == nil {
      readers.ahead.replace(few.documents, few: records, for: ReadAhead.time)
    }
    return records
  }

  /// The records that follow one another from an id on, except those that are too large to be read ahead.
  private func run(from first: RecordID) throws(StoreError) -> [(id: RecordID, bytes: [UInt8])] {
    let statement = """
      SELECT d.id, d.bytes FROM \(schema.documents) AS d
      WHERE d.vault = $1 AND d.live = \(liveSet) AND d.place = \(StoreLocation.Place.record) AND d.id >= $2 AND d.part = 0
        AND d.size <= \(RecordPrefetch.byteCount) AND octet_length(d.bytes) = d.size
      ORDER BY d.id LIMIT \(RecordPrefetch.recordCount)
      """
    return try readers.with { connection throws(ServerFault) in
      var records: [(id: RecordID, bytes: [UInt8])] = []
      try connection.rows(
        statement, [.id(vault), .id(first)],
        each: { row throws(ServerFault) in
          guard records.count < RecordPrefetch.recordCount else { throw .tooMuch }
          let bytes = try row.bytes(1)
          guard bytes.count <= RecordPrefetch.byteCount else { throw .tooMuch }
          records.append((try row.id(0), bytes))
        })
      return records
    }
  }

  /// One statement for all of them, whose rows come one by one.
  private func readAscending(
    _ ids: [RecordID], _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    let statement = """
      SELECT \(columns(.record(vault))) FROM \(schema.documents) AS d
      WHERE d.vault = $1 AND d.live = \(liveSet) AND d.place = \(StoreLocation.Place.record) AND d.id >= $2 AND d.id <= $3
        AND d.id = ANY ($4) ORDER BY d.id, d.part
      """
    let values: [SQLValue] = [.id(vault), .id(ids[0]), .id(ids[ids.count - 1]), .ids(ids)]
    var isSeen = false
    // Records that the body has seen are not read again.
    try readers.with(again: { !isSeen }) { connection throws(ServerFault) in
      var joined = PartJoiner { .record($0) }
      var (fault, goesOn): (ServerFault?, Bool) = (nil, true)
      try connection.rows(statement, values) { row in
        do throws(ServerFault) {
          guard let document = try joined.take(row) else { return true }
          isSeen = true
          goesOn = body(document.id, document.bytes)
          return goesOn
        } catch {
          fault = error
          return false
        }
      }
      if let fault { throw fault }
      if goesOn, let last = joined.finish() { _ = body(last.id, last.bytes) }
    }
  }
}

/// Joins parts that come in order to whole documents.
struct PartJoiner {
  typealias Document = (id: Identifier, bytes: Result<[UInt8], StoreError>)

  private let location: (Identifier) -> StoreLocation
  private var id: Identifier?
  private var size = 0
  private var nextPart = 0
  private var bytes: [UInt8] = []
  private var error: StoreError?

  init(_ location: @escaping (Identifier) -> StoreLocation) { self.location = location }

  /// Takes a row; returns the previous document if the row begins another one.
  mutating func take(_ row: SQLRow) throws(ServerFault) -> Document? {
    let (id, part, size) = (try row.id(0), try row.integer(1), try row.number(2))
    let piece = try row.optionalBytes(3)
    let last = id == self.id ? nil : finish()
    if self.id == nil { (self.id, self.size) = (id, Int(size)) }
    let place = location(id)
    if size < 0 || size > place.byteLimit {
      error = StoreError(.tooLarge, reason: "the document is over its size limit", path: place.relativePath)
    } else if part != nextPart || Int(size) != self.size || piece == nil {
      error = error ?? Self.torn(place)
    }
    if error == nil, let piece { bytes += piece }
    nextPart += 1
    return last
  }

  /// The last document; nil if there was no row.
  mutating func finish() -> Document? {
    guard let id else { return nil }
    if error == nil, bytes.count != size { error = Self.torn(location(id)) }
    let document: Document = (id, error.map { .failure($0) } ?? .success(bytes))
    (self.id, nextPart, bytes, error) = (nil, 0, [], nil)
    return document
  }

  private static func torn(_ place: StoreLocation) -> StoreError {
    StoreError(
      .notARegularFile, reason: "the parts of the document in the database do not fit together",
      path: place.relativePath)
  }
}
