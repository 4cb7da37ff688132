package import VaultCLI

extension Pack {
  package static let care = Pack(
    commands: [
      CheckCommand.self, AuditCommand.self, StatusCommand.self, DoctorCommand.self, VerifyCommand.self,
      LintCommand.self, RepairCommand.self, CheckpointCommand.self, AcceptCommand.self,
    ])
}
