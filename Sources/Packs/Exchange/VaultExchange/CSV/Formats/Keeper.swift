/// Keeper writes no header: seven columns, then names and values.
struct KeeperImporter: Importer {
  let format = ImportFormat(
    "keeper-csv", title: "Keeper, CSV", versions: "10 to 17",
    keeps: "everything; folders as tags, custom fields as secrets, further addresses as such")

  private static let columns: [(name: String, rule: LeafRule)] = [
    ("Folder", .folder(separator: "\\")), ("Title", .title), ("Login", .username), ("Password", .password),
    ("Website Address", .url), ("Notes", .notes), ("Shared Folder", .folder(separator: "\\")),
  ]
  private static let known: [String: LeafRule] = ["tfc:keeper": .totp, "website address": .url]

  func detects(_ sample: ImportSample) -> Bool {
    let rows = CSVTable.rows(of: sample)
    if let first = rows.first, Self.isHeader(first) { return true }
    return !rows.isEmpty && rows.allSatisfy { $0.fault == nil && Self.fits($0.cells) }
      && rows.contains { !$0.cells[1].isEmpty } && !EnpassImporter.areEntries(rows)
  }

  private static func isHeader(_ row: CSVRow) -> Bool {
    row.cells.count >= columns.count && zip(row.cells, columns).allSatisfy { $0.lowercased() == $1.name.lowercased() }
  }

  /// Whether the row has seven columns and pairs, with an address or nothing in the fifth.
  private static func fits(_ cells: [String]) -> Bool {
    cells.count >= columns.count && (cells.count - columns.count) % 2 == 0
      && (cells[4].isEmpty || cells[4].contains("."))
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var table = CSVTable(withoutHeader: source, encoding: options.encoding)
    var isFirst = true
    return ImportedItems { () throws(ExchangeError) in
      guard var row = try table.next() else { return nil }
      // Some versions write a header nevertheless.
      if isFirst, Self.isHeader(row) {
        guard let next = try table.next() else { return nil }
        row = next
      }
      isFirst = false
      if let fault = row.fault { return table.refused(row, fault.reason) }
      guard row.cells.count >= Self.columns.count, (row.cells.count - Self.columns.count) % 2 == 0 else {
        return table.refused(row, "the row does not have seven cells and then pairs of a name and a value")
      }
      return .record(try record(of: row, in: table))
    }
  }

  private func record(of row: CSVRow, in table: CSVTable) throws(ExchangeError) -> ImportedRecord {
    let place = SourcePlace(line: row.line)
    var builder = RecordBuilder(format: format.name, place: place)
    for (column, cell) in zip(Self.columns, row.cells) {
      builder.take(cell, from: place.at(column.name), by: column.rule)
    }
    for index in stride(from: Self.columns.count, to: row.cells.count, by: 2) {
      builder.takePair(
        row.cells[index], at: table.place(of: index, in: row), row.cells[index + 1],
        at: table.place(of: index + 1, in: row), by: Self.known)
    }
    return try builder.record()
  }
}
