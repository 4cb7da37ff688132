/// The tables that Dashlane wrote before 2021, without a header: title, address, user name, password, note, and
/// sometimes one more cell.
struct DashlaneLegacyImporter: Importer {
  let format = ImportFormat(
    "dashlane-legacy-csv", title: "Dashlane, CSV without a header", versions: "until 2020",
    keeps: "everything in the file")

  private static let columns: [(name: String, rule: LeafRule)] = [
    ("Title", .title), ("URL", .url), ("Login", .username), ("Password", .password), ("Note", .notes),
  ]

  func detects(_ sample: ImportSample) -> Bool {
    let rows = CSVTable.rows(of: sample)
    return rows.allSatisfy { row in
      row.fault == nil && (row.cells.count == 1 || Self.fits(row.cells))
    } && rows.contains { $0.cells.count > 1 && !$0.cells[1].isEmpty }
  }

  private static let cellCounts: Set<Int> = [1, 5, 6]

  /// Whether the row has five or six cells, with an address or nothing in the second.
  private static func fits(_ cells: [String]) -> Bool {
    cells.count > 1 && cellCounts.contains(cells.count) && (cells[1].isEmpty || cells[1].contains("://"))
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var table = CSVTable(withoutHeader: source, encoding: options.encoding)
    return ImportedItems { () throws(ExchangeError) in
      guard let row = try table.next() else { return nil }
      if let fault = row.fault { return table.refused(row, fault.reason) }
      // An entry that has only a title is written as a single cell.
      guard Self.cellCounts.contains(row.cells.count) else {
        return table.refused(row, "the row must have one, five or six cells")
      }
      let place = SourcePlace(line: row.line)
      var builder = RecordBuilder(format: format.name, place: place)
      for (column, cell) in zip(Self.columns, row.cells) {
        builder.take(cell, from: place.at(column.name), by: column.rule)
      }
      if row.cells.count > Self.columns.count {
        builder.take(row.cells[5], from: table.place(of: 5, in: row), by: .secret)
      }
      return .record(try builder.record())
    }
  }
}
