import ArgumentParser

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Show a record.", aliases: ["cat"])

  @Argument(help: "The record.") var record: String
  @Flag(help: "Open the sealed fields.") var reveal = false
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List records.", aliases: ["ls"])

  @Option(help: "Only this kind.") var kind: String?
  @Option(help: "name, created or updated.") var sort = "name"
  @Option(help: "At most so many.") var limit: Int?
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Find records by readable text.", aliases: ["search"])

  @Argument(help: "What to look for.") var text: [String] = []
  @Option(help: "Only this kind.") var kind: String?
  @Option(name: .customLong("where"), help: "PATH=VALUE.") var conditions: [String] = []
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Write records out.")

  @Option(help: "Only this kind.") var kind: String?
  @Option(help: "json or jsonl.") var format = "json"
  @Flag(help: "Open the sealed fields.") var reveal = false
  @Flag(help: "Keep the tokens.") var sealed = false
  @Option(name: .shortAndLong, help: "The file to write.") var output: String?
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Kinds: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The kinds of records.", subcommands: [ListKinds.self, ShowKind.self])
}

struct ListKinds: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the kinds.")

  @OptionGroup var common: CommonOptions
}

struct ShowKind: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the fields of a kind.")

  @Argument(help: "The kind.") var kind: String
  @Flag(help: "As JSON Schema.") var schema = false
  @OptionGroup var common: CommonOptions
}

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "What is used, and why.")

  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions
}

struct Fingerprint: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Print the vault's fingerprint.")

  @OptionGroup var common: CommonOptions
}

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Make a password or a passphrase.")

  @Option(help: "The number of characters.") var length = 24
  @Flag(help: "With symbols.") var symbols = false
  @Option(help: "A passphrase of so many words.") var words: Int?
  @OptionGroup var common: CommonOptions
}
