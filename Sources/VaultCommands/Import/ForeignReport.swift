import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords

/// What an import from another tool has done, and what became of each value.
struct ForeignReport {
  private struct Refusal {
    let place: SourcePlace
    let field: String?
    let reason: String
  }

  private let file: String
  private let format: VaultExchange.ImportFormat
  private let isDryRun: Bool
  private let global: GlobalOptions
  private var refusals: [Refusal] = []
  private var fault: ExchangeError?
  private var ids: [RecordID] = []
  private var storedCount = 0
  private var updatedCount = 0
  private var unchangedCount = 0
  private var differingCount = 0
  private var totals = LedgerTotals()
  /// The lines of a dry run for `--json`.
  private var lines: [LedgerLine] = []

  init(_ file: String, _ format: VaultExchange.ImportFormat, isDryRun: Bool, _ global: GlobalOptions) {
    self.file = file
    self.format = format
    self.isDryRun = isDryRun
    self.global = global
  }

  var hasRefusals: Bool { !refusals.isEmpty || fault != nil }

  /// Counts leaves; a dry run prints each.
  mutating func add(_ new: [LedgerLine]) throws {
    totals.add(new)
    guard isDryRun else { return }
    if global.json { return lines += new }
    try Output.lines(new.map { "\(Printable.text($0.place.description)): \(Printable.text($0.outcome.text))" })
  }

  mutating func store(_ id: RecordID) {
    storedCount += 1
    if global.json, !isDryRun { ids.append(id) }
  }

  mutating func keep() { unchangedCount += 1 }
  mutating func differ() { differingCount += 1 }
  mutating func update() { updatedCount += 1 }

  /// Nothing is stored after all.
  mutating func forgetStored() { (storedCount, updatedCount, ids) = (0, 0, []) }

  mutating func refuse(_ place: SourcePlace, field: String?, _ reason: String) throws {
    refusals.append(Refusal(place: place, field: field, reason: reason))
    guard !global.json else { return }
    let subject = [file, place.description, field].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    global.messages.report(CommandError(.inputRefused, "input_refused", subject: subject, reason))
  }

  /// An entry that its kind refuses: with it all its values are refused.
  mutating func refuse(_ record: ImportedRecord, _ error: VaultError) throws {
    try refuse(record.place, field: error.field, error.reason)
    try add(record.lines.map { $0.outcome == .empty ? $0 : LedgerLine($0.place, .refused(error.reason)) })
  }

  /// The source cannot be read on.
  mutating func end(_ error: ExchangeError) throws {
    fault = error
    try refuse(error.place ?? SourcePlace(), field: nil, error.reason + "; nothing behind it was read")
  }

  /// Prints the result and gives the status to end with.
  func finish() throws -> ExitStatus {
    if global.json { try printDocument() } else { try printLines() }
    guard hasRefusals || totals.refused > 0 else { return .done }
    return storedCount + updatedCount + unchangedCount + differingCount > 0 ? .partlyDone : .inputRefused
  }

  private func printLines() throws {
    if differingCount > 0 {
      global.messages.note("\(differingCount) of the vault differ from the file; --update takes what the file says")
    }
    let would = isDryRun ? "would be " : ""
    try Output.lines([
      "\(storedCount) \(would)stored, \(updatedCount) \(would)updated, \(unchangedCount + differingCount) there already, "
        + "\(refusals.count) refused",
      "values: \(totals.leaves): \(totals.stored) stored, \(totals.mapped) mapped, \(totals.custom) custom fields, "
        + "\(totals.tagged) tags, \(totals.empty) empty, \(totals.refused) refused",
    ])
  }

  private func printDocument() throws {
    try Output.document([
      "differing": .count(differingCount), "dry_run": .bool(isDryRun), "format": .string(format.name),
      "ids": .array(ids.map { .string($0.text) }),
      "ledger": .members([
        "custom": .count(totals.custom), "empty": .count(totals.empty), "leaves": .count(totals.leaves),
        "mapped": .count(totals.mapped), "refused": .count(totals.refused), "stored": .count(totals.stored),
        "tagged": .count(totals.tagged),
      ]),
      "lines": isDryRun ? .array(lines.map(\.document)) : .null,
      "refused": .array(
        refusals.map { refusal in
          .members([
            "column": refusal.place.column.map(JSONValue.count) ?? .null, "field": .optional(refusal.field),
            "line": refusal.place.line.map(JSONValue.count) ?? .null, "path": .string(refusal.place.path),
            "reason": .string(refusal.reason),
          ])
        }),
      "stored": .count(storedCount), "unchanged": .count(unchangedCount), "updated": .count(updatedCount),
    ])
  }
}

extension JSONValue {
  fileprivate static func count(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }
}

extension LedgerLine {
  fileprivate var document: JSONValue {
    .members([
      "line": place.line.map(JSONValue.count) ?? .null, "outcome": .string(outcome.word), "path": .string(place.path),
      "to": .optional(outcome.detail),
    ])
  }
}

extension LedgerLine.Outcome {
  fileprivate var word: String {
    switch self {
    case .stored: "stored"
    case .mapped: "mapped"
    case .custom: "custom"
    case .tagged: "tagged"
    case .empty: "empty"
    case .refused: "refused"
    }
  }

  /// The member, or the reason.
  fileprivate var detail: String? {
    switch self {
    case .stored(let path), .mapped(let path), .custom(let path): path
    case .refused(let reason): reason
    case .tagged, .empty: nil
    }
  }

  fileprivate var text: String { detail.map { "\(word): \($0)" } ?? word }
}
