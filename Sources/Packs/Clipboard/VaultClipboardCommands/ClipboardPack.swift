package import VaultCLI

extension Pack {
  /// Secrets for other programs by the clipboard, and one-time codes.
  package static let clipboard = Pack(
    commands: [
      "copy": { CopyCommand.self }, "otp": { OtpCommand.self }, "clear-clipboard": { ClearClipboardCommand.self },
    ])
}
