package import VaultCLI

extension Pack {
  package static let exchange = Pack(
    commands: [ImportCommand.self, ExportCommand.self])
}
