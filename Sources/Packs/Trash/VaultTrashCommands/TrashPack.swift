package import VaultCLI

extension Pack {
  /// Removed records: shown, brought back and deleted. Earlier versions come back, too.
  package static let trash = Pack(
    commands: ["restore": { TrashCommand.Restore.self }, "trash": { TrashCommand.self }])
}
