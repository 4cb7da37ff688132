package import VaultCLI

extension Pack {
  package static let exchange = Pack(
    commands: ["import": { ImportCommand.self }, "export": { ExportCommand.self }])
}
