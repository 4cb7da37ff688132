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
    subcommands: [ClearClipboardCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Every day",
        subcommands: [
          GetCommand.self, ShowCommand.self, CopyCommand.self, OtpCommand.self, FindCommand.self, ListCommand.self,
          AddCommand.self, SetCommand.self, EditCommand.self, GenerateCommand.self, RemoveCommand.self,
          MoveCommand.self,
          TrashCommand.Restore.self, TrashCommand.self, UnlockCommand.self, LockCommand.self,
        ]),
      CommandGroup(
        name: "Programs",
        subcommands: [
          RunCommand.self, InjectCommand.self, RefCommand.self, RefsCommand.self, ScanCommand.self, UsesCommand.self,
          CredentialCommand.self,
          SSHCommand.self,
        ]),
      CommandGroup(
        name: "In and out",
        subcommands: [
          ImportCommand.self, ExportCommand.self, AttachCommand.self, AttachmentsCommand.self, DetachCommand.self,
          BackupCommand.self,
        ]),
      CommandGroup(
        name: "People and keys",
        subcommands: [
          KeyCommand.self, RekeyCommand.self, DueCommand.self, VaultsCommand.self, FingerprintCommand.self,
          PinCommand.self,
        ]),
      CommandGroup(
        name: "Health",
        subcommands: [
          CheckCommand.self, AuditCommand.self, StatusCommand.self, DoctorCommand.self, VerifyCommand.self,
          LintCommand.self,
          RepairCommand.self,
        ]),
      CommandGroup(
        name: "Rare",
        subcommands: [
          InitCommand.self, KindsCommand.self, UnsetCommand.self, MigrateCommand.self, CheckpointCommand.self,
          AcceptCommand.self, AgentCommand.self, GitCommand.self, DiffCommand.self, LogCommand.self,
          MergeCommand.self, StoreCommand.self,
          CompletionCommand.self,
        ]),
    ])
}
