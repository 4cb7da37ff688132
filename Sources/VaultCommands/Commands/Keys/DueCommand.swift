import ArgumentParser
import VaultDocument
import VaultKit

/// `vault due`: secrets to replace at their source.
struct DueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "List secrets that should be replaced; 14 when there are any.",
    discussion: """
      --leaver lists every sealed value that somebody could read who had a key until the newest reseal, in the trash too; \
      --older-than lists values by age. A value leaves the list when another one takes its place, or its record is deleted. \
      It needs no key and verifies nothing.

      Example:
        vault due --leaver
      """)

  @Flag(help: "What has not been replaced since the newest `vault rotate --reseal`.")
  var leaver = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What was sealed so long ago: 90d, 12h, 90m, 2w.", valueName: "age"))
  var olderThan: String?

  @OptionGroup var table: TableOptions
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions

  func run() throws {
    let rule = try rule()
    let session = try Session(vault, global)
    try session.pin.requireKnownState()
    let due = try session.locked.due(rule)
    try print(due)
    for fault in due.faults { global.messages.report(fault) }
    if let fault = due.faults.first { throw Finished(status: ExitStatus(fault.code)) }
    if !due.fields.isEmpty { throw Finished(status: .findings) }
  }

  private func rule() throws -> DueRule {
    switch (leaver, olderThan) {
    case (true, nil): return .sinceReseal
    case (false, let age?): return .sealedBefore(try Age(age, option: "--older-than").before(.now()))
    default: throw CommandError.usage("due", "takes exactly one of --leaver and --older-than AGE")
    }
  }

  private func print(_ due: DueFields) throws {
    if global.json {
      return try Output.document([
        "before": .optional(due.before?.text), "due": .array(due.fields.map(\.document)), "verified": false,
      ])
    }
    if table.isShown(global) {
      try table.print(due.fields, columns, global)
    } else {
      try Output.lines(lines(due.fields))
    }
    if due.before == nil {
      global.messages.note("there was no reseal yet: `vault rotate --reseal` begins the list")
    } else if due.fields.isEmpty, due.faults.isEmpty {
      global.messages.note("nothing is due")
    } else {
      global.messages.note(Messages.unverifiedNote)
    }
  }

  private var columns: [TableColumn<DueField>] {
    let (style, table) = (global.style, table)
    return [
      TableColumn(title: "NAME", rank: 0, least: 16) { $0.record.name },
      TableColumn(title: "FIELD", rank: 1, least: 10) { $0.path.description },
      TableColumn(title: "SEALED", rank: 2, look: style.dim) { table.shown($0.sealedAt) },
      TableColumn(title: "WHERE", rank: 3, isOptional: true) { $0.isTrashed ? "in the trash" : "" },
      TableColumn(title: "ID", rank: 4, look: style.dim) { table.shown($0.record.id) },
    ]
  }

  private func lines(_ fields: [DueField]) -> [String] {
    let nameWidth = min(40, fields.map { Printable.text($0.record.name).count }.max() ?? 0)
    let pathWidth = fields.map { Printable.text($0.path.description).count }.max() ?? 0
    return fields.map { field in
      let columns = [
        field.record.id.text, Printable.padded(Printable.text(field.record.name), to: nameWidth),
        Printable.padded(Printable.text(field.path.description), to: pathWidth), "sealed \(field.sealedAt.text)",
      ]
      return columns.joined(separator: "  ") + (field.isTrashed ? "  in the trash" : "")
    }
  }
}

extension DueField {
  fileprivate var document: JSONValue {
    .members([
      "field": .string(path.description), "id": .string(record.id.text), "kind": .string(record.kind),
      "name": .string(record.name), "sealed_at": .string(sealedAt.text), "trashed": .bool(isTrashed),
    ])
  }
}
