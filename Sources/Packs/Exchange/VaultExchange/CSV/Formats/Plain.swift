internal import VaultDocument
internal import VaultRecords

/// Any table with a header. Columns are matched by common names and by the mappings of the user.
struct PlainCSVImporter: Importer {
  let format = ImportFormat(
    "csv", title: "Any table with a header, CSV", versions: "commas, semicolons or tabs between the cells",
    keeps: "columns with usual names, member paths or a mapping; all others as secrets", isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    let dialect = Self.dialect(of: sample)
    let rows = CSVTable.rows(of: sample, dialect: dialect)
    guard let row = CSVTable.firstRow(of: sample, dialect: dialect) else { return false }
    let names = row.cells.map { $0.trimmingSpaces.lowercased() }
    if VaultTable.hasKinds(row.cells) { return true }
    return names.count { LeafRule.usual($0) != nil } >= 2
      && TableHeader(row.cells).isHeader(above: rows.dropFirst()) { LeafRule.usual($0) != nil }
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let sample = try source.sample()
    let dialect = Self.dialect(of: sample)
    if let header = CSVTable.firstRow(of: sample, dialect: dialect)?.cells, VaultTable.hasKinds(header) {
      var table = try VaultTable(source, dialect: dialect, format: format, options: options)
      return ImportedItems { () throws(ExchangeError) in try table.next() }
    }
    guard let kind = options.kind ?? KindCatalog.builtIn["login"] else {
      preconditionFailure("login is a kind of this program")
    }
    let shape = KindShape(kind)
    let mapped = try FieldRules.rules(for: options.mappings, in: shape, of: kind) { $0.lowercased() }
    var named: [String: LeafRule] = [:]
    let header = (CSVTable.firstRow(of: sample, dialect: dialect, encoding: options.encoding)?.cells ?? []).map {
      String($0.trimmingSpaces)
    }
    try Self.check(options.mappings, in: header)
    // A column named like a member goes there, even if other tools use the name differently.
    let isOurs = options.kind != nil && shape.hasAll(header)
    for name in header {
      if kind.name == "login", let rule = LeafRule.usual(name) { named[name.lowercased()] = rule }
      let rules = [name, name.lowercased()].lazy.compactMap { FieldRules.rule(named: $0, isOurs: isOurs, in: shape) }
      if let rule = rules.first { named[name.lowercased()] = rule }
    }
    // The values of a table without a header must not become names.
    let rows = CSVTable.rows(of: sample, dialect: dialect, encoding: options.encoding).dropFirst()
    let first = TableHeader(header, mapped: Set(mapped.keys))
    guard header.isEmpty || isOurs || first.isHeader(above: rows, isKnown: { named[$0] != nil }) else {
      throw ExchangeError(
        .missingColumn, "the first row does not look like a header: it has no usual column name, or it has values",
        at: SourcePlace(line: 1), advice: [.mapColumns])
    }
    let isChosen = options.kind != nil
    return try CSVImporter(
      format: format, required: mapped, optional: named, others: .secret, dialect: dialect,
      finish: { (builder: inout RecordBuilder, _: String) throws(ExchangeError) in
        .record(isChosen ? try builder.record(of: kind) : try builder.record())
      }
    ).items(of: source, options: options)
  }

  /// Refuses a mapping of a column that the table does not have.
  private static func check(_ mappings: [FieldMapping], in header: [String]) throws(ExchangeError) {
    let columns = Set(header.map { $0.lowercased() })
    guard !header.isEmpty, let mapping = mappings.first(where: { !columns.contains($0.source.lowercased()) }) else {
      return
    }
    throw ExchangeError(
      .missingColumn, ofMapping: "the file has no column \"\(mapping.source)\", which a mapping names",
      advice: ["compare the name with the first line of the file"])
  }

  /// The separator that is most frequent in the first line.
  private static func dialect(of sample: ImportSample) -> CSVDialect {
    let line = sample.head.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    let counts = separators.map { separator in line.count { $0 == separator } }
    let best = counts.indices.max { counts[$0] < counts[$1] || counts[$0] == counts[$1] && $0 > $1 } ?? 0
    return CSVDialect(separator: separators[best])
  }
}
