package import VaultCLI

extension Pack {
  /// Kinds that a vault declares, and records that follow them.
  package static let kinds = Pack(
    commands: ["kinds": { KindsCommand.self }, "migrate": { MigrateCommand.self }])
}
