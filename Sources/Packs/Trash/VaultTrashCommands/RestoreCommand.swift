import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

extension TrashCommand {
  struct Restore: AsyncParsableCommand, PlaceCompleting {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore removed records, or an earlier version of a record.",
      discussion: """
        A removed record never replaces a newer one with the same id. RECORD@REV is an earlier version of one \
        record, as with `vault show`: it becomes the next revision of that record. Fields that the version does not \
        have are removed. If fields are named after RECORD@REV, only they change.

        If one of several removed records cannot be restored, none of them is restored. `vault trash restore` and \
        `vault restore` are the same command. `vault backup restore` restores a backup.

        Example:
          vault restore "Shai Mishali"
          vault restore "Shai Mishali@3" address --dry-run
        """)

    @Argument(
      help: "Removed records: ids, beginnings of ids, or names; or RECORD@REV and fields.")
    var record: [String]

    @Flag(help: "Show which fields would change, and write nothing.")
    var dryRun = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
      if try await restoreVersion(session, opened) { return }
      let ids = try session.resolveTrashed(record, takingParts: true)
      guard !dryRun else { return try show(ids, session) }
      try await opened.restore(ids)
      let action = counted(ids.count, "record") + " restored"
      guard global.json else { return global.messages.note(action) }
      try Output.afterwards(action) { try Output.document(["restored": ids]) }
    }

    /// Restores a version of a record; false for removed records.
    private func restoreVersion(_ session: Session, _ opened: Vault) async throws -> Bool {
      guard let history = Packs.history, let word = record.first,
        (try? session.locked.resolveTrashed(word)) == nil
      else { return false }
      return try await history.restoreVersion(
        record, in: session, options: vault, unlocking: unlocking, opened: opened, isDryRun: dryRun)
    }

    private func show(_ ids: [RecordID], _ session: Session) throws {
      guard !global.json else { return try Output.document(["restored": ids]) }
      try Output.lines(session.locked.summaries(of: Set(ids)).map { Printable.text("\($0.id.text)  \($0.name)") })
    }
  }
}

extension TrashCommand.Restore: RecordNaming {
  /// The words that name records. After a version, the other words are its fields.
  var recordWords: [String] {
    get { record.first.map { Packs.history?.namesVersion($0) ?? false ? [$0] : record } ?? [] }
    set { record = newValue + record.dropFirst(newValue.count) }
  }
}
