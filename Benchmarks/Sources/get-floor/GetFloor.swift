import ArgumentParser

/// The subcommands and options of `vault`, and nothing behind them: `get` prints a constant.
///
/// When `vault` gains a command or an option, it is added here, or the comparison flatters the vault.
@main
struct GetFloor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "An encrypted vault for credentials.",
    version: "0.1.0",
    subcommands: [
      Init.self, Add.self, Show.self, Get.self, Set.self, Unset.self, Edit.self, List.self, Find.self, Remove.self,
      Export.self, Import.self, Kinds.self, Status.self, Fingerprint.self, Generate.self,
    ])
}

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print one value of a record.", discussion: "Example: vault get 'Shai Mishali' access_key")

  @Argument(help: "A full id, an exact name, or the beginning of an id.") var record: String
  @Argument(help: "A member path, such as contact_info.email.") var path: String
  @OptionGroup var unlocking: UnlockingOptions
  @OptionGroup var common: CommonOptions

  func run() { print("correct-horse-battery", terminator: "") }
}
