package import VaultCLI

extension Pack {
  /// The commands for every day, and those that make a vault and manage its keys.
  package static let daily = Pack(
    commands: [
      GetCommand.self, ShowCommand.self, CopyCommand.self, OtpCommand.self, FindCommand.self, ListCommand.self,
      AddCommand.self, SetCommand.self, EditCommand.self, GenerateCommand.self, RemoveCommand.self,
      TrashCommand.Restore.self, TrashCommand.self, AttachCommand.self, AttachmentsCommand.self, DetachCommand.self,
      KeyCommand.self, RekeyCommand.self, DueCommand.self, FingerprintCommand.self, PinCommand.self,
      InitCommand.self, KindsCommand.self, UnsetCommand.self, MigrateCommand.self, CompletionCommand.self,
      ClearClipboardCommand.self,
    ]
  ) {
    $0.choice = { arguments in
      guard let picker = Picker(arguments) else { return nil }
      return try await picker.choice()
    }
  }
}
