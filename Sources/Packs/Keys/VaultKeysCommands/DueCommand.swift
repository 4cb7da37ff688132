import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct DueCommand: ParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "List secrets that should be replaced.",
    discussion: """
      Example:
        vault due --leaver

      --leaver lists every sealed value that a holder of a key could read until the newest reseal. The trash \
      counts, too. --older-than lists values by age. Without these options the command lists both, with an age of one year.

      A value leaves the list when another value replaces it, or when its record is deleted. The command needs no \
      key and verifies nothing. The exit status is 14 if anything is listed.
      """)

  @Flag(help: "Only secrets not replaced since the newest `vault rekey --reseal`.")
  var leaver = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only secrets sealed this long ago: 1y, 90d, 12h, 90m, 2w.", valueName: "age"))
  var olderThan: String?

  @OptionGroup var table: TableOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    guard !leaver || olderThan == nil else {
      throw CommandError.usage(
        "--leaver", "cannot be combined with --older-than", "leave out both options to list both")
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

/// The list of `due`.
struct DueReport {
  /// One year, if the user gives no time.
  private static let standardAge = 365 * 86_400

  private(set) var fields: [DueField]
  let faults: [VaultError]
  private let before: Timestamp?
  /// The values that programs on this machine received.
  private var programs: (RecordID, _ field: String) -> [String] = { _, _ in [] }
  /// Whether the list has old secrets in addition to those that a leaver has read.
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
    // A value is listed once, with its more urgent reason.
    let left = try session.locked.due(.sinceReseal).fields
    let isListed = Set(left.map(\.place))
    fields = left + fields.filter { !isListed.contains($0.place) }
  }

  /// Adds which programs got a value: where a new one has to go.
  mutating func takeUses(of session: Session) {
    if let known = Packs.first(\.programs) { programs = known(session) }
  }

  private func programs(_ field: DueField) -> [String] { programs(field.record.id, field.path.description) }

  /// - Parameter table: how it is shown at a terminal.
  func print(_ global: GlobalOptions, _ table: TableOptions? = nil) throws {
    if global.json {
      return try Output.document([
        "before": before?.text, "due": fields.map { $0.document(programs($0)) }, "verified": false,
      ])
    }
    if let table, table.isShown(global) {
      try table.print(fields, columns: columns(table, global.style), global: global)
    } else {
      try Output.lines(lines)
    }
    if before == nil {
      global.messages.note("there was no reseal yet: `vault rekey --reseal` starts the list")
    } else if fields.isEmpty, faults.isEmpty {
      global.messages.note(
        hasBoth ? "nothing is due: no slot was removed, and no value is older than a year" : "nothing is due")
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
  fileprivate var place: String { "\(record.id.text) \(isTrashed) \(path)" }
}

extension DueField {
  fileprivate func document(_ programs: [String]) -> JSONValue {
    .members([
      "field": path.description, "id": record.id, "kind": record.kind, "name": record.name, "programs": programs,
      "sealed_at": sealedAt, "trashed": isTrashed,
    ])
  }
}
