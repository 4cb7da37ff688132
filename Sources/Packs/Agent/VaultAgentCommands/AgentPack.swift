package import VaultCLI

extension Pack {
  /// A process that holds the key for a while.
  package static let agent = Pack(
    commands: [UnlockCommand.self, LockCommand.self, AgentCommand.self]) { $0.keyHolder = .agent }
}
