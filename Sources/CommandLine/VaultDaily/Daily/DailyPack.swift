package import VaultCLI

extension Pack {
  /// The commands for every day, and those that make a vault and manage its keys.
  package static let daily = Pack(
    commands: [
      "get": { GetCommand.self }, "show": { ShowCommand.self }, "copy": { CopyCommand.self },
      "otp": { OtpCommand.self }, "find": { FindCommand.self }, "list": { ListCommand.self },
      "add": { AddCommand.self }, "set": { SetCommand.self }, "edit": { EditCommand.self },
      "generate": { GenerateCommand.self }, "remove": { RemoveCommand.self }, "restore": { TrashCommand.Restore.self },
      "trash": { TrashCommand.self }, "attach": { AttachCommand.self }, "attachments": { AttachmentsCommand.self },
      "detach": { DetachCommand.self }, "key": { KeyCommand.self }, "rekey": { RekeyCommand.self },
      "due": { DueCommand.self }, "fingerprint": { FingerprintCommand.self }, "pin": { PinCommand.self },
      "init": { InitCommand.self }, "kinds": { KindsCommand.self }, "unset": { UnsetCommand.self },
      "migrate": { MigrateCommand.self }, "completion": { CompletionCommand.self },
      "clear-clipboard": { ClearClipboardCommand.self },
    ]
  ) {
    $0.choice = { arguments in
      guard let picker = Picker(arguments) else { return nil }
      return try await picker.choice()
    }
  }
}
