package import VaultCLI

extension Pack {
  /// Records from other tools, and for them.
  package static let exchange = Pack(
    commands: ["import": { ImportCommand.self }, "export": { ExportCommand.self }])
}
