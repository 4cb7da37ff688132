package import VaultCLI
import VaultTerminal

extension Pack {
  package static let delivery = Pack(
    commands: [
      RunCommand.self, InjectCommand.self, RefCommand.self, RefsCommand.self, ScanCommand.self, UsesCommand.self,
      CredentialCommand.self, SSHCommand.self,
    ]
  ) {
    $0.answers = Askpass.answers
    $0.takesBack = { vault, messages in
      DeliveryFolder.sweep()
      let keys = try GivenKeys.takeBack { $0.vault == vault ?? $0.vault }
      if !keys.isEmpty { messages.note("\(GivenKeys.count(keys)) taken out of the ssh-agent") }
    }
  }
}
