package import VaultCLI

extension Pack {
  /// The ways to unlock a vault, the secrets that their holders could read, and the vault that this machine expects.
  package static let keys = Pack(
    commands: [
      "key": { KeyCommand.self }, "rekey": { RekeyCommand.self }, "due": { DueCommand.self },
      "pin": { PinCommand.self }, "fingerprint": { FingerprintCommand.self },
    ])
}
