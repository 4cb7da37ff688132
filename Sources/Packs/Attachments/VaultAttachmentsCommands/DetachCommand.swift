import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

struct DetachCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "detach",
    abstract: "Delete attachments of a record for good.",
    discussion: """
      Example:
        vault detach "Shai Mishali" scan.tiff --yes

      Attachments do not go to the trash. The command asks first at a terminal; without a terminal it needs --yes.
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("The names of attachments, or their ids.", valueName: "name"))
  var name: [String]

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    var attachments: [Attachment] = []
    for word in name {
      let attachment = try found.attachments.named(word, of: record)
      if !attachments.contains(attachment) { attachments.append(attachment) }
    }
    let names = attachments.map { "\"\($0.name)\"" }.joined(separator: ", ")
    try global.confirm("Delete \(names) of \"\(found.name)\" for good?")
    try await opened.detach(attachments.map(\.id), from: found.id)
    let words = counted(attachments.count, "attachment") + " deleted"
    guard global.json else { return global.messages.note(words) }
    try Output.afterwards(words) {
      try Output.document(["detached": attachments.map(\.id), "id": found.id])
    }
  }
}
