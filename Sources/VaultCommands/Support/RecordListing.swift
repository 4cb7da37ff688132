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
      try Output.lines(lines)
      if !isVerified, !rows.isEmpty { global.messages.note(Messages.unverifiedNote) }
      if rows.isEmpty { global.messages.note(emptyNote) }
    }
    for fault in faults { global.messages.report(fault) }
    if let fault = faults.first { throw Finished(status: ExitStatus(fault.code)) }
  }

  private var lines: [String] {
    let summaries = rows.map(\.summary)
    let kindWidth = summaries.map(\.kind.count).max() ?? 0
    let nameWidth = min(40, summaries.map { Printable.text($0.name).count }.max() ?? 0)
    return zip(rows, summaries).map { row, summary in
      let columns = [
        summary.id.text, Printable.padded(summary.kind, to: kindWidth),
        Printable.padded(Printable.text(summary.name), to: nameWidth), row.timeColumn,
      ]
      return columns.joined(separator: "  ")
    }
  }
}
