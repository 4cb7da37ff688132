/// The zip file that Dashlane exports: a table for each type of entry.
struct DashlaneArchiveImporter: Importer {
  let format = ImportFormat(
    "dashlane-zip", title: "Dashlane, zip of tables", versions: "2021 and later",
    keeps: "as dashlane-csv and the other tables; other files are refused")

  private static let names: Set<String> = [
    "credentials.csv", "ids.csv", "payments.csv", "personalInfo.csv", "securenotes.csv", "wifi.csv",
  ]
  private static let tables: [any Importer] = [
    CSVImporter.dashlane, CSVImporter.dashlaneIDs, CSVImporter.dashlaneNetworks, CSVImporter.dashlaneNotes,
    CSVImporter.dashlanePayments, CSVImporter.dashlanePersons,
  ]

  func detects(_ sample: ImportSample) -> Bool {
    guard ZipArchive.begins(sample.head), let name = ZipArchive.firstName(sample.head) else { return false }
    return Self.names.contains(String(name.parts(separatedBy: "/").last ?? ""))
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let archive = try ZipArchive(try source.readAll())
    var items: [ImportedItem] = []
    for name in archive.names {
      let table = ImportSource(name: name, bytes: try archive.file(name) ?? [])
      let sample = try table.sample()
      guard let importer = Self.tables.first(where: { $0.detects(sample) }) else {
        // Some versions write tables without rows, and then without a header.
        let outcome: LedgerLine.Outcome =
          sample.head.isEmpty ? .empty : .refused("the file is not a table of Dashlane")
        items.append(.leaves([LedgerLine(SourcePlace(path: name), outcome)]))
        continue
      }
      let read = try importer.items(of: table, options: options)
      while let item = try read.next() { items.append(item.placed(in: name, of: format.name)) }
    }
    return ImportedItems(items)
  }
}

extension ImportedItem {
  /// The same item, with the file of the archive in its places.
  fileprivate func placed(in file: String, of format: String) -> ImportedItem {
    func place(_ place: SourcePlace) -> SourcePlace {
      SourcePlace(line: place.line, column: place.column, path: place.path.isEmpty ? file : "\(file): \(place.path)")
    }
    let lines = lines.map { LedgerLine(place($0.place), $0.outcome) }
    switch self {
    case .leaves: return .leaves(lines)
    case .refused(let at, let reason, _): return .refused(place(at), reason: reason, lines: lines)
    case .record(let record):
      return .record(
        ImportedRecord(
          place: place(record.place), kind: record.kind, members: record.members,
          externalID: record.externalID.map { "\(format):\($0)" }, lines: lines))
    }
  }
}
