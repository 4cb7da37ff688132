import ArgumentParser

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Make, check and restore backups.",
    discussion: """
      Example:
        vault backup create --to /mnt/backups \\
          --recipient age1… --prove-with backup-identity.txt
        vault backup verify /mnt/backups/team-20261121T014028Z.cvault.age \\
          --deep --identity identity.txt

      A backup is one age file that contains an archive of the vault. `age -d FILE | tar x` recovers it without this \
      program.
      """,
    subcommands: [Create.self, List.self, Verify.self, Restore.self, Prune.self, Status.self])
}
