package import VaultCLI

extension Pack {
  /// Whether all is well with a vault, and what to do where it is not.
  package static let care = Pack(
    commands: [
      CheckCommand.self, AuditCommand.self, StatusCommand.self, DoctorCommand.self, VerifyCommand.self,
      LintCommand.self, RepairCommand.self, CheckpointCommand.self, AcceptCommand.self,
    ])
}
