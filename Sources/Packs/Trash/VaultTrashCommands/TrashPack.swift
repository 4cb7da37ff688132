package import VaultCLI

extension Pack {
  /// Removed records: shown, brought back and deleted. Earlier versions and former values come back, too.
  package static let trash = Pack(
    commands: [
      "forget": { ForgetCommand.self }, "restore": { TrashCommand.Restore.self }, "trash": { TrashCommand.self },
    ])
}
