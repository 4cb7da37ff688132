import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

extension GetCommand {
  /// Writes an attachment to a file, atomically, or to standard output. The whole attachment is verified first.
  func writeAttachment(_ word: String, by permission: Revealing) async throws {
    guard path == nil, !url, !qr else {
      throw CommandError.usage("--attachment", "cannot be combined with a field, --url or --qr")
    }
    guard output != nil || !Output.isTerminal else {
      throw CommandError.usage(
        "--attachment", "cannot be shown on a terminal", "write the attachment to a file with --output FILE")
    }
    guard !global.json || output != nil && output != "-" else {
      throw CommandError.usage("--json", "needs --output FILE")
    }
    let target = ExportTarget(output: output, recipients: [])
    let session = try Session(vault, global)
    try session.location.checkOutside(target.file)
    try target.checkGit(global)
    try target.checkReplacing(global)
    let opened = try await session.unlock(unlocking, for: [record])
    let found = try await session.record(record, in: opened)
    let attachment = try found.attachments.named(word, of: record)
    guard let file = target.file else {
      return try await opened.read(attachment, of: found, checkingFirst: true) { piece in
        try Output.writeWhole(piece, by: permission)
      }
    }
    let whole = AttachmentOutput(try OutputFile.replacing(file), by: permission)
    try await opened.read(attachment, of: found) { try whole.write($0) }
    try whole.commit()
    guard global.json else { return }
    try Output.document(["attachment": attachment, "file": file, "id": found.id])
  }
}

/// A file that other threads write to.
private final class AttachmentOutput: Sendable {
  private let file: OutputFile

  init(_ file: consuming OutputFile, by _: Revealing) { self.file = file }

  func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

  func commit() throws { try file.commit() }
}
