import ArgumentParser
import VaultBackup
import VaultDocument
import VaultKit
import VaultTerminal

extension BackupCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the backups in a folder, oldest first.",
      discussion: """
        Example:
          vault backup list /mnt/backups

        The command compares the names and sizes of the files with backups.json. It reads no backup. It exits with 14 \
        if a file has changed, or if a file is missing although no prune removed it.
        """,
      aliases: ["ls"])

    @Argument(help: "The folder of the backups.")
    var dir: String

    @OptionGroup var table: TableOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let rows = try BackupDirectory(at: dir).listing().rows
      if global.json {
        try Output.document(["backups": rows, "directory": dir])
      } else {
        if table.isShown(global) {
          try table.print(rows, columns: columns, global: global)
        } else {
          try Output.lines(rows.map(Self.line))
        }
        if rows.isEmpty { global.messages.note("there is no backup here") }
      }
      let findings = rows.compactMap(\.finding)
      for finding in findings { global.messages.note(finding) }
      if !findings.isEmpty { throw Finished(status: .findings) }
    }

    private var columns: [TableColumn<BackupListing.Row>] {
      let (style, table) = (global.style, table)
      let state = { (text: String) in
        switch text.drop(while: { $0 == " " }) {
        case "ok": style.good(text)
        case "changed", "gone": style.bad(text)
        default: style.doubtful(text)
        }
      }
      return [
        TableColumn(title: "NAME", rank: 0, least: 20, most: 60) { $0.name.fileName },
        TableColumn(title: "STATE", rank: 1, look: state) { row in
          row.state == .recorded ? (row.entry?.isAttested == false ? "unattested" : "ok") : row.stateText
        },
        TableColumn(title: "AGE", rank: 2, look: style.dim) { table.shown($0.name.time) },
        TableColumn(title: "SIZE", rank: 4) { $0.byteCount.map(ByteSize.text) ?? "-" },
        TableColumn(title: "CHECKED", rank: 3, least: 12) { row in
          row.entry?.verification.map { "\($0.kind.words), \(table.shown($0.time))" } ?? "never"
        },
        TableColumn(title: "LABEL", rank: 5, least: 8, isOptional: true) { $0.entry?.label ?? "" },
      ]
    }

    private static func line(_ row: BackupListing.Row) -> String {
      var parts = [row.name.fileName, row.byteCount.map(ByteSize.text) ?? "-"]
      if row.state != .recorded { parts.append(row.stateText) }
      if let entry = row.entry {
        parts.append(BackupView.text(entry.verification))
        if !entry.isAttested { parts.append("unattested") }
        if let label = entry.label { parts.append(Printable.text(label)) }
      }
      return parts.joined(separator: "  ")
    }
  }
}
