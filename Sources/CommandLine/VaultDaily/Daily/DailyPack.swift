package import VaultCLI

extension Pack {
  /// The commands of every day, and the one that makes a vault.
  package static let daily = Pack(
    commands: [
      GetCommand.self, ShowCommand.self, FindCommand.self, ListCommand.self, AddCommand.self, SetCommand.self,
      EditCommand.self, GenerateCommand.self, RemoveCommand.self, TrashCommand.Restore.self, TrashCommand.self,
      FingerprintCommand.self, InitCommand.self, UnsetCommand.self,
    ])
}
