package import VaultCLI

extension Pack {
  package static let delivery = Pack(
    commands: [
      RunCommand.self, InjectCommand.self, RefCommand.self, RefsCommand.self, ScanCommand.self, UsesCommand.self,
      CredentialCommand.self, SSHCommand.self,
    ],
    answers: Askpass.answers)
}
