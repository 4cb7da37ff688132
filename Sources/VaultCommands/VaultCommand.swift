import ArgumentParser

/// The command `vault`.
struct VaultCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
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
    subcommands: [
      InitCommand.self, AddCommand.self, ShowCommand.self, GetCommand.self, SetCommand.self, UnsetCommand.self,
      EditCommand.self, ListCommand.self, FindCommand.self, RemoveCommand.self, TrashCommand.self,
      ExportCommand.self, ImportCommand.self, KindsCommand.self, MigrateCommand.self, VerifyCommand.self,
      CheckpointCommand.self, LintCommand.self, AcceptCommand.self, RepairCommand.self, SlotCommand.self,
      RotateCommand.self, DueCommand.self, StatusCommand.self, DoctorCommand.self, FingerprintCommand.self,
      PinCommand.self, GenerateCommand.self, BackupCommand.self, UnlockCommand.self, LockCommand.self,
      AgentCommand.self,
    ])
}

/// The version of this program.
enum Version {
  static let current = "0.1.0"
}
