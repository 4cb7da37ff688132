package import VaultCLI

extension Pack {
  /// The ways to unlock, what they have read, and which vault is expected.
  package static let keys = Pack(
    commands: [KeyCommand.self, RekeyCommand.self, DueCommand.self, PinCommand.self])
}
