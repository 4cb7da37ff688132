internal import VaultDocument
internal import VaultStorage

/// Changes as rows, one for each part of a document, with the old and the new content.
struct ChangeRows {
  /// The kinds of changes of a part.
  struct Counts: Equatable {
    var replaced = 0
    var removed = 0
    var added = 0
  }

  private(set) var counts = Counts()
  private(set) var byteCount = 0
  private(set) var live: [Int64] = []
  private(set) var places: [Int16] = []
  private(set) var ids: [Identifier] = []
  private(set) var parts: [Int32] = []
  private(set) var old: [[UInt8]?] = []
  private(set) var oldSizes: [Int64?] = []
  private(set) var new: [[UInt8]?] = []
  private(set) var newSizes: [Int64?] = []

  init(_ changes: [StoreChange], live: Int64) {
    for change in changes { append(change, live: live) }
  }

  private mutating func append(_ change: StoreChange, live: Int64) {
    let (old, new) = (Self.parts(of: change.expected), Self.parts(of: change.replacement))
    byteCount += (change.expected?.count ?? 0) + (change.replacement?.count ?? 0)
    // If a document is missing both before and after, one row says so.
    for part in 0..<max(old.count, new.count, 1) {
      let (before, after) = (old.indices.contains(part) ? old[part] : nil, new.indices.contains(part) ? new[part] : nil)
      self.live.append(change.location.place == StoreLocation.Place.record ? live : 0)
      places.append(change.location.place)
      ids.append(change.location.id)
      parts.append(Int32(part))
      self.old.append(before)
      oldSizes.append(before == nil ? nil : change.expected.map { Int64($0.count) })
      self.new.append(after)
      newSizes.append(after == nil ? nil : change.replacement.map { Int64($0.count) })
      switch (before, after) {
      case (nil, nil): break
      case (nil, _): counts.added += 1
      case (_, nil): counts.removed += 1
      default: counts.replaced += 1
      }
    }
  }

  /// An empty document is one empty part.
  static func parts(of bytes: [UInt8]?) -> [[UInt8]] {
    guard let bytes else { return [] }
    guard bytes.count > PostgresSchema.partByteCount else { return [bytes] }
    return stride(from: 0, to: bytes.count, by: PostgresSchema.partByteCount).map {
      Array(bytes[$0..<min($0 + PostgresSchema.partByteCount, bytes.count)])
    }
  }

  /// The only row as values of a statement, in the order of ``values``.
  private var onlyValues: [SQLValue] {
    [
      .number(live[0]), .place(places[0]), .id(ids[0]), .integer(parts[0]), .document(old[0]), .number(oldSizes[0]),
      .document(new[0]), .number(newSizes[0]),
    ]
  }

  /// The rows as values of a statement: columns as arrays, or plain values if there is one row.
  var values: [SQLValue] {
    if ids.count == 1 { return onlyValues }
    return [
      .numbers(live), .places(places), .ids(ids), .integers(parts), .documents(old), .numbers(oldSizes),
      .documents(new), .numbers(newSizes),
    ]
  }

  /// New parts in the binary form of COPY, for the table of documents; the number of the set counts as their change.
  func copied(vault: Identifier) -> [UInt8] {
    var rows = BinaryCopy()
    for index in ids.indices {
      rows.append([
        vault.bytes, live[index].bigEndianBytes, places[index].bigEndianBytes, ids[index].bytes,
        parts[index].bigEndianBytes, live[index].bigEndianBytes, newSizes[index]?.bigEndianBytes, new[index],
      ])
    }
    return rows.finished
  }

  /// The rows in the binary form of COPY, for the table of staged changes.
  func copied(vault: Identifier, batch: Identifier) -> [UInt8] {
    var rows = BinaryCopy()
    for index in ids.indices {
      rows.append([
        vault.bytes, batch.bytes, live[index].bigEndianBytes, places[index].bigEndianBytes, ids[index].bytes,
        parts[index].bigEndianBytes, old[index], oldSizes[index]?.bigEndianBytes, new[index],
        newSizes[index]?.bigEndianBytes,
      ])
    }
    return rows.finished
  }
}

/// Rows for `COPY … (FORMAT binary)` (PostgreSQL manual, COPY, Binary Format).
struct BinaryCopy {
  private var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

  mutating func append(_ fields: [[UInt8]?]) {
    bytes += Int16(fields.count).bigEndianBytes
    for field in fields { bytes.appendField(field) }
  }

  var finished: [UInt8] { bytes + Int16(-1).bigEndianBytes }
}

/// The source of the changes for a statement: its own values, or the table of staged changes.
enum ChangeSource {
  case values(ChangeRows)
  case staged(batch: Identifier, ChangeRows.Counts)

  var counts: ChangeRows.Counts {
    switch self {
    case .values(let rows): rows.counts
    case .staged(_, let counts): counts
    }
  }

  /// The rows as `s`. The first value of each statement is the vault, and these follow it.
  func table(_ schema: PostgresSchema) -> String {
    switch self {
    case .values(let rows) where rows.ids.count == 1:
      // A server plans this in a fraction of the time.
      """
      (VALUES ($2::bigint, $3::smallint, $4::uuid, $5::int, $6::bytea, $7::bigint, $8::bytea, $9::bigint))
        AS s (live, place, id, part, old, old_size, new, new_size)
      """
    case .values:
      """
      unnest($2::bigint[], $3::smallint[], $4::uuid[], $5::int[], $6::bytea[], $7::bigint[], $8::bytea[], $9::bigint[])
        AS s (live, place, id, part, old, old_size, new, new_size)
      """
    case .staged: "(SELECT * FROM \(schema.staged) AS r WHERE r.vault = $1 AND r.batch = $2) AS s"
    }
  }

  /// The place of the only document; nil if there are more, or they are staged.
  var onlyPath: String? {
    guard case .values(let rows) = self, let place = rows.places.first, let id = rows.ids.first,
      zip(rows.places, rows.ids).allSatisfy({ $0 == (place, id) })
    else { return nil }
    return StoreLocation(place: place, id: id)?.relativePath
  }

  /// The values for ``table(_:)``.
  var values: [SQLValue] {
    switch self {
    case .values(let rows): rows.values
    case .staged(let batch, _): [.id(batch)]
    }
  }
}
