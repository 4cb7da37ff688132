package import VaultCLI

extension Pack {
  /// The ways to unlock, what they have read, and which vault is expected.
  package static let keys = Pack(
    commands: [
      "key": { KeyCommand.self }, "rekey": { RekeyCommand.self }, "due": { DueCommand.self },
      "pin": { PinCommand.self },
    ])
}
