/// Enpass writes a title, names and values, and a note; the header only says so.
struct EnpassImporter: Importer {
  let format = ImportFormat(
    "enpass-csv", title: "Enpass, CSV", versions: "5 and 6",
    keeps: "everything in the file; fields that a login has no member for as secrets")

  private static let known: [String: LeafRule] = [
    "username": .username, "password": .password, "url": .url, "website": .url, "totp": .totp,
    "one-time code": .totp, "e-mail": .field("email"), "email": .field("email"), "cardholder": .card("holder"),
    "number": .member("number"), "cvc": .card("security_code"), "expiry date": .expiry,
  ]

  func detects(_ sample: ImportSample) -> Bool {
    guard let header = CSVTable.firstRow(of: sample)?.cells else { return false }
    return header.count >= 4 && header[0] == "Title" && header[1] == "Field" && header.last == "Note"
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var table = try CSVTable(source, dialect: CSVDialect(), encoding: options.encoding)
    return ImportedItems { () throws(ExchangeError) in
      guard let row = try table.next() else { return nil }
      if let fault = row.fault { return table.refused(row, fault.reason) }
      guard row.cells.count >= 2, row.cells.count % 2 == 0 else {
        return table.refused(row, "the row is not a title, pairs of a name and a value, and a note")
      }
      return .record(try record(of: row))
    }
  }

  private func record(of row: CSVRow) throws(ExchangeError) -> ImportedRecord {
    let place = SourcePlace(line: row.line)
    var builder = RecordBuilder(format: format.name, place: place)
    let last = row.cells.count - 1
    builder.take(row.cells[0], from: place.at("Title"), by: .title)
    for index in stride(from: 1, to: last, by: 2) {
      builder.takePair(
        row.cells[index], at: place.at("column \(index + 1)"), row.cells[index + 1],
        at: place.at("column \(index + 2)"), by: Self.known)
    }
    builder.take(row.cells[last], from: place.at("Note"), by: .notes)
    return try builder.record()
  }
}
