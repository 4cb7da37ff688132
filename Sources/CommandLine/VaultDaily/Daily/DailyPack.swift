package import VaultCLI

extension Pack {
  /// The commands for every day, and the one that makes a vault.
  package static let daily = Pack(
    commands: [
      "get": { GetCommand.self }, "show": { ShowCommand.self }, "find": { FindCommand.self },
      "list": { ListCommand.self }, "add": { AddCommand.self }, "set": { SetCommand.self },
      "generate": { GenerateCommand.self }, "remove": { RemoveCommand.self },
      "init": { InitCommand.self }, "unset": { UnsetCommand.self },
    ])
}
