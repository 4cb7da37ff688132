package import VaultCLI

extension Pack {
  package static let care = Pack(
    commands: [
      "check": { CheckCommand.self }, "audit": { AuditCommand.self }, "status": { StatusCommand.self },
      "doctor": { DoctorCommand.self }, "verify": { VerifyCommand.self }, "lint": { LintCommand.self },
      "repair": { RepairCommand.self }, "checkpoint": { CheckpointCommand.self }, "accept": { AcceptCommand.self },
    ]) { $0.triesToGuess = GuessEstimate.triesIfWeak }
}
