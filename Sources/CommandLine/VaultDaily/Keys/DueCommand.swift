import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

/// `vault due`: secrets to replace at their source.
struct DueCommand: ParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "List secrets that should be replaced; 14 when there are any.",
    discussion: """
      --leaver lists every sealed value that somebody could read who had a key until the newest reseal, in the trash too; \
      --older-than lists values by age; without either it is both, with a year. A value leaves the list when another one takes its place, or its record is deleted. \
      It needs no key and verifies nothing.

      Example:
        vault due --leaver
      """)

  @Flag(help: "What has not been replaced since the newest `vault rekey --reseal`.")
  var leaver = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What was sealed so long ago: 1y, 90d, 12h, 90m, 2w.", valueName: "age"))
  var olderThan: String?

  @OptionGroup var table: TableOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    guard !leaver || olderThan == nil else {
      throw CommandError.usage("due", "takes --leaver or --older-than AGE; alone it lists both")
    }
    let age = try olderThan.map { try Age($0, option: "--older-than") }
    let session = try Session(vault, global)
    try session.pin.requireKnownState()
    var report = try DueReport(session, leaver: leaver, age: age)
    report.takeUses(of: session)
    try report.print(global, table)
    for fault in report.faults { global.messages.report(fault) }
    if let fault = report.faults.first { throw Finished(status: ExitStatus(fault.code)) }
    if !report.fields.isEmpty { throw Finished(status: .findings) }
  }
}

/// What `due` lists.
struct DueReport {
  /// Since a year, where nobody says since when.
  private static let standardAge = 365 * 86_400

  private(set) var fields: [DueField]
  let faults: [VaultError]
  private let before: Timestamp?
  /// What was given to programs on this machine.
  private var uses: [DeliveryLog.Use] = []
  /// Whether what is old is in it besides what somebody who left has read.
  private var hasBoth = false

  init(_ due: DueFields) { (fields, faults, before) = (due.fields, due.faults, due.before) }

  fileprivate init(_ session: Session, leaver: Bool, age: Age?) throws {
    guard !leaver else {
      self.init(try session.locked.due(.sinceReseal))
      return
    }
    let old = try session.locked.due(.sealedBefore((age ?? Age(seconds: Int64(Self.standardAge))).before(.now())))
    self.init(old)
    guard age == nil else { return }
    hasBoth = true
    // A value stands once, with the reason that is worse.
    let left = try session.locked.due(.sinceReseal).fields
    let isListed = Set(left.map(\.place))
    fields = left + fields.filter { !isListed.contains($0.place) }
  }

  /// Adds which programs got a value: where a new one has to go.
  mutating func takeUses(of session: Session) { uses = (try? DeliveryLog.uses(of: session, since: nil)) ?? [] }

  private func programs(_ field: DueField) -> [String] {
    DeliveryUses.programs(of: field.record.id, field.path.description, in: uses)
  }

  /// - Parameter table: how it is shown at a terminal.
  func print(_ global: GlobalOptions, _ table: TableOptions? = nil) throws {
    if global.json {
      return try Output.document([
        "before": .optional(before?.text), "due": .array(fields.map { $0.document(programs($0)) }), "verified": false,
      ])
    }
    if let table, table.isShown(global) {
      try table.print(fields, columns: columns(table, global.style), global: global)
    } else {
      try Output.lines(lines)
    }
    if before == nil {
      global.messages.note("there was no reseal yet: `vault rekey --reseal` begins the list")
    } else if fields.isEmpty, faults.isEmpty {
      global.messages.note(hasBoth ? "nothing is due: nobody left, and nothing is older than a year" : "nothing is due")
    } else {
      global.messages.note(Messages.unverifiedNote)
    }
  }

  private func columns(_ table: TableOptions, _ style: Style) -> [TableColumn<DueField>] {
    [
      TableColumn(title: "NAME", rank: 0, least: 16) { $0.record.name },
      TableColumn(title: "FIELD", rank: 1, least: 10) { $0.path.description },
      TableColumn(title: "SEALED", rank: 2, look: style.dim) { table.shown($0.sealedAt) },
      TableColumn(title: "WHERE", rank: 3, isOptional: true) { $0.isTrashed ? "in the trash" : "" },
      TableColumn(title: "PROGRAMS", rank: 5, isOptional: true) { programs($0).joined(separator: ", ") },
      TableColumn(title: "ID", rank: 4, look: style.dim) { table.shown($0.record.id) },
    ]
  }

  private var lines: [String] {
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
  /// Which value it is.
  fileprivate var place: String { "\(record.id.text) \(isTrashed) \(path)" }
}

extension DueField {
  fileprivate func document(_ programs: [String]) -> JSONValue {
    .members([
      "field": .string(path.description), "id": .string(record.id.text), "kind": .string(record.kind),
      "name": .string(record.name), "programs": .array(programs.map { .string($0) }),
      "sealed_at": .string(sealedAt.text), "trashed": .bool(isTrashed),
    ])
  }
}
