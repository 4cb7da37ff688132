import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

extension TrashCommand {
  struct Restore: AsyncParsableCommand, PlaceCompleting {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Put removed records back, all or none, or an earlier version of one.",
      discussion: """
        A record that is there again, and newer, is never replaced by the removed one. RECORD@REV is a version of one \
        record, as with `vault show`: it becomes the next revision of what is there, or only the fields named behind it \
        do, and what it does not have is taken away. `vault trash restore` and `vault restore` are one command; a backup is \
        restored with `vault backup restore`.

        Example:
          vault restore "Shai Mishali"
          vault restore "Shai Mishali@3" address --dry-run
        """)

    @Argument(
      help: "Ids, exact names, or beginnings of ids, of removed records; or RECORD@REV and fields of that version.")
    var record: [String]

    @Flag(help: "Show which fields would change, and write nothing.")
    var dryRun = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
      if let found = try await version(session, opened) { return try await restore(found, opened) }
      let ids = try session.resolveTrashed(record, takingParts: true)
      guard !dryRun else { return try show(ids, session) }
      try await opened.restore(ids)
      let action = counted(ids.count, "record") + " restored"
      guard global.json else { return global.messages.note(action) }
      try Output.afterwards(action) { try Output.document(["restored": ids]) }
    }

    /// The version to restore; nil for removed records.
    private func version(_ session: Session, _ opened: Vault) async throws -> FoundVersion? {
      guard let word = record.first, (try? session.locked.resolveTrashed(word)) == nil else { return nil }
      return try await Packs.history?.version(
        word, in: session, options: vault, unlocking: unlocking, opened: opened)
    }

    private func show(_ ids: [RecordID], _ session: Session) throws {
      guard !global.json else { return try Output.document(["restored": ids]) }
      try Output.lines(session.locked.summaries(of: Set(ids)).map { Printable.text("\($0.id.text)  \($0.name)") })
    }

    private func restore(_ found: FoundVersion, _ opened: Vault) async throws {
      let paths = try record.dropFirst().map { text in try MemberPath.argument(text, of: "path") }
      let id = found.version.id
      let envelope = found.record.envelope
      try await CommandError.naming(found.record.kind) {
        try await CommandError.naming(membersOf: found.record) {
          let change = try opened.change(byRestoring: found.version, only: paths)
          for attachment in change.lostAttachments {
            global.messages.note(
              "\(Printable.text(attachment.name)) was attached then, and does not come back: a version brings fields alone"
            )
          }
          guard !dryRun else { return try show(change, id) }
          if let now = change.now, !change.isNothing {
            let this = "\(found.record.name): revision \(envelope.revision) of \(envelope.updatedAt.text)"
            let whole = paths.isEmpty ? "" : ", only \(paths.map(\.description).joined(separator: ", "))"
            try global.confirm(
              "\(this), from \(found.origin)\(whole). Bring it back in place of revision \(now.envelope.revision)?")
          }
          let hasChanged = try await opened.bringBack(found.version, only: paths, expecting: change)
          try report(hasChanged, id)
        }
      }
    }

    private func report(_ hasChanged: Bool, _ id: RecordID) throws {
      let action = hasChanged ? "1 record restored" : "nothing changed: it is so already"
      guard global.json else { return global.messages.note(action) }
      try Output.afterwards(action) {
        try Output.document(["restored": hasChanged ? [id] : []])
      }
    }

    /// Shows the changed fields without their values.
    private func show(_ change: VersionChange, _ id: RecordID) throws {
      let fields = FieldChange.all(from: change.now?.fields ?? JSONObject(), to: change.fields)
      guard global.json else {
        if fields.isEmpty { global.messages.note("nothing would change: it is so already") }
        return try Output.lines(
          fields.map { Printable.text("\($0.action) \($0.path)\($0.isSealed ? " (sealed)" : "")") })
      }
      try Output.document([
        "changes": fields.map { field in
          JSONValue.members(["action": field.action, "path": field.path, "sealed": field.isSealed])
        },
        "restored": fields.isEmpty ? [] : [id],
      ])
    }
  }
}

private struct FieldChange {
  let path: String
  /// `add`, `change` or `remove`.
  let action: String
  let isSealed: Bool

  static func all(from old: JSONObject, to new: JSONObject) -> [FieldChange] {
    let (old, new) = (JSONValue.object(old), JSONValue.object(new))
    var changes: [FieldChange] = []
    for path in new.valuePaths(at: .root) {
      let (before, after) = (value(path, old), value(path, new))
      if before == after { continue }
      changes.append(FieldChange(path: path, action: before == nil ? "add" : "change", isSealed: isSealed(after)))
    }
    for path in old.valuePaths(at: .root) where value(path, new) == nil {
      changes.append(FieldChange(path: path, action: "remove", isSealed: isSealed(value(path, old))))
    }
    return changes
  }

  private static func value(_ path: String, _ tree: JSONValue) -> JSONValue? {
    (try? MemberPath(parsing: path)).flatMap { try? tree.value(at: $0) }
  }

  private static func isSealed(_ value: JSONValue?) -> Bool {
    if case .string(let text)? = value { SealedToken.hasTokenShape(text) } else { false }
  }
}

extension TrashCommand.Restore: RecordNaming {
  /// The words that name records. After a version, the other words are its fields.
  var recordWords: [String] {
    get { record.first.map { Packs.history?.namesVersion($0) ?? false ? [$0] : record } ?? [] }
    set { record = newValue + record.dropFirst(newValue.count) }
  }
}
