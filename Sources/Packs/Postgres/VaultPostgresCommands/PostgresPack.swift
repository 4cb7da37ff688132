package import VaultCLI

extension Pack {
  /// Vaults in a database.
  package static let postgres = Pack(
    commands: ["store": { StoreCommand.self }])
}
