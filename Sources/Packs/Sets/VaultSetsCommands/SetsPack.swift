package import VaultCLI

extension Pack {
  package static let sets = Pack(
    commands: [MoveCommand.self, VaultsCommand.self])
}
