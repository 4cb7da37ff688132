import ArgumentParser
import VaultBackup
import VaultDocument
import VaultKit

extension BackupCommand {
  /// `vault backup list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the backups in a directory, the oldest first.",
      discussion: """
        Compares what is there with backups.json, by names and sizes; no backup is read. A file that has changed, or is gone \
        though no prune has removed it, ends with 14.

        Example:
          vault backup list /mnt/backups
        """,
      aliases: ["ls"])

    @Argument(help: "The directory of the backups.")
    var dir: String

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let rows = try BackupDirectory(at: dir).listing().rows
      if global.json {
        try Output.document(["backups": .array(rows.map(\.document)), "directory": .string(dir)])
      } else {
        try Output.lines(rows.map(Self.line))
        if rows.isEmpty { global.messages.note("no backup is here") }
      }
      let findings = rows.compactMap(\.finding)
      for finding in findings { global.messages.note(finding) }
      if !findings.isEmpty { throw Finished(status: .findings) }
    }

    private static func line(_ row: BackupListing.Row) -> String {
      var parts = [row.name.fileName, row.byteCount.map(BackupView.size) ?? "-"]
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
