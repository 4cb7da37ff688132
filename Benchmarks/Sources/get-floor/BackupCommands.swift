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
    commandName: "create", abstract: "Back up the whole vault into one new file.")

  @Option(help: "The folder for the backup; - is standard output.") var to = "."
  @Option(help: "Seal to an age recipient; may be repeated.") var recipient: [String] = []
  @Option(help: "Seal to the recipients in a file, one per line.") var recipientsFile: String?
  @Option(help: "Seal with a passphrase from a file instead.") var newPassphraseFile: String?
  @Option(help: "A name for the backup in backups.json.") var label: String?
  @Option(help: "Prove the new backup by opening it with this identity file.") var proveWith: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the backups in a folder, oldest first.",
    aliases: ["ls"])

  @Argument(help: "The folder of the backups.") var dir: String
  @OptionGroup var global: GlobalOptions
}

struct BackupVerifyFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check backups as far as the given keys allow; restore nothing.")

  @Argument(help: "The backups.") var file: [String]
  @Flag(help: "Verify every record; this needs a key of the vault.") var deep = false
  @Option(help: "With --deep, verify only part n of t of the records, for scheduled runs.") var subset: String?
  @Option(help: "Read the passphrase of the backup from a file.") var backupPassphraseFile: String?
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupRestoreFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup after all of it was verified.")

  @Argument(help: "The backup.") var file: String
  @Option(help: "The folder of the vault; it need not exist.") var to: String
  @Option(help: "Only these records, by their ids in the backup.") var records: [String] = []
  @Flag(help: "Accept a backup without an authenticated list of its files.") var unattested = false
  @Flag(help: "Accept a backup that is older than the known state of the vault.") var acceptRollback = false
  @Option(help: "Accept only the vault with this fingerprint.") var requireFingerprint: String?
  @Option(help: "Read the passphrase of the backup from a file.") var backupPassphraseFile: String?
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupPruneFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove the backups that no rule keeps.")

  @Argument(help: "The folder of the backups.") var dir: String
  @Flag(help: "Show what would be removed; remove nothing.") var dryRun = false
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup var global: GlobalOptions
}

struct BackupStatusFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Check that the newest backup exists, is unchanged and is recent enough.")

  @Argument(help: "The folder of the backups.") var dir: String
  @Option(help: "The maximum age of the newest backup: 26h, 2d, 90m, 1w.") var maxAge: String?
  @Option(help: "Only backups with this name before the time.") var name: String?
  @OptionGroup var global: GlobalOptions
}
