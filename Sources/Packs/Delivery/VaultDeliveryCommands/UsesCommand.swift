import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

/// `vault uses`: the programs on this machine that received a field.
struct UsesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uses",
    abstract: "List which programs received which fields on this machine.",
    discussion: """
      Example:
        vault uses Orders --since 30d

      The list comes from the log of this machine. The log has what `run`, `inject`, `credential` and `ssh add` gave: \
      names, never values or arguments. AGENT is the coding agent that ran the command, as its variables say. If you replace a value, these are the places to look at. The command needs no \
      key. With CVAULT_NO_USES=1 no log is kept.
      """)

  @Argument(help: "A record: its name, its id, or the beginning of its id.", completion: .default)
  var record: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Only what was given within this time: 30d, 12h.", valueName: "age"))
  var since: String?

  @OptionGroup var table: TableOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let age = try since.map { try Age($0, option: "--since") }
    let session = try Session(vault, global)
    var uses = try DeliveryLog.uses(of: session, since: try age?.before(.now()))
    if let record {
      let named = uses.filter { $0.name == record || $0.id == record }
      // A removed record is still in the log.
      var id = named.last?.id
      if id == nil { id = try await session.resolve(record).text }
      uses = uses.filter { $0.id == id }
    }
    try print(DeliveryUses.grouped(uses))
  }

  private func print(_ rows: [DeliveryUses]) throws {
    guard !global.json else { return try Output.document(["uses": rows]) }
    if table.isShown(global) {
      try table.print(rows, columns: columns, global: global)
    } else if !rows.isEmpty {
      try Table(rows, columns, width: nil).print(global.style)
    }
    if rows.isEmpty { global.messages.note("nothing was logged") }
  }

  private var columns: [TableColumn<DeliveryUses>] {
    let isTable = table.isShown(global)
    func shown(_ time: Timestamp) -> String { isTable ? table.shown(time) : time.text }
    return [
      TableColumn(title: "NAME", rank: 0, least: 12) { $0.last.name },
      TableColumn(title: "FIELD", rank: 1, least: 10) { $0.last.field },
      TableColumn(title: "PROGRAM", rank: 2, least: 12) { $0.last.program ?? "-" },
      TableColumn(title: "FORM", rank: 3) { $0.last.form },
      TableColumn(title: "AGENT", rank: 7, isOptional: true) { $0.last.agent ?? "-" },
      TableColumn(title: "LAST", rank: 4, look: global.style.dim) { shown($0.last.time) },
      TableColumn(title: "FIRST", rank: 6, isOptional: true, look: global.style.dim) { shown($0.first) },
      TableColumn(title: "TIMES", rank: 5) { "\($0.count)" },
    ]
  }
}

extension DeliveryUses: DocumentValue {
  package var document: JSONValue {
    .members([
      "agent": last.agent, "count": count, "field": last.field, "first": first, "folder": last.folder,
      "form": last.form, "id": last.id,
      "last": last.time, "name": last.name, "program": last.program,
    ])
  }
}
