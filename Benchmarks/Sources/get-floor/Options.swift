import ArgumentParser

struct GlobalOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no notes.") var quiet = false
  @Flag(name: .shortAndLong, help: "Print what is used and why, and the causes of errors.") var verbose = false
  @Flag(name: .shortAndLong, help: "Answer yes to every question.") var yes = false
  @Flag(help: "Print JSON, also for errors.") var json = false
  @Flag(help: "Print no colors.") var noColor = false
  @Flag(help: "Never ask for anything.") var noInput = false
  @Option(help: "How long to wait for another process.") var lockTimeout = 10
  @Flag(help: "Read the files of the records, and do not use the cache.") var noIndex = false
}

struct SealedOptions: ParsableArguments {
  @Option(help: "Ask twice for a sealed value, without showing it.") var secret: [String] = []
  @Option(help: "Read a sealed value from a file.") var secretFile: [String] = []
  @Option(help: "Read a sealed value from standard input.") var secretStdin: [String] = []
  @Option(help: "Make up a password of so many characters (24).") var generate: [String] = []
}

struct VaultOptions: ParsableArguments {
  @Option(help: "The vault's folder (CVAULT_DIR).") var vault: String?
  @Option(help: "Refuse any vault with another fingerprint (CVAULT_FINGERPRINT).")
  var requireFingerprint: String?
}

struct UnlockOptions: ParsableArguments {
  @Option(help: "A file of age identities; may be repeated (CVAULT_IDENTITY_FILE).") var identity: [String] = []
  @Option(help: "Read the passphrase from a file (CVAULT_PASSPHRASE_FILE).") var passphraseFile: String?
  @Option(help: "Read the passphrase from a descriptor (CVAULT_PASSPHRASE_FD).") var passphraseFd: Int?
  @Option(help: "Read the passphrase from a command (CVAULT_PASSPHRASE_COMMAND).") var passphraseCommand: String?
  @Option(help: "Accept passphrase slots up to this cost, 10 to 22.") var maxWorkFactor = 20
}

struct SourceOptions: ParsableArguments {
  @Option(
    help: "An identity that opens the file, where it is sealed with age; those that unlock the vault are tried too.")
  var sourceIdentity: [String] = []
  @Option(help: "Read the passphrase of the imported file from this file; otherwise it is asked for.")
  var sourcePassphraseFile: String?
}

struct RuleOptions: ParsableArguments {
  @Option(help: "Keep the newest n backups: a number or `unlimited`.") var keepLast: String?
  @Option(help: "Keep the newest backup of each hour, for n hours.") var keepHourly: String?
  @Option(help: "Keep the newest backup of each day, for n days.") var keepDaily: String?
  @Option(help: "Keep the newest backup of each week (Monday to Sunday), for n weeks.") var keepWeekly: String?
  @Option(help: "Keep the newest backup of each month, for n months.") var keepMonthly: String?
  @Option(help: "Keep the newest backup of each year, for n years.") var keepYearly: String?
  @Option(help: "Keep all backups made in this span before the newest one, such as 1y5m7d2h.")
  var keepWithin: String?
}
