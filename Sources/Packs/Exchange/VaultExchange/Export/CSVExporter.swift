internal import VaultDocument

/// A table with a column for every path that any record has.
///
/// The importer of tables recognises the columns because their names are paths.
struct CSVExporter: Exporter {
  private(set) var notes = ExportNotes("csv")
  private let hasKinds: Bool
  private var paths: Set<MemberPath> = []
  private var columns: [MemberPath] = []

  init(hasKinds: Bool) { self.hasKinds = hasKinds }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    for (path, value) in record.leaves {
      guard !value.isVoid else {
        notes.add(.emptyLeftOut(kind: record.kind))
        continue
      }
      let text = try Self.text(value, at: path, in: record)
      if CSVText.isFormula(text) { notes.add(.formulas) }
      paths.insert(path)
    }
  }

  private static func text(
    _ value: JSONValue, at path: MemberPath, in record: ExportedRecord
  ) throws(ExportError) -> String {
    let text = try value.plainText(in: record)
    guard !text.utf8.contains(0) else { throw ExportError.nulInTable(in: record, at: path) }
    return text
  }

  mutating func begin() -> [UInt8] {
    columns = paths.sorted { $0.precedes($1) }
    let names = columns.map(\.description)
    return names.isEmpty && !hasKinds ? [] : CSVText.row((hasKinds ? [VaultExport.kindPath] : []) + names)
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    var texts: [MemberPath: String] = [:]
    for (path, value) in record.leaves where !value.isVoid {
      guard paths.contains(path) else { throw .changed(record) }
      texts[path] = try Self.text(value, at: path, in: record)
    }
    return CSVText.row((hasKinds ? [record.kind] : []) + columns.map { texts[$0] ?? "" })
  }
}

extension MemberPath {
  /// Compares members by the bytes of their names, and items by number.
  func precedes(_ right: MemberPath) -> Bool {
    for (one, other) in zip(components, right.components) where one != other {
      switch (one, other) {
      case (.member(let name), .member(let second)): return name.utf8.lexicographicallyPrecedes(second.utf8)
      case (.index(let index), .index(let second)): return index < second
      case (.index, .member): return true
      case (.member, .index): return false
      }
    }
    return components.count < right.components.count
  }
}
