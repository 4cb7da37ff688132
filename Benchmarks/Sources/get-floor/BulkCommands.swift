import ArgumentParser

struct ExportFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write records to a file, for another program or another vault.")

  @Option(help: "Only records of this kind.") var kind: String?
  @Option(help: "The format of the export.") var format = "json"
  @Option(help: "Join the words of names as snake, camel or kebab.") var keys: String?
  @Flag(help: "Export the sealed fields in clear.") var reveal = false
  @Flag(help: "Export the sealed fields as they are stored, sealed.") var sealed = false
  @Option(help: "Encrypt the export to an age recipient. May be repeated. For sops: a recipient of the values.")
  var age: [String] = []
  @Option(name: .shortAndLong, help: "Write to this file, as a whole or not at all.") var output: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct ImportFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import records from a file of this program or of another tool.")

  @Argument(help: "json, jsonl, auto, or a format of `vault import --list`.") var format: String?
  @Argument(help: "The file or folder; - is standard input.") var file: String?
  @Flag(help: "List the formats of other tools.") var list = false
  @Option(help: "The kind of the records: see `vault kinds list`. Most formats of other tools set it themselves.")
  var kind: String?
  @Option(help: "Import a column or value as a field: username=E-Mail. May be repeated.")
  var map: [String] = []
  @Option(help: "Encoding of a csv file: utf-16le, utf-16be or windows-1252.") var encoding: String?
  @Flag(help: "Store nothing, but check everything and print what would become of each value.")
  var dryRun = false
  @Flag(help: "Store nothing if any record is refused.") var strict = false
  @Flag(help: "Update records that were imported from the same entries before.")
  var update = false
  @Flag(help: "Seal members that the kind does not have in `extra`, rather than refuse them.") var keepUnknown = false
  @Option(help: "Write refused records to this file, secrets in clear.") var rejects: String?
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

  @Argument(help: "The name of the kind.") var kind: String
  @Flag(help: "Print the JSON Schema of the kind, for `vault kinds add`.") var schema = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct KindsAddFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Declare a kind of record with a JSON Schema.")

  @Argument(help: "The schema, or - for standard input.") var file: String
  @Option(help: "The name of the kind: small letters, digits and hyphens.") var name: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct MigrateFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Bring records of an older schema to the present schema of their kind.")

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

  @Argument(help: "Ids, beginnings of ids, or names in upper or lower case.") var record: [String]
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
