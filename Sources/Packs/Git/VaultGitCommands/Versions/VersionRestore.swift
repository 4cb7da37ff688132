import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

/// `vault restore RECORD@REV`: a version becomes the next revision of its record, or only some fields of it do.
struct VersionRestore {
  let found: VerifiedVersion
  /// The words behind the version.
  let fields: ArraySlice<String>
  let opened: Vault
  let isDryRun: Bool
  let global: GlobalOptions

  func run() async throws {
    let paths = try fields.map { text in try MemberPath.argument(text, of: "FIELD") }
    let id = found.version.id
    let envelope = found.record.envelope
    try await CommandError.naming(found.record.kind) {
      try await CommandError.naming(membersOf: found.record) {
        let change = try opened.change(byRestoring: found.version, only: paths)
        for attachment in change.lostAttachments {
          global.messages.note(
            "\(Printable.text(attachment.name)) was attached then, but is not restored: a version restores only fields"
          )
        }
        guard !isDryRun else { return try show(change, id) }
        if let now = change.now, !change.isNothing {
          let this = "\(found.record.name): revision \(envelope.revision) of \(envelope.updatedAt.text)"
          let whole = paths.isEmpty ? "" : ", only \(paths.map(\.description).joined(separator: ", "))"
          try global.confirm(
            "\(this), from \(found.origin)\(whole). Replace revision \(now.envelope.revision) with it?")
        }
        let hasChanged = try await opened.bringBack(found.version, only: paths, expecting: change)
        try report(hasChanged, id)
      }
    }
  }

  private func report(_ hasChanged: Bool, _ id: RecordID) throws {
    let action = hasChanged ? "1 record restored" : "nothing changed: the record is like this already"
    guard global.json else { return global.messages.note(action) }
    try Output.afterwards(action) {
      try Output.document(["restored": hasChanged ? [id] : []])
    }
  }

  /// Shows the changed fields without their values.
  private func show(_ change: VersionChange, _ id: RecordID) throws {
    let fields = FieldChange.all(from: change.now?.fields ?? JSONObject(), to: change.fields)
    guard global.json else {
      if fields.isEmpty { global.messages.note("nothing would change: the record is like this already") }
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
