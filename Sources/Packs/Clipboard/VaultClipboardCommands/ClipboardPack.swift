package import VaultCLI

extension Pack {
  /// Secrets for other programs by the clipboard, one-time codes, and codes for a camera.
  package static let clipboard = Pack(
    commands: [
      "copy": { CopyCommand.self }, "otp": { OtpCommand.self }, "clear-clipboard": { ClearClipboardCommand.self },
    ]) { $0.codes = QRCodes() }
}
