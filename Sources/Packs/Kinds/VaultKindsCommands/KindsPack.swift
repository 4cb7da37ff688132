package import VaultCLI

extension Pack {
  /// Kinds that a vault declares, and records that follow them.
  package static let kinds = Pack(commands: [KindsCommand.self, MigrateCommand.self])
}
