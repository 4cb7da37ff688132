package import VaultCLI

extension Pack {
  /// A process that holds the key for a while.
  package static let agent = Pack(
    commands: ["unlock": { UnlockCommand.self }, "lock": { LockCommand.self }, "agent": { AgentCommand.self }]
  ) {
    $0.keyHolder = .agent
  }
}
