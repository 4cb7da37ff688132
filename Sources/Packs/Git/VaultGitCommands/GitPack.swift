package import VaultCLI

extension Pack {
  /// Vaults in git: histories, differences, merges.
  package static let git = Pack(commands: [GitCommand.self, DiffCommand.self, LogCommand.self, MergeCommand.self]) {
    $0.history = GitHistoryKeeper()
  }
}
