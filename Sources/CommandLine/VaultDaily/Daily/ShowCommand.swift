import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

struct ShowCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a record with its sealed fields masked.",
    discussion: """
      The command needs no key while the fields are masked. With a key from an option or a variable, the record is \
      verified first. RECORD@REV is an earlier version, which is always verified. REV is the number of a revision, a \
      date, `trash`, or a commit of git.

      Example:
        vault show "Shai Mishali" --reveal --identity identity.txt
      """,
    aliases: ["cat"])

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Flag(help: "Show the sealed values.")
  var reveal = false

  @OptionGroup var revision: RevisionOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let permission = reveal ? try global.revealing("--reveal", of: RevealedPlace(record: record)) : nil
    let session = try Session(vault, at: revision, global)
    let view = try await view(session, permission)
    guard global.json else {
      try Output.lines(Output.isTerminal ? view.screen(global.style) : view.lines(global.style))
      if !view.isVerified { global.messages.note(Messages.unverifiedNote) }
      return
    }
    try Output.document([
      "attachments": view.attachments, "created_at": view.envelope.createdAt, "former": view.formerDocument,
      "id": view.id, "kind": view.envelope.kind, "name": view.name, "record": try view.markedFields(),
      "revision": view.envelope.revision, "updated_at": view.envelope.updatedAt, "verified": view.isVerified,
    ])
  }

  /// The record is verified if a key is used, or if the word names an earlier version.
  private func view(_ session: Session, _ permission: Revealing?) async throws -> RecordView {
    if let found = try await session.version(record, options: vault, unlocking: unlocking, unless: revision) {
      return try RecordView(found.record, revealed: permission)
    }
    let opened =
      permission != nil
      ? try await session.unlock(unlocking, for: [record]) : try await session.unlockWithoutAsking(unlocking)
    guard let opened else { return RecordView(try session.locked.record(await session.resolve(record))) }
    return try RecordView(try await session.record(record, in: opened), revealed: permission)
  }
}
