package import VaultDocument
package import VaultKit
package import VaultTerminal

package protocol ListedRecord {
  var summary: RecordSummary { get }
  /// Appends the last column.
  func appendTime(to line: inout [UInt8])
  func document(isVerified: Bool) -> JSONValue
}

/// The rows of `list`, `find` and `trash list`. They are printed one by one, because there may be many.
package struct RecordListing<Rows: RandomAccessCollection> where Rows.Element: ListedRecord {
  private let rows: Rows
  private let isVerified: Bool
  private let emptyNote: String?

  package init(_ rows: Rows, isVerified: Bool, ifEmpty note: String?) {
    (self.rows, self.isVerified, emptyNote) = (rows, isVerified, note)
  }

  /// Prints valid rows and reports faulty records. Any fault makes the command end with 13.
  ///
  /// - Parameters:
  ///   - count: the number of records, shown or not; nil if it is unknown.
  ///   - show: prints the rows in another form than for pipes.
  package func print(
    _ faults: [VaultError], of count: Int?, _ global: GlobalOptions, _ show: (() throws -> Void)? = nil
  ) throws {
    if global.json {
      try printDocument()
    } else {
      if let show { try show() } else { try printLines() }
      // A script is told only about missing rows.
      if !rows.isEmpty, !isVerified || Output.isTerminal { global.messages.note(summary(of: count)) }
      if rows.isEmpty, let emptyNote { global.messages.note(emptyNote) }
    }
    for fault in faults { global.messages.report(fault) }
    if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
  }

  private func summary(of count: Int?) -> String {
    let state = isVerified ? "verified" : "not verified"
    guard let count else { return state }
    let all = counted(count, "record")
    return (rows.count < count ? "\(rows.count) of \(all), " : all + ", ") + state
  }

  private func printDocument() throws {
    var output = OutputBuffer(to: Output.write)
    try output.append("{\n  \"records\" : [")
    var isFirst = true
    for row in rows {
      try output.append(isFirst ? "\n" : ",\n")
      isFirst = false
      try output.append(row.document(isVerified: isVerified).item(indent: 4))
    }
    try output.append(isFirst ? "\n\n  ],\n" : "\n  ],\n")
    try output.append("  \"schema\" : 1,\n  \"verified\" : \(isVerified)\n}\n")
    try output.flush()
  }

  private func printLines() throws {
    let columns = RecordColumns(rows)
    var output = OutputBuffer(to: Output.writePrintable)
    for index in rows.indices { try output.append { columns.append(rows[index], to: &$0) } }
    try output.flush()
  }
}

private struct RecordColumns {
  private var kindWidth = 0
  private var nameWidth = 0

  init(_ rows: some RandomAccessCollection<some ListedRecord>) {
    for index in rows.indices {
      let summary = rows[index].summary
      kindWidth = max(kindWidth, PrintableText(summary.kind).width)
      nameWidth = max(nameWidth, PrintableText(summary.name).width)
    }
    nameWidth = min(40, nameWidth)
  }

  func append(_ row: some ListedRecord, to lines: inout [UInt8]) {
    let summary = row.summary
    summary.id.appendText(to: &lines)
    lines.append(spaces: 2)
    Self.append(PrintableText(summary.kind), to: &lines, width: kindWidth)
    Self.append(PrintableText(summary.name), to: &lines, width: nameWidth)
    row.appendTime(to: &lines)
    lines.append(UInt8(ascii: "\n"))
  }

  /// Appends one column and the space after it.
  private static func append(_ text: PrintableText, to lines: inout [UInt8], width: Int) {
    lines.append(all: text.text.utf8Span.span)
    lines.append(spaces: max(0, width - text.width) + 2)
  }
}

extension [UInt8] {
  fileprivate mutating func append(spaces count: Int) {
    append(addingCapacity: count) { output in output.append(repeating: UInt8(ascii: " "), count: count) }
  }
}

extension RecordRows {
  /// The records in the order in which people look for names: by base letters, then by marks, then by case.
  package func inOrderOfLetters() -> RecordRows {
    let keyed = map { (key: LetterOrder($0.name), record: $0) }
    // Records with the same name are sorted by id.
    return RecordRows(
      keyed.sorted { $0.key == $1.key ? $0.record.id < $1.record.id : $0.key < $1.key }.map(\.record))
  }
}
