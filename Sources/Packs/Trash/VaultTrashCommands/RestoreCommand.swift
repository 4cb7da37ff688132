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
      abstract: "Restore removed records, earlier versions and former values.",
      discussion: """
        A removed record never replaces a newer one with the same id. RECORD@REV is an earlier version of one \
        record, as with `vault show`: it becomes the next revision of that record. Fields that the version does not \
        have are removed. If fields are named after RECORD@REV, only they change.

        With --former the words are a record and a field, which gets the value back that it had before. The value that \
        is replaced becomes a former one in turn.

        If one of several removed records cannot be restored, none of them is restored. `vault trash restore` and \
        `vault restore` are the same command. `vault backup restore` restores a backup.

        Example:
          vault restore "Shai Mishali"
          vault restore GitHub password --former
          vault restore "Shai Mishali@3" address --dry-run
        """)

    @Argument(
      help: "Removed records: ids, beginnings of ids, or names; or RECORD@REV and fields.")
    var record: [String]

    @OptionGroup var former: FormerOption

    @Flag(help: "Show which fields would change, and write nothing.")
    var dryRun = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      try former.check()
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
      if former.number != nil { return try await restoreFormer(session, opened) }
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

    private func restoreFormer(_ session: Session, _ opened: Vault) async throws {
      guard let word = record.first, record.count <= 2 else {
        throw CommandError.usage(
          "--former", "needs one record and one field", "write `vault restore RECORD FIELD --former`")
      }
      let found = try await session.record(word, in: opened)
      let path = try record.dropFirst().first.map { text in try MemberPath.argument(text, of: "FIELD") }
      let secret = try former.secret(of: found, at: path)
      let effect = dryRun ? nil : try await opened.restoreFormer(secret, of: found.id)
      guard !global.json else {
        return try Output.document([
          "changed": effect?.hasChanged ?? false, "path": secret.path.description, "restored": [found.id],
          "sealed_at": secret.sealedAt,
        ])
      }
      let action = dryRun ? "would have its value of" : "has its value of"
      global.messages.note("\(found.shownName): \(secret.path) \(action) \(secret.sealedAt.text) again")
      if let effect { global.report(effect, of: found) }
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
    get {
      guard former.number == nil else { return Array(record.prefix(1)) }
      return record.first.map { Packs.history?.namesVersion($0) ?? false ? [$0] : record } ?? []
    }
    set { record = newValue + record.dropFirst(newValue.count) }
  }
}
