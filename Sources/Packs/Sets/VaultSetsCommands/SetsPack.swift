package import VaultCLI

extension Pack {
  /// Several vaults under names.
  package static let sets = Pack(
    commands: ["move": { MoveCommand.self }, "vaults": { VaultsCommand.self }])
}
