internal import VaultDocument

/// The table that 1Password 8 writes and reads: logins with one address and without custom fields, and notes.
struct OnePasswordExporter: Exporter {
  private(set) var notes = ExportNotes("1password-csv")

  private static let columns = [
    "Title", "Url", "Username", "Password", "OTPAuth", "Favorite", "Archived", "Tags", "Notes",
  ]

  /// The text members that have columns; nil if the kind has no place.
  private static func texts(of record: ExportedRecord) -> Set<String>? {
    switch record.kind {
    case "login": ["title", "username", "password", "totp", "notes"]
    case "secure-note": ["title", "text"]
    default: nil
    }
  }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    guard let texts = Self.texts(of: record) else { return notes.add(.recordsLeftOut(kind: record.kind)) }
    var parts = try EntryParts(record, known: texts)
    // An import derives the same id again from title, user name and address.
    _ = parts.takeID(of: "1password-csv") { _ in true }
    for extra in parts.extras { notes.add(.valuesLeftOut(member: extra.member, kind: record.kind)) }
    for _ in parts.urls.dropFirst() { notes.add(.valuesLeftOut(member: "urls", kind: record.kind)) }
    for tag in parts.tags where tag.utf8.contains(UInt8(ascii: ";")) {
      notes.add(.valuesLeftOut(member: "tags", kind: record.kind))
    }
    for _ in 0..<parts.voidCount { notes.add(.emptyLeftOut(kind: record.kind)) }
    for text in parts.texts.values {
      if text.isEmpty { notes.add(.emptyLeftOut(kind: record.kind)) }
      if text.utf8.contains(0) { throw ExportError.nulInTable(in: record) }
      if CSVText.isFormula(text) { notes.add(.formulas) }
    }
  }

  mutating func begin() -> [UInt8] { CSVText.row(Self.columns) }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    guard let texts = Self.texts(of: record) else { return [] }
    var parts = try EntryParts(record, known: texts)
    let isFavorite = parts.takeTag("favorite")
    let isArchived = parts.takeTag("archived")
    let tags = parts.tags.filter { !$0.utf8.contains(UInt8(ascii: ";")) }
    func text(_ name: String) -> String { parts.texts[name] ?? "" }
    return CSVText.row([
      text("title"), parts.urls.first ?? "", text("username"), text("password"), text("totp"),
      isFavorite ? "true" : "false", isArchived ? "true" : "false", tags.joined(separator: ";"),
      parts.texts["text"] ?? text("notes"),
    ])
  }
}
