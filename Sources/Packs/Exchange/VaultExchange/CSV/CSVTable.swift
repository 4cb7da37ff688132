struct CSVTable {
  let header: [String]
  private var reader: CSVReader

  init(_ source: ImportSource, dialect: CSVDialect, encoding: TextEncoding?) throws(ExchangeError) {
    reader = CSVReader(source, dialect: dialect, encoding: encoding)
    guard let row = try reader.next() else { throw ExchangeError(.malformed, "has no rows") }
    if let fault = row.fault { throw fault }
    header = row.cells
  }

  init(withoutHeader source: ImportSource, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding?) {
    reader = CSVReader(source, dialect: dialect, encoding: encoding)
    header = []
  }

  mutating func next() throws(ExchangeError) -> CSVRow? { try reader.next() }

  /// The place of a cell: the name of its column, or the number of a column without a name.
  func place(of index: Int, in row: CSVRow) -> SourcePlace {
    let name = index < header.count ? String(header[index].trimmingSpaces) : ""
    return SourcePlace(line: row.line, path: name.isEmpty ? "column \(index + 1)" : name)
  }

  /// A refused row, with a ledger line for each cell.
  func refused(_ row: CSVRow, _ reason: String) -> ImportedItem {
    let lines = row.cells.indices.map { index in
      LedgerLine(place(of: index, in: row), row.cells[index].isEmpty ? .empty : .refused(reason))
    }
    return .refused(row.fault?.place ?? SourcePlace(line: row.line), reason: reason, lines: lines)
  }

  /// The first row of a file, if the sample holds it.
  static func firstRow(
    of sample: ImportSample, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding? = nil
  ) -> CSVRow? {
    var reader = CSVReader(
      ImportSource(name: sample.name, bytes: sample.head), dialect: dialect, encoding: encoding)
    guard let row = try? reader.next(), row.fault == nil else { return nil }
    return row
  }

  /// The rows that the sample holds completely.
  static func rows(
    of sample: ImportSample, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding? = nil
  ) -> [CSVRow] {
    var reader = CSVReader(
      ImportSource(name: sample.name, bytes: sample.head), dialect: dialect, encoding: encoding)
    var rows: [CSVRow] = []
    while let row = try? reader.next() { rows.append(row) }
    return sample.isWhole ? rows : rows.dropLast()
  }
}
