import ArgumentParser

struct ExportFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write records out, for other programs or to move on, in the order of their ids.")

  @Option(help: "Only records of this kind.") var kind: String?
  @Option(help: "What to write; `json` is an array of records.") var format = "json"
  @Option(help: "How the words of member names are joined: snake, camel or kebab.") var keys: String?
  @Flag(help: "Open the sealed fields.") var reveal = false
  @Flag(help: "Keep the sealed fields as tokens.") var sealed = false
  @Option(help: "Seal the export to an age recipient; may be repeated. In sops, who can open the values.")
  var age: [String] = []
  @Option(name: .shortAndLong, help: "Write to a file; it appears whole or not at all.") var output: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct ImportFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store the records of a file, of this program or of another tool.")

  @Argument(help: "json, jsonl, auto, or a format of `vault import --list`.") var format: String?
  @Argument(help: "The file, or - for standard input.") var file: String?
  @Flag(help: "List the formats of other tools and what is kept of them.") var list = false
  @Option(help: "The kind of the records; `vault kinds list` shows them. Other tools say it themselves, csv takes it.")
  var kind: String?
  @Option(help: "Send a column, or a value under its path, to a member: username=E-Mail. May be repeated.")
  var map: [String] = []
  @Option(help: "The encoding of csv that is not UTF-8: utf-16le, utf-16be or windows-1252.") var encoding: String?
  @Flag(help: "Check everything and store nothing; of other tools' files, print what becomes of each value.")
  var dryRun = false
  @Flag(help: "Store nothing at all when one is refused.") var strict = false
  @Flag(help: "Change records that came from the same entries before, where the file says otherwise.")
  var update = false
  @Flag(help: "Seal members that the kind does not have in `extra`, rather than refuse them.") var keepUnknown = false
  @Option(help: "Write the refused ones to a file; it holds their secrets in clear.") var rejects: String?
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct KindsFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kinds", abstract: "Show the kinds of records and their fields.",
    subcommands: [KindsListFloor.self, KindsShowFloor.self, KindsAddFloor.self])
}

struct KindsListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the kinds of records.")

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct KindsShowFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the fields of a kind, or its JSON Schema.")

  @Argument(help: "The kind.") var kind: String
  @Flag(help: "Print the JSON Schema of the kind, as `vault kinds add` takes one.") var schema = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct KindsAddFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Declare a kind of record by a JSON Schema.")

  @Argument(help: "The schema, or - for standard input.") var file: String
  @Option(help: "What the kind is called: small letters, digits and hyphens.") var name: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct MigrateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Bring records of an older schema to the present one of their kind.")

  @Flag(help: "Show what would change, and change nothing.") var dryRun = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct VerifyFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every record, slot and file of the vault with the key.")

  @Flag(help: "List the changes since the checkpoint; of other records verify only the MAC.")
  var sinceCheckpoint = false
  @Option(help: "Verify only part n of t of the records, for scheduled runs.") var subset: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct CheckpointFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint", abstract: "Verify the vault and write an authenticated list of all its records.")

  @Flag(help: "Accept records that went back or are missing since the last checkpoint.") var acceptRollback = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct LintFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Check the form of every file without a key.")

  @Flag(help: "Rewrite files that differ from the canonical form only in white space, member order or spelling.")
  var fix = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup var global: GlobalOptions
}

struct AcceptFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Authenticate records whose readable fields were edited by hand.")

  @Argument(help: "Ids, exact names, or beginnings of ids.") var record: [String]
  @Flag(help: "Also accept a record without a version to compare it with.") var noBaseline = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct RepairFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Restore damaged or missing records from versions that verify.")

  @Argument(help: "Only these records: ids, or beginnings of ids.") var record: [String] = []
  @Flag(help: "Print the plan and change nothing.") var dryRun = false
  @Option(help: "A new folder for replaced files (default: beside the vault).") var aside: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}
