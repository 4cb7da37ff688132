package import ArgumentParser

package struct VaultCommand: AsyncParsableCommand {
  /// The configuration of a subcommand while arguments are parsed, and of a whole command when help is written.
  ///
  /// For a whole command the parser also looks for requests of its own completion script, which takes a sixth of the
  /// time of a `get` (decision 81). The help of a subcommand would name the parent command.
  package static var configuration: CommandConfiguration { part ?? whole }

  package init() {}

  @TaskLocal private static var part: CommandConfiguration?

  /// Parses the arguments of the process.
  ///
  /// The parser asks every command that it knows for its configuration. So it first knows only the command that the
  /// first word names. If it refuses or answers the arguments, as with `--help`, it gets them again with all commands.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if let word = arguments.first, let command = CommandGroups.command(named: word),
      let parsed = try? parsed(arguments, CommandConfiguration(version: Version.current, subcommands: [command]))
    {
      return parsed
    }
    return try parsed(arguments, whole)
  }

  private static func parsed(
    _ arguments: [String], _ configuration: CommandConfiguration
  ) throws -> any ParsableCommand {
    var configuration = configuration
    configuration._superCommandName = ""
    return try $part.withValue(configuration) { try parseAsRoot(arguments) }
  }

  private static let commands = CommandGroups.ofPacks()

  private static let whole = CommandConfiguration(
    commandName: "vault",
    abstract: "An encrypted vault for credentials: a folder of JSON files whose secrets are sealed.",
    discussion: """
      The vault is the folder of --vault DIR or CVAULT_DIR. Without these, it is the nearest folder upwards with a \
      vault.json, then $XDG_DATA_HOME/cvault. An age identity or a passphrase opens the vault.

      Example:
        vault init my-vault --generate-identity identity.txt
        export CVAULT_DIR=my-vault CVAULT_IDENTITY_FILE=identity.txt
        vault import json customers.json --kind customer
        vault get "Shai Mishali" access_key
      """,
    version: Version.current,
    subcommands: commands.hidden, groupedSubcommands: commands.groups)
}
