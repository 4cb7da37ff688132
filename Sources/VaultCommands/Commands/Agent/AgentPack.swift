extension Pack {
  /// A process that holds the key for a while.
  static let agent = Pack(
    commands: [UnlockCommand.self, LockCommand.self, AgentCommand.self])
}
