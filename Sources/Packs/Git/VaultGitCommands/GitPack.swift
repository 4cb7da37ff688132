package import VaultCLI

extension Pack {
  package static let git = Pack(
    commands: [
      "git": { GitCommand.self }, "diff": { DiffCommand.self }, "log": { LogCommand.self },
      "merge": { MergeCommand.self },
    ]
  ) {
    $0.history = GitHistoryKeeper()
  }
}
