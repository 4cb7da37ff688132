internal import VaultRecords

/// A table of several kinds that our own export wrote. Columns are member paths, and one column holds the kind.
struct VaultTable {
  private var table: CSVTable
  private let kinds: VaultKinds
  private let kindColumn: Int
  private let format: String
  /// The rules of the columns, by kind.
  private var rules: [String: [LeafRule]] = [:]

  static func hasKinds(_ header: [String]) -> Bool { header.contains(VaultExport.kindPath) }

  init(_ source: ImportSource, dialect: CSVDialect, format: ImportFormat, options: ImportOptions)
    throws(ExchangeError)
  {
    table = try CSVTable(source, dialect: dialect, encoding: options.encoding)
    guard let column = table.header.firstIndex(of: VaultExport.kindPath) else {
      throw ExchangeError(
        .missingColumn, "the column with the kind of each record is missing", at: SourcePlace(line: 1))
    }
    guard options.mappings.isEmpty else {
      throw ExchangeError(
        .invalidMapping,
        "cannot be used with a table that this program exported, because its columns have names already")
    }
    (kindColumn, kinds, self.format) = (column, VaultKinds(options), format.name)
  }

  /// The next row. A row of an unknown kind is refused, and the others are still read.
  mutating func next() throws(ExchangeError) -> ImportedItem? {
    guard let row = try table.next() else { return nil }
    if let fault = row.fault { return table.refused(row, fault.reason) }
    guard row.cells.count == table.header.count else {
      return table.refused(row, "the row does not have as many cells as the header")
    }
    let (found, refusal) = kinds.kind(named: row.cells[kindColumn])
    guard let kind = found else { return table.refused(row, refusal) }
    var builder = RecordBuilder(format: format, place: SourcePlace(line: row.line))
    for (index, rule) in rules(of: kind).enumerated() {
      builder.take(row.cells[index], from: table.place(of: index, in: row), by: rule)
    }
    return .record(try builder.record(of: kind))
  }

  private mutating func rules(of kind: RecordKind) -> [LeafRule] {
    if let known = rules[kind.name] { return known }
    let shape = KindShape(kind)
    let made = table.header.map { VaultKinds.rule(for: $0, in: shape) }
    rules[kind.name] = made
    return made
  }
}
