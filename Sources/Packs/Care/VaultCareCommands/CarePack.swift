package import VaultCLI

extension Pack {
  /// The commands that say whether a vault is sound, and mend one that is not.
  package static let care = Pack(
    commands: [
      "check": { CheckCommand.self }, "audit": { AuditCommand.self }, "status": { StatusCommand.self },
      "doctor": { DoctorCommand.self }, "verify": { VerifyCommand.self }, "lint": { LintCommand.self },
      "repair": { RepairCommand.self }, "checkpoint": { CheckpointCommand.self }, "accept": { AcceptCommand.self },
    ])
}
