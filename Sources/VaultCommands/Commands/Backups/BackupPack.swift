extension Pack {
  /// Backups, and what is in them.
  static let backup = Pack(
    commands: [BackupCommand.self],
    stateFiles: { unlocking, passphraseFile, global in
      BackupStates(unlocking, passphraseFile: passphraseFile, global)
    })
}
