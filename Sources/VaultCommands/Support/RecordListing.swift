import VaultDocument
import VaultKit

/// A record as a row of a list.
protocol ListedRecord {
  var summary: RecordSummary { get }
  /// What the last column says.
  var timeColumn: String { get }
  func document(isVerified: Bool) -> JSONValue
}

/// The rows of `list`, `find` and `trash list`.
struct RecordListing<Row: ListedRecord> {
  private let rows: [Row]
  private let isVerified: Bool
  private let emptyNote: String

  init(_ rows: [Row], isVerified: Bool, ifEmpty note: String) {
    (self.rows, self.isVerified, emptyNote) = (rows, isVerified, note)
  }

  /// Prints good rows and reports faulty records; any of those make the command end with 13.
  func print(_ faults: [VaultError], _ global: GlobalOptions) throws {
    if global.json {
      try Output.document([
        "records": .array(rows.map { $0.document(isVerified: isVerified) }), "verified": .bool(isVerified),
      ])
    } else {
      try Output.write(lines)
      if !isVerified, !rows.isEmpty { global.messages.note(Messages.unverifiedNote) }
      if rows.isEmpty { global.messages.note(emptyNote) }
    }
    for fault in faults { global.messages.report(fault) }
    if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
  }

  /// The rows as they are printed, in one piece: there may be many.
  private var lines: [UInt8] {
    let names = rows.map { Printable.text($0.summary.name) }
    let kindWidth = rows.map { Printable.width(of: $0.summary.kind) }.max() ?? 0
    let nameWidth = min(40, names.map(Printable.width).max() ?? 0)
    var lines: [UInt8] = []
    lines.reserveCapacity(rows.count * (72 + kindWidth + nameWidth))
    for (row, name) in zip(rows, names) {
      Self.append(row.summary.id.text, to: &lines, width: 36)
      Self.append(row.summary.kind, to: &lines, width: kindWidth)
      Self.append(name, to: &lines, width: nameWidth)
      lines.append(contentsOf: row.timeColumn.utf8)
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  /// Appends one column and the space after it.
  private static func append(_ text: String, to lines: inout [UInt8], width: Int) {
    lines.append(contentsOf: text.utf8)
    for _ in 0..<max(0, width - Printable.width(of: text)) + 2 { lines.append(UInt8(ascii: " ")) }
  }
}
