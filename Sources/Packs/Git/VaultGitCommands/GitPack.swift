package import VaultCLI

extension Pack {
  package static let git = Pack(
    commands: [GitCommand.self, DiffCommand.self, LogCommand.self, MergeCommand.self])
}
