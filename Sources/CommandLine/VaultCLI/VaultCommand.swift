package import ArgumentParser

/// The command `vault`.
package struct VaultCommand: AsyncParsableCommand {
  /// The configuration of a subcommand while arguments are parsed, and that of a whole command when help is written.
  ///
  /// For a whole command the parser looks whether the arguments ask for a completion script of its own. That takes a
  /// sixth of the time of a `get` (decision 81). The help of a subcommand would name the larger command.
  package static var configuration: CommandConfiguration { isParsing ? asPart : whole }

  package init() {}

  @TaskLocal private static var isParsing = false

  /// Parses the arguments of the process.
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
