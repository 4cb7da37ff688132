package import VaultCLI

extension Pack {
  package static let sets = Pack(
    commands: ["move": { MoveCommand.self }, "vaults": { VaultsCommand.self }])
}
