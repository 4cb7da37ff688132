import ArgumentParser
import VaultCLI
import VaultCare
package import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring records of an older schema to the present schema of their kind.",
    discussion: """
      Example:
        vault migrate --dry-run

      You can read and change older records without it: a record gets the present schema when it is changed. This \
      command changes all of them in one batch. The trash stays as it is. A secret becomes readable only after you \
      confirm it.
      """)

  @Flag(help: "Show what would change, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
    var plan = try await opened.migrationPlan()
    for fault in plan.faults { global.messages.report(fault) }
    if plan.faults.isEmpty, !dryRun, !plan.records.isEmpty {
      let paths = plan.opened
      if !paths.isEmpty {
        _ = try global.revealing("migrate", way: "a person can run the migration, because it makes secrets readable")
        let list = paths.map { Printable.text($0.description) }.sorted().joined(separator: ", ")
        try global.confirm("Make these sealed fields readable: \(list)?")
      }
      plan = try await opened.migrate(opening: paths)
    }
    try report(plan)
    if !plan.faults.isEmpty { throw Finished(status: .inputRefused) }
  }

  private func report(_ plan: MigrationPlan) throws {
    let isDone = !dryRun && plan.faults.isEmpty
    if global.json {
      try Output.document([
        "dry_run": dryRun, "migrated": isDone ? plan.records.count : 0, "records": plan.records,
        "refused": plan.faults.count,
      ])
      return
    }
    try Output.lines(plan.records.map(\.line))
    let count = counted(plan.records.count, "record")
    if plan.records.isEmpty, plan.faults.isEmpty {
      return global.messages.note("every record has the present schema")
    }
    if !plan.faults.isEmpty {
      return global.messages.note("nothing was changed: \(counted(plan.faults.count, "record")) cannot be migrated")
    }
    global.messages.note(isDone ? "\(count) migrated" : "\(count) would be migrated")
    if plan.seals {
      global.messages.note("older versions of the files, in git or a backup, still show what was readable")
    }
  }
}

extension RecordMigrationPlan: DocumentValue {
  fileprivate var line: String {
    let steps = steps.map { Printable.text($0.description) }.joined(separator: "; ")
    return [
      summary.id.text, summary.kind, "\(from) → \(to)", Printable.text(summary.name),
      steps.isEmpty ? "no member" : steps,
    ].joined(separator: "  ")
  }

  package var document: JSONValue {
    .members([
      "from": from, "id": summary.id, "kind": summary.kind, "name": summary.name, "steps": steps.map(\.description),
      "to": to,
    ])
  }
}
