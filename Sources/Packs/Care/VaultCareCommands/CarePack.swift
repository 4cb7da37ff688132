package import VaultCLI

extension Pack {
  /// The commands that say whether a vault is sound, and mend one that is not.
  package static let care = Pack(
    commands: [
      CheckCommand.self, AuditCommand.self, StatusCommand.self, DoctorCommand.self, VerifyCommand.self,
      LintCommand.self, RepairCommand.self, CheckpointCommand.self, AcceptCommand.self,
    ])
}
