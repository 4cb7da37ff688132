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
    lines.reserveCapacity(rows.count * (80 + nameWidth))
    for (row, name) in zip(rows, names) {
      lines += row.summary.id.text.utf8
      for (text, width) in [(row.summary.kind, kindWidth), (name, nameWidth)] {
        lines += "  ".utf8
        lines += text.utf8
        lines += repeatElement(UInt8(ascii: " "), count: max(0, width - Printable.width(of: text)))
      }
      lines += "  ".utf8
      lines += row.timeColumn.utf8
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }
}
