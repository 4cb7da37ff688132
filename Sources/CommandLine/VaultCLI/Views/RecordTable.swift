package import ArgumentParser
package import VaultDocument
package import VaultKit
import VaultRecords
package import VaultTerminal

/// How `list` and `find` show their results.
package struct RowViewOptions: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case tsv
  }

  @Option(
    help: ArgumentHelp(
      "Columns, separated by commas: name, kind, who, age, created, updated, revision, id, or readable paths.",
      valueName: "name,…"))
  var fields: String?

  @Option(help: "tsv: full texts, separated by tabs, without a header.")
  var format: Format?

  @OptionGroup package var table: TableOptions

  package init() {}

  /// The columns; nil for the original form of pipes.
  ///
  /// - Parameter isSearch: whether the list shows the matches instead of the users of each record.
  package func fields(_ global: GlobalOptions, isSearch: Bool) throws -> [RowField]? {
    guard fields == nil && format == nil || !global.json else {
      throw CommandError.usage(fields == nil ? "--format" : "--fields", "cannot be combined with --json")
    }
    if let fields {
      let names = fields.split(separator: ",")
      guard !names.isEmpty else { throw CommandError.usage("--fields", "must name a field") }
      return try names.map { try RowField(String($0)) }
    }
    if format != nil { return [.name, .kind, .who, .updated, .id] }
    guard Output.isTerminal, !global.json else { return nil }
    if isSearch { return table.wide ? [.name, .match, .kind, .updated, .id] : [.name, .match, .kind, .age, .id] }
    return table.wide ? [.name, .kind, .who, .created, .updated, .id] : [.name, .kind, .who, .age, .id]
  }

  package var isTable: Bool { format == nil && Output.isTerminal }
}

package enum RowField: Equatable {
  case name, kind, who, age, created, updated, revision, id
  /// The matches of the search.
  case match
  case path(MemberPath)

  private static let named: [String: RowField] = [
    "name": .name, "kind": .kind, "who": .who, "age": .age, "created": .created, "updated": .updated,
    "revision": .revision, "id": .id, "match": .match,
  ]

  init(_ text: String) throws {
    let name = text.lowercased()
    self = try Self.named[name] ?? .path(MemberPath.argument(text, of: "--fields"))
  }

  var path: MemberPath? { if case .path(let path) = self { path } else { nil } }
}

package struct RecordRow {
  package let summary: RecordSummary
  package var match = ""
  package var values: [MemberPath: String] = [:]

  package init(summary: RecordSummary, match: String = "", values: [MemberPath: String] = [:]) {
    (self.summary, self.match, self.values) = (summary, match, values)
  }
}

package struct RecordTable {
  package let fields: [RowField]
  package let order: RecordQuery.Order
  package let isWide: Bool
  package let style: Style
  package var highlight: Highlight?
  let now = Timestamp.now()

  package var paths: [MemberPath] { fields.compactMap(\.path) }

  package var columns: [TableColumn<RecordRow>] { fields.enumerated().map { column($1, rank: 10 + $0) } }

  package init(fields: [RowField], order: RecordQuery.Order, isWide: Bool, style: Style, highlight: Highlight? = nil) {
    (self.fields, self.order, self.isWide, self.style, self.highlight) = (fields, order, isWide, style, highlight)
  }

  /// - Parameter rank: the rank of an optional column.
  private func column(_ field: RowField, rank: Int) -> TableColumn<RecordRow> {
    let text = { (row: RecordRow) -> String in self.text(of: field, row) }
    switch field {
    case .name: return TableColumn(title: "NAME", rank: 0, least: 16, look: highlight?.look ?? { $0 }, text: text)
    case .match:
      return TableColumn(title: "MATCH", rank: 1, least: 12, look: highlight?.look ?? { $0 }, text: text)
    case .who: return TableColumn(title: "WHO", rank: 1, least: 12, most: 32, text: text)
    case .age: return TableColumn(title: "AGE", rank: 2, look: style.dim, text: text)
    case .kind: return TableColumn(title: "KIND", rank: 3, least: 6, most: 20, text: text)
    case .id:
      return TableColumn(title: "ID", rank: 4, look: style.dim) { row in
        isWide ? text(row) : String(text(row).prefix(8))
      }
    case .created: return TableColumn(title: "CREATED", rank: rank, look: style.dim, text: text)
    case .updated: return TableColumn(title: "UPDATED", rank: rank, look: style.dim, text: text)
    case .revision: return TableColumn(title: "REVISION", rank: rank, text: text)
    case .path(let path):
      return TableColumn(title: path.description, rank: rank, least: 8, most: 32, text: text)
    }
  }

  package func line(of row: RecordRow) -> String {
    fields.map { Printable.text(text(of: $0, row)) }.joined(separator: "\t") + "\n"
  }

  /// The raw text of a cell, which callers escape for output. The maker of the row has filled `match` and `values`.
  private func text(of field: RowField, _ row: RecordRow) -> String {
    let summary = row.summary
    return switch field {
    case .name: summary.label
    case .kind: summary.kind
    case .who: summary.who
    case .age: Elapsed.words(from: order == .created ? summary.createdAt : summary.updatedAt, to: now)
    case .created: summary.createdAt.text
    case .updated: summary.updatedAt.text
    case .revision: String(summary.revision)
    case .id: summary.id.text
    case .match: row.match
    case .path(let path): row.values[path] ?? ""
    }
  }
}
