package import VaultCLI
import VaultTerminal

extension Pack {
  /// Values for programs.
  package static let delivery = Pack(
    commands: [
      RunCommand.self, InjectCommand.self, RefCommand.self, RefsCommand.self, ScanCommand.self, UsesCommand.self,
      CredentialCommand.self, SSHCommand.self,
    ]
  ) {
    $0.answers = { _ in try Askpass.answers() }
    $0.programs = { session in
      let uses = (try? DeliveryLog.uses(of: session, since: nil)) ?? []
      return { DeliveryUses.programs(of: $0, $1, in: uses) }
    }
    $0.takesBack = { vault, messages in
      DeliveryFolder.sweep()
      let keys = try GivenKeys.takeBack { $0.vault == vault ?? $0.vault }
      if !keys.isEmpty { messages.note("\(GivenKeys.count(keys)) taken out of the ssh-agent") }
    }
  }
}
