package import VaultCLI

extension Pack {
  package static let backup = Pack(
    commands: [BackupCommand.self],
    stateFiles: { unlocking, passphraseFile, global in
      BackupStates(unlocking, passphraseFile: passphraseFile, global)
    })
}
