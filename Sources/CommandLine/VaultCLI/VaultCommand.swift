import ArgumentParser

/// The command `vault`.
struct VaultCommand: AsyncParsableCommand {
  /// While arguments are parsed it is that of a part of a larger command.
  ///
  /// In any other the parser looks through them for a completion script of its own, which is a sixth of what a `get`
  /// costs (decision 81). Help is written afterwards, and would name the larger one.
  static var configuration: CommandConfiguration { isParsing ? asPart : whole }

  @TaskLocal private static var isParsing = false

  /// Parses the arguments of the process.
  ///
  /// - Throws: what the parser says.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    try $isParsing.withValue(true) { try parseAsRoot(arguments) }
  }

  private static let asPart: CommandConfiguration = {
    var configuration = whole
    configuration._superCommandName = ""
    return configuration
  }()

  private static let commands = CommandGroups.ofPacks()

  private static let whole = CommandConfiguration(
    commandName: "vault",
    abstract: "An encrypted vault for credentials: a folder of JSON files whose secrets are sealed.",
    discussion: """
      The vault is --vault DIR, else CVAULT_DIR, else the nearest folder upwards with a vault.json, else \
      $XDG_DATA_HOME/cvault. It opens with an age identity or a passphrase.

      Example:
        vault init my-vault --generate-identity identity.txt
        export CVAULT_DIR=my-vault CVAULT_IDENTITY_FILE=identity.txt
        vault import json customers.json --kind customer
        vault get "Shai Mishali" access_key
      """,
    version: Version.current,
    subcommands: commands.hidden, groupedSubcommands: commands.groups)
}
