package import VaultDocument

/// Rows in the order of their ids, as compact as they can be taken apart one by one: a list of a whole vault holds as
/// many.
package struct IndexRows: Sendable {
  /// Rows that were read at once; every piece but the last has as many.
  private var pieces: [Piece] = []
  package private(set) var count = 0

  package init() {}

  package subscript(position: Int) -> IndexRow {
    let piece = pieces[position / RowPieces.rowsAtOnce]
    return piece[position % RowPieces.rowsAtOnce]
  }

  /// Takes the rows that follow.
  package mutating func append(_ piece: Piece) {
    precondition(count.isMultiple(of: RowPieces.rowsAtOnce), "only the last piece may have fewer rows")
    pieces.append(piece)
    count += piece.count
  }

  fileprivate func id(_ position: Int) -> RecordID {
    pieces[position / RowPieces.rowsAtOnce].id(position % RowPieces.rowsAtOnce)
  }
}

extension IndexRows {
  /// Some rows, decoded as far as the system can be asked about their files.
  package struct Piece: Sendable {
    private struct Entry {
      let id: RecordID
      let createdAt: Timestamp
      let nameEnd: UInt32
      let updatedAt: Timestamp
      let kind: UInt16
      let revision: Int
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []
    private var kinds: [(name: String, bytes: [UInt8])] = []

    package var count: Int { entries.count }
    package var ids: [RecordID] { entries.map(\.id) }
    fileprivate func id(_ index: Int) -> RecordID { entries[index].id }

    /// - Parameter byteCount: of the rows as they are stored.
    fileprivate init(capacity: Int, byteCount: Int) {
      entries.reserveCapacity(capacity)
      // Not doubled as it grows: a million names would take twice their room.
      names.reserveCapacity(max(0, byteCount - capacity * StoredRow.minimumByteCount))
    }

    fileprivate subscript(index: Int) -> IndexRow {
      let entry = entries[index]
      let start = index == 0 ? 0 : Int(entries[index - 1].nameEnd)
      return IndexRow(
        id: entry.id, kind: kinds[Int(entry.kind)].name,
        name: String(decoding: names[start..<Int(entry.nameEnd)], as: UTF8.self), revision: entry.revision,
        createdAt: entry.createdAt, updatedAt: entry.updatedAt)
    }

    fileprivate mutating func append(_ row: StoredRow) throws(IndexFailure) {
      let kind = unsafe number(ofKind: row.kind)
      unsafe names.append(contentsOf: row.name)
      guard let nameEnd = UInt32(exactly: names.count) else { throw .damaged }
      entries.append(
        Entry(
          id: row.id, createdAt: try row.createdAt, nameEnd: nameEnd, updatedAt: try row.updatedAt, kind: kind,
          revision: row.revision))
    }

    /// A piece has fewer rows than there are numbers.
    private mutating func number(ofKind name: UnsafeRawBufferPointer) -> UInt16 {
      if let index = kinds.firstIndex(where: { unsafe name.elementsEqual($0.bytes) }) { return UInt16(index) }
      unsafe kinds.append((String(decoding: name, as: UTF8.self), Array(name)))
      return UInt16(kinds.count - 1)
    }
  }
}

/// Which rows answer a question, and in which order.
package enum RowSelection: Sendable {
  /// All, in an order that the index has.
  case all(IndexQuery.Order)
  /// Those of these records, in this order; those that there are not are left out.
  case some([RecordID])
}

/// Some rows as they are stored: taking them apart is left to who has a core for it.
package struct StoredRows: Sendable {
  private var bytes: [UInt8] = []
  /// Where each row ends.
  private var ends: [Int] = []
  private var ids: [RecordID] = []

  fileprivate var count: Int { ids.count }

  fileprivate mutating func append(_ statement: borrowing Statement) throws(IndexFailure) {
    ids.append(try statement.id(0))
    unsafe statement.withBytes(1) { row in unsafe bytes.append(contentsOf: row) }
    ends.append(bytes.count)
  }

  /// The rows, and the marks under which their files were read.
  ///
  /// - Throws: ``IndexFailure`` `.damaged`.
  package func decoded() throws(IndexFailure) -> (rows: IndexRows.Piece, marks: [IndexMark]) {
    var rows = IndexRows.Piece(capacity: count, byteCount: bytes.count)
    var marks: [IndexMark] = []
    marks.reserveCapacity(count)
    try unsafe bytes.span.withUnsafeBytes { bytes throws(IndexFailure) in
      var start = 0
      for (id, end) in zip(ids, ends) {
        let row = try unsafe StoredRow(id, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        try rows.append(row)
        marks.append(try row.mark)
        start = end
      }
    }
    return (rows, marks)
  }
}

/// Reads rows in the order of their ids, some at a time.
package final class RowPieces: Sequence, IteratorProtocol {
  package static let rowsAtOnce = 1024

  private let statement: Statement
  /// What is left to look up; nil when all are read one after the other.
  private var ids: ArraySlice<RecordID>?
  private var isAtEnd = false

  fileprivate init(_ selection: RowSelection, _ connection: Connection) throws(IndexFailure) {
    let all = "SELECT id, row FROM records WHERE watched = 0"
    switch selection {
    case .all: statement = try connection.prepare(all + " ORDER BY id")
    case .some(let ids):
      statement = try connection.prepare(all + " AND id = ?")
      self.ids = ids.sorted()[...]
    }
  }

  package func next() -> Result<StoredRows, IndexFailure>? {
    var rows = StoredRows()
    let step = Result { () throws(IndexFailure) in while rows.count < Self.rowsAtOnce, try take(&rows) {} }
    if case .failure(let failure) = step {
      isAtEnd = true
      return .failure(failure)
    }
    return rows.count == 0 ? nil : .success(rows)
  }

  /// Takes one row more, if there is one, and tells whether to go on.
  private func take(_ rows: inout StoredRows) throws(IndexFailure) -> Bool {
    guard !isAtEnd else { return false }
    if let id = ids?.popFirst() {
      statement.bind(1, id.bytes)
      if try statement.step() { try rows.append(statement) }
      statement.reset()
      return true
    }
    isAtEnd = if ids != nil { true } else { try !statement.step() }
    if !isAtEnd { try rows.append(statement) }
    return !isAtEnd
  }
}

extension RecordIndex {
  /// The rows of a selection, in the order of their ids.
  ///
  /// - Throws: ``IndexFailure``.
  package func pieces(_ selection: RowSelection) throws(IndexFailure) -> RowPieces {
    try guarding { () throws(IndexFailure) in try RowPieces(selection, connection) }
  }

  /// Where the rows of a selection, all of which were read, stand in the order that it wants.
  ///
  /// - Throws: ``IndexFailure``.
  package func positions(_ selection: RowSelection, of rows: IndexRows) throws(IndexFailure) -> [UInt32] {
    let places = RowPlaces(rows)
    var positions: [UInt32] = []
    positions.reserveCapacity(rows.count)
    func take(_ id: RecordID) { if let place = places[id] { positions.append(UInt32(place)) } }
    switch selection {
    case .some(let ids): for id in ids { take(id) }
    case .all(let order):
      // Without a word about other columns, so that it is answered by the index of this order alone.
      try forEachRow("SELECT id FROM records ORDER BY \(order.columns), id") { row throws(IndexFailure) in
        take(try row.id(0))
      }
      guard positions.count == rows.count else { throw giveUp(.damaged) }
    }
    return positions
  }
}

/// Where rows are, by their ids, which are even numbers as a rule: looked for among those alone that begin in the same
/// way.
private struct RowPlaces {
  private let rows: IndexRows
  /// How far the first half of an id is shifted to get its first bits.
  private let shift: Int
  /// Where the rows of each beginning start, and the end.
  private let starts: [UInt32]

  init(_ rows: IndexRows) {
    self.rows = rows
    let bitCount = max(1, Int.bitWidth - rows.count.leadingZeroBitCount)
    shift = 64 - bitCount
    var starts: [UInt32] = []
    starts.reserveCapacity(1 << bitCount + 1)
    for position in 0..<rows.count {
      let beginning = Int(rows.id(position).halves.0 >> UInt64(shift))
      while starts.count <= beginning { starts.append(UInt32(position)) }
    }
    while starts.count <= 1 << bitCount { starts.append(UInt32(rows.count)) }
    self.starts = starts
  }

  subscript(id: RecordID) -> Int? {
    let beginning = Int(id.halves.0 >> UInt64(shift))
    var range = Int(starts[beginning])..<Int(starts[beginning + 1])
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      if rows.id(middle) <= id { range = middle..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    return !range.isEmpty && rows.id(range.lowerBound) == id ? range.lowerBound : nil
  }
}
