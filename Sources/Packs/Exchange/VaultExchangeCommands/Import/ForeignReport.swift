import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords
import VaultTerminal

/// The results of an import from another tool, and the outcome of each value.
struct ForeignReport {
  private struct Refusal: DocumentValue {
    let place: SourcePlace
    let field: String?
    let reason: String

    var document: JSONValue {
      .members(["column": place.column, "field": field, "line": place.line, "path": place.path, "reason": reason])
    }
  }

  private let file: String
  private let format: VaultExchange.ImportFormat
  private let isDryRun: Bool
  private let global: GlobalOptions
  /// Refusals for the document. Other reports print them at once and only count them.
  private var refusals: [Refusal] = []
  private var refusalCount = 0
  private var ids: [RecordID] = []
  private var storedCount = 0
  private var updatedCount = 0
  private var unchangedCount = 0
  private var differingCount = 0
  /// The number of entries whose records are in the trash.
  private var removedCount = 0
  /// The number of former values that the vault does not keep, and the number that it keeps of each field.
  private var leftOutFormer = (count: 0, keptCount: 0)
  private var vanished: [VanishedRecord] = []
  private var replaced: [(id: RecordID, name: String, paths: [String])] = []
  private var ledger: LedgerReport
  private var remarks: [ImportRemark: Int] = [:]

  init(_ file: String, format: VaultExchange.ImportFormat, isDryRun: Bool, global: GlobalOptions) {
    self.file = file
    self.format = format
    self.isDryRun = isDryRun
    self.global = global
    ledger = LedgerReport(isDocument: global.json, isDryRun: isDryRun)
  }

  var hasRefusals: Bool { refusalCount > 0 }

  /// Counts leaves. The document and a dry run have a line for each.
  mutating func add(_ lines: [LedgerLine]) throws { try ledger.add(lines) }

  mutating func store(_ id: RecordID) {
    storedCount += 1
    if global.json { ids.append(id) }
  }

  mutating func remark(_ more: [ImportRemark: Int]) { remarks.merge(more, uniquingKeysWith: +) }

  mutating func leaveOutFormer(_ count: Int, keeping keptCount: Int) {
    leftOutFormer = (leftOutFormer.count + count, keptCount)
  }

  mutating func comeBack() { removedCount += 1 }
  mutating func wouldStore(_ count: Int) { storedCount += count }

  mutating func keep() { unchangedCount += 1 }
  mutating func differ() { differingCount += 1 }
  /// Notes an update, and the sealed members whose values it replaces.
  mutating func update(_ id: RecordID, _ name: String, replacing paths: [String]) {
    updatedCount += 1
    if !paths.isEmpty { replaced.append((id, name, paths)) }
  }

  /// Reports records that a database has stored but may lose, or about which it did not answer.
  ///
  /// - Parameter record: nil for new records.
  func leaveUnsure(_ count: Int, _ record: (id: RecordID, name: String)?, isStored: Bool) {
    let entries = count == 1 ? "1 new entry" : "\(count) new entries"
    let subject = record.map { "\($0.id.text) \(Printable.text($0.name))" } ?? entries
    let all = count == 1 ? "" : " (all or none)"
    global.messages.note(
      isStored
        ? "the database stored this, but may still lose it: \(subject)"
        : "the database did not say whether it stored this\(all): \(subject)")
  }

  /// Notes records that came from such a file earlier, and are missing in this one.
  mutating func miss(_ records: [VanishedRecord]) { vanished = records }

  mutating func refuse(_ place: SourcePlace, field: String?, _ reason: String) throws {
    refusalCount += 1
    guard !global.json else { return refusals.append(Refusal(place: place, field: field, reason: reason)) }
    global.messages.report(error(at: place, field, reason))
  }

  private func error(at place: SourcePlace, _ field: String?, _ reason: String) -> CommandError {
    let subject = [file, place.description, field].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    return CommandError(.inputRefused, "input_refused", subject: subject, reason)
  }

  /// The error that ends the import as a whole.
  func failure(at place: SourcePlace, _ refusal: VaultError) -> CommandError {
    error(at: place, refusal.field, refusal.reason + "; nothing was stored")
  }

  mutating func refuse(_ record: ImportedRecord, field: String? = nil, _ reason: String) throws {
    try refuse(record.place, field: field, reason)
    let sentence = Sentence.about(field, reason)
    try add(record.lines.map { $0.refused(sentence) })
  }

  /// Notes that the source cannot be read to its end.
  mutating func end(_ fault: SourceFault) throws {
    try refuse(fault.place, field: nil, fault.reason + "; the rest of the file was not read")
  }

  /// Prints the result, and returns the exit code.
  mutating func finish() throws -> ExitStatus {
    if removedCount > 0 {
      global.messages.note(
        removedCount == 1
          ? "an earlier record of 1 entry was removed from the vault and is still in the trash; "
            + "`vault trash restore RECORD` brings the record back"
          : "earlier records of \(removedCount) entries were removed from the vault and are still in the trash; "
            + "`vault trash restore RECORD` brings a record back")
    }
    if leftOutFormer.count > 0 {
      let kept =
        leftOutFormer.keptCount == 0
        ? "this vault keeps no former values" : "this vault keeps at most \(leftOutFormer.keptCount) of each field"
      global.messages.note("\(counted(leftOutFormer.count, "former value")) left out: \(kept)")
    }
    for (remark, count) in remarks.sorted(by: { $0.key.description < $1.key.description }) {
      if let words = remark.words(count) { global.messages.note(words) }
    }
    if global.json { try printDocument() } else { try printLines() }
    guard hasRefusals || ledger.totals.refused > 0 else { return .done }
    return storedCount + updatedCount + unchangedCount + differingCount > 0 ? .partlyDone : .inputRefused
  }

  private func printLines() throws {
    if differingCount > 0 {
      let subject =
        differingCount == 1 ? "1 record of the vault differs" : "\(differingCount) records of the vault differ"
      global.messages.note("\(subject) from the file; --update stores the values of the file")
    }
    let would = isDryRun ? "would be " : ""
    try Output.lines(
      [
        "\(storedCount) \(would)stored, \(updatedCount) \(would)updated, "
          + "\(unchangedCount + differingCount) already stored, \(refusalCount) refused"
      ] + ledger.lines)
    try Output.lines(
      replaced.map { id, name, paths in
        "\(would)replaced: \(id.text)  \(Printable.text(name)): \(Printable.text(paths.joined(separator: ", ")))"
      })
    guard !vanished.isEmpty else { return }
    try Output.lines(
      ["\(vanished.count) still in the vault, but no longer in the file; `vault remove` removes them:"]
        + vanished.map { "  \($0.id.text)  \(Printable.text($0.name))" })
  }

  private mutating func printDocument() throws {
    try ledger.endDocument(with: [
      "differing": differingCount, "dry_run": isDryRun, "format": format.name, "ids": ids,
      "replaced": replaced.map { id, name, paths in
        JSONValue.members(["id": id, "name": name, "paths": paths])
      },
      "refused": refusals, "remarks": remarks.document, "stored": storedCount, "unchanged": unchangedCount,
      "updated": updatedCount, "vanished": vanished.map { JSONValue.members(["id": $0.id, "name": $0.name]) },
    ])
  }
}

extension ImportRemark {
  /// The sentence about this number of values; nil for a remark of a later version.
  fileprivate func words(_ count: Int) -> String? {
    let isOne = count == 1
    return switch self {
    case .escapedMarkup:
      "\(count) value\(isOne ? " contains" : "s contain") &amp;, &lt;, &gt; or the like, which LastPass may have written for "
        + "&, <, > or a quote; \(isOne ? "it is" : "they are") imported unchanged: correct them with `vault set`"
    case .resolvedReference:
      "\(count) value\(isOne ? " was a reference" : "s were references") of KeePass to another entry, and "
        + "now \(isOne ? "has" : "have") the value of that entry"
    default: nil
    }
  }
}

/// A record of the vault that came from such a file earlier, and is missing in this one.
struct VanishedRecord {
  let id: RecordID
  let name: String
}
