import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

struct AttachmentsCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "attachments",
    abstract: "List the attachments of a record.",
    discussion: """
      Example:
        vault attachments "Shai Mishali"

      The command needs no key. If an option or a variable gives a key, the record is verified first. `vault get \
      RECORD --attachment NAME -o FILE` writes an attachment to a file.
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    let view: RecordView
    if let opened = try await session.unlockWithoutAsking(unlocking) {
      view = try RecordView(try await session.record(record, in: opened))
    } else {
      view = RecordView(try session.locked.record(await session.resolve(record)))
    }
    let attachments = view.attachments
    guard !global.json else {
      return try Output.document(["attachments": attachments, "id": view.id, "verified": view.isVerified])
    }
    if attachments.isEmpty { global.messages.note("the record has no attachments") }
    try Output.lines(
      attachments.map { "\($0.id.text)  \(ByteSize.text($0.byteCount))  \(Printable.text($0.name))" })
    if !view.isVerified { global.messages.note(Messages.unverifiedNote) }
  }
}
