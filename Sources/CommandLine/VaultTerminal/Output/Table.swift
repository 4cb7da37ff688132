package struct TableColumn<Row> {
  package let title: String
  /// On a narrow screen, the column with the highest rank is dropped first.
  let rank: Int
  /// The minimum width of a cut column; nil for a column that is never cut.
  let least: Int?
  /// The maximum width for a few long texts. Many long texts make the column wider.
  let most: Int
  /// Whether the column is dropped if all its texts are empty.
  let isOptional: Bool
  /// The style of its texts, which is applied after cutting.
  package var look: (String) -> String
  let text: (Row) -> String

  package init(
    title: String, rank: Int, least: Int? = nil, most: Int = 40, isOptional: Bool = false,
    look: @escaping (String) -> String = { $0 }, text: @escaping (Row) -> String
  ) {
    (self.title, self.rank, self.least, self.most) = (title, rank, least, most)
    (self.isOptional, self.look, self.text) = (isOptional, look, text)
  }

  /// The same column for rows that contain such a row.
  package func of<Whole>(_ part: @escaping (Whole) -> Row) -> TableColumn<Whole> {
    TableColumn<Whole>(title: title, rank: rank, least: least, most: most, isOptional: isOptional, look: look) {
      text(part($0))
    }
  }

  fileprivate func printable(_ row: Row) -> String { Printable.text(text(row)) }
}

/// A table with a header and columns that fit the screen.
package struct Table<Rows: RandomAccessCollection> {
  private let rows: Rows
  private let columns: [(column: TableColumn<Rows.Element>, width: Int)]

  /// - Parameter width: the width of the screen; nil for the width of the texts.
  package init(_ rows: Rows, _ columns: [TableColumn<Rows.Element>], width: Int?) {
    self.rows = rows
    let fitted = Self.fitted(columns.map { TableWidth($0, rows) }, to: width)
    self.columns = fitted.map { (columns[$0.index], $0.width) }
  }

  /// The number of lines with the header.
  var lineCount: Int { rows.count + 1 }

  /// Passes every line with its newline to `give`.
  package func lines(_ style: Style, to give: (String) throws -> Void) throws {
    try give(line { ($0.title, style.bold) } + "\n")
    for row in rows { try give(line(of: row) + "\n") }
  }

  package func print(_ style: Style) throws {
    var output = OutputBuffer(to: Output.writePrintable)
    try lines(style) { try output.append($0) }
    try output.flush()
  }

  package var header: String { line { ($0.title, { $0 }) } }

  package func line(of row: Rows.Element) -> String { line { ($0.printable(row), $0.look) } }

  private func line(_ cell: (TableColumn<Rows.Element>) -> (text: String, look: (String) -> String)) -> String {
    var (line, missing) = ("", 0)
    for (column, width) in columns {
      let (whole, look) = cell(column)
      let (text, used) = DisplayWidth.cut(whole, to: width)
      if !line.isEmpty || missing > 0 { missing += 2 }
      if !text.isEmpty {
        line += String(repeating: " ", count: missing) + look(text)
        missing = 0
      }
      missing += width - used
    }
    return line
  }

  /// The columns that fit, with their widths. The widest are cut first, then some are dropped.
  private static func fitted(_ widths: [TableWidth], to screen: Int?) -> [(index: Int, width: Int)] {
    var left = widths.indices.filter { !widths[$0].isNeedless }
    guard let screen else { return left.map { ($0, widths[$0].whole) } }
    while true {
      var fitted = left.map { (index: $0, width: widths[$0].wanted) }
      var excess = fitted.reduce(2 * (fitted.count - 1) - screen) { $0 + $1.width }
      while excess > 0,
        let widest = fitted.indices.filter({ fitted[$0].width > widths[fitted[$0].index].least })
          .max(by: { fitted[$0].width < fitted[$1].width })
      {
        fitted[widest].width -= 1
        excess -= 1
      }
      if excess <= 0 { return fitted }
      guard left.count > 1, let last = left.max(by: { widths[$0].rank < widths[$1].rank }) else {
        return fitted.map { ($0.index, min($0.width, screen)) }
      }
      left.removeAll { $0 == last }
    }
  }
}

private struct TableWidth {
  let rank: Int
  let isNeedless: Bool
  let least: Int
  /// The width of its widest text.
  let whole: Int
  /// The width that shows nine of ten texts completely, or all texts if they are not too wide.
  let wanted: Int

  init<Row>(_ column: TableColumn<Row>, _ rows: some RandomAccessCollection<Row>) {
    var counts: [Int] = []
    for row in rows {
      let width = DisplayWidth.of(column.printable(row))
      if width >= counts.count { counts += [Int](repeating: 0, count: width + 1 - counts.count) }
      counts[width] += 1
    }
    let title = DisplayWidth.of(column.title)
    (rank, whole) = (column.rank, max(title, counts.count - 1))
    isNeedless = column.isOptional && counts.count <= 1
    var (usual, seen) = (0, 0)
    let few = max(1, rows.count / 10)
    for (width, count) in counts.enumerated() where seen < rows.count - few { (usual, seen) = (width, seen + count) }
    wanted = column.least == nil ? whole : min(whole, max(title, column.most, usual))
    least = min(wanted, column.least ?? wanted)
  }
}
