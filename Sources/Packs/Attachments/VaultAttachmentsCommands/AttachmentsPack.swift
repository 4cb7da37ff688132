package import VaultCLI

extension Pack {
  /// Files that are attached to records.
  package static let attachments = Pack(
    commands: [AttachCommand.self, AttachmentsCommand.self, DetachCommand.self])
}
