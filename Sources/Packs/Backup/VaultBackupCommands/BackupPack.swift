package import VaultCLI

extension Pack {
  /// Backups, and what is in them.
  package static let backup = Pack(commands: ["backup": { BackupCommand.self }]) {
    $0.stateFiles = { unlocking, passphraseFile, global in
      BackupStates(unlocking, passphraseFile: passphraseFile, global)
    }
    $0.backups = BackupPlaces()
  }
}
