/// Rows below a header.
struct CSVTable {
  let header: [String]
  private var reader: CSVReader

  init(_ source: ImportSource, dialect: CSVDialect, encoding: TextEncoding?) throws(ExchangeError) {
    reader = CSVReader(source, dialect: dialect, encoding: encoding)
    guard let row = try reader.next() else { throw ExchangeError(.malformed, "has no rows") }
    if let fault = row.fault { throw fault }
    header = row.cells
  }

  /// Rows of a file without a header.
  init(withoutHeader source: ImportSource, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding?) {
    reader = CSVReader(source, dialect: dialect, encoding: encoding)
    header = []
  }

  /// The next row that is not blank.
  mutating func next() throws(ExchangeError) -> CSVRow? { try reader.next() }

  /// Where a cell stands: under the name of its column, or its number where it has none.
  func place(of index: Int, in row: CSVRow) -> SourcePlace {
    let name = index < header.count ? String(header[index].trimmingSpaces) : ""
    return SourcePlace(line: row.line, path: name.isEmpty ? "column \(index + 1)" : name)
  }

  /// A row that is not taken, with all its cells.
  func refused(_ row: CSVRow, _ reason: String) -> ImportedItem {
    let lines = row.cells.indices.map { index in
      LedgerLine(place(of: index, in: row), row.cells[index].isEmpty ? .empty : .refused(reason))
    }
    return .refused(row.fault?.place ?? SourcePlace(line: row.line), reason: reason, lines: lines)
  }

  /// The first row of a file, as far as its beginning tells.
  static func firstRow(
    of sample: ImportSample, dialect: CSVDialect = CSVDialect(), encoding: TextEncoding? = nil
  ) -> CSVRow? {
    var reader = CSVReader(
      ImportSource(name: sample.name, bytes: sample.head), dialect: dialect, encoding: encoding)
    guard let row = try? reader.next(), row.fault == nil else { return nil }
    return row
  }

  /// The rows that stand in the beginning of a file as a whole.
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
