import ArgumentParser

struct BackupFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Make, check and restore backups.",
    subcommands: [
      BackupCreateFloor.self, BackupListFloor.self, BackupVerifyFloor.self, BackupRestoreFloor.self,
      BackupPruneFloor.self, BackupStatusFloor.self,
    ])
}

struct BackupCreateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Back the whole vault up into one new file.")

  @Option(help: "The directory of the backups, else the working directory; - is standard output.") var to = "."
  @Option(help: "Seal to an age recipient; may be repeated.") var recipient: [String] = []
  @Option(help: "Seal to the recipients in a file, one in a line.") var recipientsFile: String?
  @Option(help: "Seal with a passphrase from a file instead.") var newPassphraseFile: String?
  @Option(help: "What the backup is called in backups.json.") var label: String?
  @Option(help: "Open what was written with a file of age identities.") var proveWith: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the backups in a directory, the oldest first.",
    aliases: ["ls"])

  @Argument(help: "The directory of the backups.") var dir: String
  @OptionGroup var global: GlobalOptions
}

struct BackupVerifyFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check backups as far as the keys that are given allow; nothing is restored.")

  @Argument(help: "The backups.") var file: [String]
  @Flag(help: "Verify every record, which takes a key of the vault.") var deep = false
  @Option(help: "With --deep, only the n-th of t parts of the records, for scheduled runs.") var subset: String?
  @Option(help: "Read the passphrase of the backup from a file.") var backupPassphraseFile: String?
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupRestoreFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup, after all of it was verified.")

  @Argument(help: "The backup.") var file: String
  @Option(help: "The folder of the vault, which need not be there.") var to: String
  @Option(help: "Only these records, by their ids in the backup.") var records: [String] = []
  @Flag(help: "Also a backup without an authenticated list of its files.") var unattested = false
  @Flag(help: "Also a backup that is older than what is known of the vault.") var acceptRollback = false
  @Option(help: "Refuse every vault but the one with this fingerprint.") var requireFingerprint: String?
  @Option(help: "Read the passphrase of the backup from a file.") var backupPassphraseFile: String?
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupPruneFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove the backups that no rule keeps.")

  @Argument(help: "The directory of the backups.") var dir: String
  @Flag(help: "Say what would be removed, and remove nothing.") var dryRun = false
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupStatusFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say whether the newest backup is there, as recorded, and young enough.")

  @Argument(help: "The directory of the backups.") var dir: String
  @Option(help: "How old the newest one may be: 26h, 2d, 90m, 1w.") var maxAge: String?
  @Option(help: "Only backups whose names begin so, then a time.") var name: String?
  @OptionGroup var global: GlobalOptions
}
