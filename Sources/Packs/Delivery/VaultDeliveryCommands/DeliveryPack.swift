package import VaultCLI
import VaultTerminal

extension Pack {
  package static let delivery = Pack(
    commands: [
      "run": { RunCommand.self }, "inject": { InjectCommand.self }, "ref": { RefCommand.self },
      "refs": { RefsCommand.self }, "scan": { ScanCommand.self }, "uses": { UsesCommand.self },
      "credential": { CredentialCommand.self }, "ssh": { SSHCommand.self },
    ]
  ) {
    $0.answers = { _ in try Askpass.answers() }
    $0.programs = { session in
      let uses = (try? DeliveryLog.uses(of: session, since: nil)) ?? []
      return { DeliveryUses.programs(of: $0, $1, in: uses) }
    }
    $0.takesBack = { vault, messages in
      DeliveryFolder.sweep()
      let keys = try GivenKeys.takeBack { vault == nil || $0.vault == vault }
      if !keys.isEmpty { messages.note("\(counted(keys.count, "key")) removed from the ssh-agent") }
    }
  }
}
