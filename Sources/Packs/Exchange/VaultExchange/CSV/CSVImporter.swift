/// A format that is a table with a header, described by rules for its columns.
///
/// Column names are compared without regard to case and surrounding spaces. A file has the format if it has every
/// required column and no excluded one, and if no other tool requires more of its columns. At most one column may be
/// unlisted, unless `others` or `isTelling` is set or the required columns are many.
struct CSVImporter: Importer {
  typealias Columns = [String: LeafRule]

  let format: ImportFormat
  /// The columns that every such file has, in lower case.
  let required: Columns
  var optional: Columns = [:]
  /// Whether the names of the required columns identify the tool, even beside unknown columns.
  var isTelling = false
  /// An optional column that a file with an unlisted column must have. For formats whose required columns are common.
  var telling: String?
  var excluded: Set<String> = []
  /// The rule for columns that are not listed.
  var others: LeafRule?
  /// The rules for cells beyond the header, in order. Such cells are an error if the list is empty.
  var overflow: [LeafRule] = []
  var dialect = CSVDialect()
  /// How many columns at the end a row may lack.
  var optionalTail = 0
  /// The kind of a row if none of its cells decides the kind.
  var kind = "login"
  /// Translates a column name of the file into the name listed here.
  var canonicalName: @Sendable (String) -> String = { $0 }
  /// Makes the item of a row after all its cells were read.
  var finish: @Sendable (inout RecordBuilder, _ kind: String) throws(ExchangeError) -> ImportedItem = asRecord

  @Sendable static func asRecord(
    _ builder: inout RecordBuilder, _ kind: String
  ) throws(ExchangeError) -> ImportedItem { .record(try builder.record(kind: kind)) }

  func detects(_ sample: ImportSample) -> Bool {
    guard let header = CSVTable.firstRow(of: sample, dialect: dialect)?.cells else { return false }
    let names = Set(header.map(name))
    guard required.keys.allSatisfy(names.contains), names.isDisjoint(with: excluded) else { return false }
    // So many columns identify the tool, even if a later version adds more.
    if others != nil || isTelling || required.count >= 6 { return true }
    let newCount = names.count { !$0.isEmpty && required[$0] == nil && optional[$0] == nil }
    guard newCount == 0 || newCount == 1 && required.count >= 4, !hasCloser(to: names) else { return false }
    return newCount == 0 || telling.map(names.contains) ?? true
  }

  /// Whether another tool requires all these columns and more of the names.
  private func hasCloser(to names: Set<String>) -> Bool {
    ImportFormats.csv.compactMap { $0 as? CSVImporter }.contains { other in
      other.required.count > required.count && other.required.keys.allSatisfy(names.contains)
        && names.isDisjoint(with: other.excluded)
    }
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    try items(of: source, encoding: options.encoding, finish)
  }

  /// The items. `finish` is called in row order, so a closure can remember earlier rows.
  func items(
    of source: ImportSource, encoding: TextEncoding?,
    _ finish: @escaping (inout RecordBuilder, String) throws(ExchangeError) -> ImportedItem
  ) throws(ExchangeError) -> ImportedItems {
    var table = try CSVTable(source, dialect: dialect, encoding: encoding)
    let names = table.header.map(name)
    guard required.keys.allSatisfy(names.contains) else {
      throw ExchangeError(.missingColumn, "a column of the format is missing", at: SourcePlace(line: 1))
    }
    let rules = names.map { required[$0] ?? optional[$0] ?? others ?? LeafRule.usual($0) ?? .secret }
    return ImportedItems { () throws(ExchangeError) in
      guard let row = try table.next() else { return nil }
      if let refused = refusal(of: row, in: table, columnCount: rules.count) { return refused }
      var builder = filled(with: row, of: table, rules)
      return try finish(&builder, kind)
    }
  }

  private func name(_ cell: String) -> String { canonicalName(String(cell.trimmingSpaces)).lowercased() }

  private func refusal(of row: CSVRow, in table: CSVTable, columnCount: Int) -> ImportedItem? {
    if let fault = row.fault { return table.refused(row, fault.reason) }
    if row.cells.count < columnCount - optionalTail {
      return table.refused(row, "the row has fewer cells than the header")
    }
    if row.cells.count > columnCount, overflow.isEmpty {
      return table.refused(row, "the row has more cells than the header")
    }
    return nil
  }

  private func filled(with row: CSVRow, of table: CSVTable, _ rules: [LeafRule]) -> RecordBuilder {
    var builder = RecordBuilder(format: format.name, place: SourcePlace(line: row.line))
    for (index, cell) in row.cells.enumerated() {
      let rule = index < rules.count ? rules[index] : overflow[min(index - rules.count, overflow.count - 1)]
      builder.take(cell, from: table.place(of: index, in: row), by: rule)
    }
    return builder
  }
}

extension RecordBuilder {
  /// Applies the rule to the text. An empty text only gets a ledger line.
  mutating func take(_ text: String, from place: SourcePlace, by rule: LeafRule) {
    guard !text.isEmpty else { return note(place, .empty) }
    rule.apply(&self, text, place)
  }

  /// Applies the rule of a name to the value beside it.
  ///
  /// The name has a ledger line of its own. For an empty value both lines say "empty".
  mutating func takePair(
    _ name: String, at namePlace: SourcePlace, _ value: String, at valuePlace: SourcePlace, by rules: [String: LeafRule]
  ) {
    let known = rules[name.lowercased()]
    guard known != nil || !TableHeader.isValue(name) || value.isEmpty else {
      // Names are readable, and the table may be wrong about where the pairs are. So an unknown name
      // that looks like a value is sealed, too.
      take(name, from: namePlace, by: .secret(namePlace.path))
      return take(value, from: valuePlace, by: .secret(valuePlace.path))
    }
    note(namePlace, name.isEmpty || value.isEmpty ? .empty : .mapped(to: known == nil ? "secrets" : name))
    take(value, from: valuePlace, by: known ?? .secret(name.isEmpty ? valuePlace.path : name))
  }
}
