package import VaultCLI

extension Pack {
  /// Records from and for other tools.
  package static let exchange = Pack(
    commands: [ImportCommand.self, ExportCommand.self])
}
