package import VaultCLI

extension Pack {
  package static let postgres = Pack(
    commands: [StoreCommand.self])
}
