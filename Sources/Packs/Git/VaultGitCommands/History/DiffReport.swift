import VaultCLI
import VaultDocument
import VaultMerge
import VaultPackSupport
import VaultSealing
import VaultTerminal

struct DiffReport {
  let comparison: VaultComparison
  /// Whether the newer state must follow the older. Otherwise a rollback is not a fault.
  var isInOrder = false

  private func fault(of record: RecordDelta) -> VersionFault? {
    if case .notLater? = record.fault, !isInOrder { return nil }
    return record.fault
  }

  /// A line for each record, and one for each field.
  func lines(_ style: Style) -> [String] {
    let records = comparison.records.flatMap { record -> [String] in
      [style.bold(Printable.text("\(record.line) (\(record.id.text.prefix(8)))"))]
        + (fault(of: record).map { ["  " + style.bad($0.sentence)] } ?? [])
        + (record.comparison.map { $0.formLines + $0.lines } ?? [])
    }
    return records + comparison.headerLines.map(Printable.text)
  }

  /// A line for each record, and their number.
  func statistics() -> [String] {
    let lines = comparison.records.map { record in
      let counts = [
        (record.comparison?.changes.count ?? 0, "field"),
        (record.comparison?.former.reduce(0) { $0 + $1.dropped + $1.added } ?? 0, "former value"),
        (record.comparison?.attachments.count ?? 0, "attachment"),
      ]
      let words = counts.filter { $0.0 > 0 }.map { counted($0, $1) }.joined(separator: ", ")
      return record.line + (words.isEmpty ? "" : ": \(words)")
    }
    let events = Dictionary(grouping: comparison.records, by: \.event).sorted { $0.key < $1.key }
    let sums = events.map { "\($1.count) \($0)" }.joined(separator: ", ")
    return (lines + comparison.headerLines + (sums.isEmpty ? [] : [sums])).map(Printable.text)
  }

  var records: JSONValue {
    .array(
      comparison.records.map { record in
        .members([
          "attachments": record.comparison?.attachments ?? [],
          "changes": record.comparison?.changes ?? [], "event": record.event,
          "fault": fault(of: record)?.name, "former": record.comparison?.former ?? [], "id": record.id,
          "kind": record.kind, "name": record.name,
        ])
      })
  }
}

/// The difference for a review on a web site: a table for each record. Content of records is never markup.
extension DiffReport {
  func markdown() -> [String] {
    let records = comparison.records.flatMap { record -> [String] in
      let rows =
        record.comparison.map { $0.changes.map(Self.row) + $0.former.map(Self.row) + $0.attachments.map(Self.row) }
        ?? []
      let notes =
        (fault(of: record).map { ["**\(Self.code($0.sentence))**"] } ?? [])
        + (record.comparison?.formLines.map { Self.code(String($0.drop { $0 == " " })) } ?? [])
      let table = ["| Field | Before | After |", "|---|---|---|"] + rows
      let kind = record.kind.map { Self.code($0) + " " } ?? ""
      return [
        "#### \(record.event) \(kind)\(Self.code(record.name)) (\(Self.code(String(record.id.text.prefix(8)))))", "",
      ]
        + notes.flatMap { [$0, ""] } + (rows.isEmpty ? [] : table + [""])
    }
    let header = comparison.headerLines.map { "- " + Self.code($0) }
    let all = records + header
    return all.isEmpty ? ["No record of the vault differs."] : all
  }

  private static func row(_ change: RecordComparison.Change) -> String {
    var (before, after) = (change.before?.brief, change.after?.brief)
    if change.isSecret {
      before = change.kind == .added ? nil : Printable.mask
      after = change.kind == .removed ? nil : "\(Printable.mask) \(change.words)"
    }
    return row([change.path.description, before, after])
  }

  private static func row(_ change: RecordComparison.FormerChange) -> String {
    row([change.path.description, nil, change.words])
  }

  private static func row(_ change: AttachmentChange) -> String {
    row([change.place, change.beforeText, change.afterText])
  }

  private static func row(_ cells: [String?]) -> String {
    "| " + cells.map { $0.map(code) ?? "" }.joined(separator: " | ") + " |"
  }

  /// A text as code. Everything except letters, digits and spaces becomes an entity, so Markdown sees no markup, link,
  /// mention or cell end.
  private static func code(_ text: String) -> String {
    var result = "<code>"
    for scalar in Printable.text(text).unicodeScalars {
      let isPlain = scalar.value >= 0x80 || scalar == " " || scalar == "-" || scalar.properties.isAlphabetic
      let isDigit = ("0"..."9").contains(scalar)
      if isPlain || isDigit { result.unicodeScalars.append(scalar) } else { result += "&#\(scalar.value);" }
    }
    return result + "</code>"
  }
}
