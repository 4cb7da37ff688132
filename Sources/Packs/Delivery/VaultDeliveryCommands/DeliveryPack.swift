package import VaultCLI

extension Pack {
  /// Values for programs.
  package static let delivery = Pack(
    commands: [
      "run": { RunCommand.self }, "inject": { InjectCommand.self }, "ref": { RefCommand.self },
      "refs": { RefsCommand.self }, "scan": { ScanCommand.self }, "uses": { UsesCommand.self },
      "credential": { CredentialCommand.self }, "ssh": { SSHCommand.self },
    ],
    answers: Askpass.answers)
}
