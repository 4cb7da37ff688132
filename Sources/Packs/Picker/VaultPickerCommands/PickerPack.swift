package import VaultCLI

extension Pack {
  /// A record picked on a screen, for a person who typed no command.
  package static let picker = Pack(commands: [:]) {
    $0.choice = { arguments in
      guard let picker = Picker(arguments) else { return nil }
      return try await picker.choice()
    }
  }
}
