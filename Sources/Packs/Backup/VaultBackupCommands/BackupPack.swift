package import VaultCLI

extension Pack {
  /// Backups, and the states in them.
  package static let backup = Pack(
    commands: [BackupCommand.self],
    stateFiles: { unlocking, passphraseFile, global in
      BackupStates(unlocking, passphraseFile: passphraseFile, global)
    })
}
