import VaultTerminal

/// The sections of a manual page that are the same for every command: variables, files and exit codes.
enum ManualFacts {
  static let sections: [(title: String, item: String, entries: [(name: String, text: String)])] = [
    ("ENVIRONMENT", "Ev", variables), ("FILES", "Pa", files), ("EXIT STATUS", "Li", codes),
  ]

  private static let variables = [
    ("CVAULT_DIR", "The vault: a folder, or the address of a database."),
    ("CVAULT_IDENTITY_FILE", "The identity that opens the vault."),
    ("CVAULT_IDENTITY_COMMAND", "A command that prints an identity file."),
    ("CVAULT_PASSPHRASE_FILE", "A file with the passphrase."),
    ("CVAULT_PASSPHRASE_FD", "The number of a descriptor with the passphrase."),
    ("CVAULT_PASSPHRASE_COMMAND", "A command that prints the passphrase."),
    ("CVAULT_DATABASE_PASSWORD_COMMAND", "A command that prints the password of the database."),
    ("CVAULT_FINGERPRINT", "The fingerprint of the only vault that is accepted."),
    ("CVAULT_VAULTS", "The file of a set of vaults."),
    ("CVAULT_STATE_DIR", "The folder in which this machine remembers the vaults."),
    ("CVAULT_GIT", "Whether commands commit what they write: commit or off."),
    ("CVAULT_CLIPBOARD", "The way to the clipboard: wayland, x11, macos or osc52."),
    ("CVAULT_EDITOR", "The editor, before VISUAL and EDITOR."),
    ("CVAULT_PAGER", "The pager, before PAGER."),
    ("CVAULT_PLUGIN_TIMEOUT", "How many seconds an age plugin may be silent, 1 to 3600."),
    ("CVAULT_NO_AGENT", "If set, no agent is asked."),
    ("CVAULT_NO_INDEX", "If set, no index is kept."),
    ("CVAULT_NO_REVEAL", "If set, no sealed value is shown."),
    ("CVAULT_ALLOW_REVEAL", "If 1, values are shown as to a person, also beside a coding agent."),
    ("CVAULT_NO_USES", "If set, no log of the values that programs received is kept."),
    ("NO_COLOR", "If set, the output has no color."),
  ]

  private static let files = [
    ("vault.json", "The header of a vault, beside the folders records, trash, slots and attachments."),
    ("vaults.json", "A set of vaults."),
    ("$XDG_DATA_HOME/cvault", "The vault, unless an option, a variable or a folder above says otherwise."),
    ("$XDG_CONFIG_HOME/cvault/identity.txt", "The identity, unless an option or a variable names another."),
    ("$XDG_STATE_HOME/cvault", "The memory of this machine: fingerprints and versions that it has seen."),
    ("$XDG_CACHE_HOME/cvault", "The index of readable fields. It can be deleted at any time."),
  ]

  private static let codes: [(String, String)] = [
    (ExitStatus.done, "Done, or nothing to do."),
    (.failed, "Another error."),
    (.declined, "Not confirmed, or nobody could be asked."),
    (.partlyDone, "Done in part. The report names the rest."),
    (.alreadyExists, "It exists already. Nothing was overwritten."),
    (.noVault, "There is no vault."),
    (.notFound, "Not found, or not unique."),
    (.cannotUnlock, "It cannot be unlocked: no key, no slot for it, or a wrong passphrase."),
    (.locked, "Another process is writing."),
    (.damaged, "Damaged or tampered with, or written by a newer version."),
    (.findings, "A check found something that needs action."),
    (.changedUnderneath, "Somebody else changed it meanwhile."),
    (.unexpectedVault, "Not the vault that this machine knows, or an older state of it."),
    (.inputRefused, "Input was refused."),
    (.inputOutput, "Input or output failed. The old state is intact."),
    (.mayBeLost, "Stored in the database, but perhaps lost if the server is lost."),
    (.outcomeUnknown, "The connection to the database was lost: look before you repeat the command."),
    (.afterFailed, "The backup is good, and the command after it failed."),
    (.usage, "The command line is wrong."),
  ].map { (String($0.rawValue), $1) }
}
