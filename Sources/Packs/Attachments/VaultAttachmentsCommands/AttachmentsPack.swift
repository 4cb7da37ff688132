package import VaultCLI

extension Pack {
  /// Files that are attached to records.
  package static let attachments = Pack(
    commands: [
      "attach": { AttachCommand.self }, "attachments": { AttachmentsCommand.self }, "detach": { DetachCommand.self },
    ])
}
