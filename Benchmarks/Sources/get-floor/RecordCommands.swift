import ArgumentParser

struct InitFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a vault and print its fingerprint.")

  @Argument(help: "The folder; else CVAULT_DIR, else $XDG_DATA_HOME/cvault.") var dir: String?
  @Flag(help: "Unlock with a passphrase, typed twice or read as below.") var passphrase = false
  @Option(help: "Make an age identity and write it to a new file.") var generateIdentity: String?
  @Option(help: "Unlock with the identity of an age recipient; may be repeated.") var recipient: [String] = []
  @Option(help: "What the new slots are called.") var label: String?
  @Option(help: "The cost of the passphrase, 10 to 20.") var workFactor = 18
  @Option(help: "Read the new passphrase from a file.") var newPassphraseFile: String?
  @Option(help: "Read the new passphrase from a descriptor.") var newPassphraseFd: Int?
  @Option(help: "Read the new passphrase from a command.") var newPassphraseCommand: String?
  @OptionGroup var global: GlobalOptions
}

struct AddFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Store a new record and print its id.",
    aliases: ["create", "insert"])

  @Argument(help: "The kind of record; `vault kinds list` shows them.") var kind: String
  @Option(help: "Read the record from a JSON file; - is standard input.") var from: String?
  @Option(help: "Give a readable field a value.") var set: [String] = []
  @Flag(help: "Seal members that the kind does not have in `extra`, rather than refuse them.") var keepUnknown = false
  @OptionGroup(title: "Sealed values") var sealed: SealedOptions
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct ShowFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a record with its sealed fields masked.",
    aliases: ["cat"])

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.") var record: String
  @Flag(help: "Show the sealed values.") var reveal = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct GetFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print one value of a record, and nothing else.")

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.") var record: String
  @Argument(help: "A member path, such as contact_info.email.") var path: String?
  @Flag(help: "Of a database, its address instead of a member, with user and password in it.") var url = false
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions

  func run() { print("correct-horse-battery", terminator: "") }
}

struct SetFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change fields of a record and leave all others as they are.")

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.") var record: String
  @Argument(help: "New values of readable fields.") var pathValue: [String] = []
  @OptionGroup(title: "Sealed values") var sealed: SealedOptions
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct UnsetFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Remove fields of a record.")

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.") var record: String
  @Argument(help: "Member paths, such as contact_info.email.") var paths: [String]
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct EditFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a record, or one field, in an editor.")

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.") var record: String
  @Option(help: "Only this field, as plain text.") var field: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct ListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the records.",
    aliases: ["ls"])

  @Option(help: "Only records of this kind.") var kind: String?
  @Option(help: "Sort by name, or by created or updated with the newest first.") var sort = "name"
  @Option(help: "Show at most this many records.") var limit: Int?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct FindFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find records by their readable fields.",
    aliases: ["search"])

  @Argument(help: "Texts that must all occur in the record.") var text: [String] = []
  @Option(help: "Only records of this kind.") var kind: String?
  @Option(name: .customLong("where"), help: "A readable field that is this value, or a list with it.")
  var conditions: [String] = []
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct RemoveFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Move records to the trash of the vault.",
    aliases: ["rm", "delete"])

  @Argument(help: "Ids, beginnings of ids, or names in upper or lower case.") var record: [String]
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct TrashFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash", abstract: "List, restore or delete removed records.",
    subcommands: [TrashListFloor.self, TrashRestoreFloor.self, TrashEmptyFloor.self])
}

struct TrashListFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List removed records, the latest first.",
    aliases: ["ls"])

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct TrashRestoreFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put removed records back, all or none.")

  @Argument(help: "Removed records by id, exact name or beginning of an id.") var record: [String]
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}

struct TrashEmptyFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "empty", abstract: "Delete removed records for good.")

  @Argument(help: "Removed records by id, exact name or beginning of an id.") var record: [String] = []
  @Option(help: "Only records removed longer ago: 30d, 12h, 90m, 2w.") var olderThan: String?
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions
}
