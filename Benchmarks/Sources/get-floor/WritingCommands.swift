import ArgumentParser

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Make a new vault.")

  @Argument(help: "The folder to make.") var directory: String?
  @Flag(help: "Add a passphrase.") var passphrase = false
  @Option(help: "Make an identity and write it to this file.") var generateIdentity: String?
  @Option(name: .customLong("recipient"), help: "An age recipient; repeatable.") var recipients: [String] = []
  @Option(help: "A label for the slot.") var label: String?
  @Option(help: "The cost of the passphrase.") var workFactor = 18
  @Option(help: "Read the new passphrase from a file.") var newPassphraseFile: String?
  @Option(help: "Read the new passphrase from an open file descriptor.") var newPassphraseFd: Int?
  @Option(help: "Read the new passphrase from a command's output.") var newPassphraseCommand: String?
  @OptionGroup var common: CommonOptions
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Add a record.", aliases: ["create", "insert"])

  @Argument(help: "The kind of the record.") var kind: String
  @Option(help: "Read the record from a file, or - for standard input.") var from: String?
  @Option(name: .customLong("set"), help: "A readable value.") var values: [String] = []
  @OptionGroup var secrets: ValueOptions
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Set: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Change fields of a record.")

  @Argument(help: "The record.") var record: String
  @Argument(help: "PATH=VALUE.") var values: [String] = []
  @OptionGroup var secrets: ValueOptions
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Unset: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Remove fields of a record.")

  @Argument(help: "The record.") var record: String
  @Argument(help: "Member paths.") var paths: [String]
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Change a record in an editor.")

  @Argument(help: "The record.") var record: String
  @Option(help: "Only this field.") var field: String?
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Move records to the trash.", aliases: ["rm", "delete"])

  @Argument(help: "The records.") var records: [String]
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Store records from a file.")

  @Argument(help: "json or jsonl.") var format: String
  @Argument(help: "A file, or - for standard input.") var file: String
  @Option(help: "The kind of the records.") var kind: String?
  @Flag(help: "Say what would be done.") var dryRun = false
  @Flag(help: "Store nothing when anything is refused.") var strict = false
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}
