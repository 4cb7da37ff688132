/// Enpass writes a title, names and values, and sometimes a note. An optional header names no columns.
struct EnpassImporter: Importer {
  let format = ImportFormat(
    "enpass-csv", title: "Enpass, CSV", versions: "5 and 6, with or without a header",
    keeps: "everything in the file; fields that a login does not have as secrets")

  private static let known: [String: LeafRule] = [
    "username": .username, "password": .password, "url": .url, "website": .url, "totp": .totp,
    "one-time code": .totp, "e-mail": .field("email"), "email": .field("email"), "cardholder": .card("holder"),
    "number": .member("number"), "cvc": .card("security_code"), "pin": .member("pin"), "expiry date": .expiry,
  ]

  /// Names that Enpass gives to fields, beside the names that are members.
  private static let labels: Set<String> = [
    "access phone", "account number", "atm", "bank name", "birthday", "bic", "branch", "city", "company", "country",
    "customer service", "first name", "full name", "group", "iban", "interest rate", "international number",
    "issue date", "issuing bank", "last name", "license no.", "login", "member id", "membership no.", "mobile",
    "name on card", "passport no.", "phone", "phone number", "policy no.", "routing number", "security answer",
    "security question", "serial number", "street", "swift", "transaction password", "type", "valid from",
    "withdrawal limit", "zip",
  ]

  func detects(_ sample: ImportSample) -> Bool {
    let rows = CSVTable.rows(of: sample)
    guard let first = rows.first ?? CSVTable.firstRow(of: sample) else { return false }
    return Self.isHeader(first.cells) || Self.areEntries(rows)
  }

  private static func isHeader(_ cells: [String]) -> Bool {
    let names = cells.map { $0.trimmingSpaces.lowercased() }
    return names.count >= 3 && names[0] == "title" && names[1] == "field"
      && names.dropFirst(2).contains { name in
        ["value", "field", "note", "*"].contains(name) || name.allSatisfy { $0 == "." }
      }
  }

  /// Whether rows without a header are entries of Enpass: they have names, and only in the columns of names.
  static func areEntries(_ rows: [CSVRow]) -> Bool {
    let long = rows.filter { $0.cells.count > 2 }
    guard !long.isEmpty, rows.allSatisfy({ $0.fault == nil }), long.allSatisfy({ isEntry($0.cells) }) else {
      return false
    }
    // A header with nothing below it looks like one entry.
    return rows.count > 1 || long[0].cells.contains { $0.hasPrefix("*") || TableHeader.isValue($0) }
  }

  private static func isEntry(_ cells: [String]) -> Bool {
    let isName = { (index: Int) in
      let name = label(cells[index])
      return known[name] != nil || labels.contains(name)
    }
    let end = cells.count - (cells.count % 2 == 0 ? 1 : 0)
    return stride(from: 1, to: end, by: 2).contains(where: isName)
      && !stride(from: 2, to: end, by: 2).contains(where: isName)
  }

  /// The name of a field, without the star that marks hidden fields.
  private static func label(_ cell: String) -> String {
    cell.trimmingSpaces.drop { $0 == "*" }.trimmingSpaces.lowercased()
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var table = CSVTable(withoutHeader: source, encoding: options.encoding)
    var isFirst = true
    return ImportedItems { () throws(ExchangeError) in
      guard var row = try table.next() else { return nil }
      if isFirst, row.fault == nil, Self.isHeader(row.cells) {
        guard let next = try table.next() else { return nil }
        row = next
      }
      isFirst = false
      if let fault = row.fault { return table.refused(row, fault.reason) }
      return .record(try record(of: row))
    }
  }

  /// Reads a title and pairs, which make an odd number of cells. An even number ends with the note.
  private func record(of row: CSVRow) throws(ExchangeError) -> ImportedRecord {
    let place = SourcePlace(line: row.line)
    var builder = RecordBuilder(format: format.name, place: place)
    let end = row.cells.count - (row.cells.count % 2 == 0 ? 1 : 0)
    builder.take(row.cells[0], from: place.at("Title"), by: .title)
    for index in stride(from: 1, to: end, by: 2) {
      let name = String(row.cells[index].drop { $0 == "*" })
      builder.takePair(
        name, at: place.at("column \(index + 1)"), row.cells[index + 1], at: place.at("column \(index + 2)"),
        by: Self.known)
    }
    if end < row.cells.count { builder.take(row.cells[end], from: place.at("Note"), by: .notes) }
    return try builder.record()
  }
}
