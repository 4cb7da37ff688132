import ArgumentParser

/// `vault backup`: backups of vaults.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Make, check and restore backups.",
    discussion: """
      Example:
        vault backup list /mnt/backups
      """,
    subcommands: [List.self, Prune.self, Status.self])
}
