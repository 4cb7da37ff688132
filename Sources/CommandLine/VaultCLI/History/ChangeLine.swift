package import VaultDocument
package import VaultMerge
package import VaultRecords
import VaultSealing
import VaultTerminal

/// One changed field as a line.
package enum ChangeLine {
  /// `+ path: after`, `- path: before` or `path: before → after`; nil for what is not there.
  package static func text(_ path: some CustomStringConvertible, before: String?, after: String?) -> String {
    switch (before, after) {
    case (nil, let after): Printable.text("  + \(path): \(after ?? "")")
    case (let before, nil): Printable.text("  - \(path): \(before ?? "")")
    case (let before?, let after?): Printable.text("  \(path): \(before) → \(after)")
    }
  }
}

extension RecordComparison {
  /// Compares two versions of a record of one of these kinds.
  package init(from old: RecordFile?, to new: RecordFile?, kinds: KindCatalog) {
    let known = [old, new].compactMap { file in file.flatMap { kinds[$0.envelope.kind] } }
    self.init(from: old, to: new) { path in known.contains { $0.isSealed(path) } }
  }

  /// What is told of each change, a line each.
  package var lines: [String] { changes.map(\.line) + attachments.map(\.line) }

  /// A line where both are in different forms of their kind.
  package var formLines: [String] {
    schemas.map { ["  migrated from form \($0.old) of its kind to form \($0.new)"] } ?? []
  }
}

extension RecordComparison.Change: DocumentValue {
  /// What is changed, in few words; nothing of what is sealed.
  package var line: String {
    guard isSecret else { return ChangeLine.text(path, before: before?.brief, after: after?.brief) }
    switch kind {
    case .added: return ChangeLine.text(path, before: nil, after: Printable.mask)
    case .removed: return ChangeLine.text(path, before: Printable.mask, after: nil)
    case .changed, .replaced, .resealed, .moved, .sealed, .unsealed:
      return Printable.text("  \(path): \(Printable.mask) \(words)")
    }
  }

  /// What became of a sealed value.
  package var words: String {
    switch kind {
    case .added, .removed, .replaced, .resealed: kind.rawValue
    case .changed: "changed, NOT SEALED"
    case .moved: "moved" + (origin.map { " from \($0)" } ?? "")
    case .sealed: "sealed now"
    case .unsealed: "NOT SEALED any more"
    }
  }

  package var document: JSONValue {
    var members = JSONValue.members([
      "after": after, "before": before, "kind": kind.rawValue, "path": path.description,
    ]).object
    members?["from"] = origin.map { .string($0.description) }
    return .object(members ?? JSONObject())
  }
}

extension AttachmentChange: DocumentValue {
  /// `+ attachment scan.pdf: 2 MiB`
  package var line: String { ChangeLine.text(place, before: beforeText, after: afterText) }

  /// Where it stands: not a field, whatever fields are called.
  package var place: String { "attachment \(name)" }

  /// Its size.
  package var beforeText: String? { before.map { ByteSize.text($0.byteCount) } }

  /// Its size; of another writing under the name of one before that, too.
  package var afterText: String? { after.map { ByteSize.text($0.byteCount) + (before == nil ? "" : ", replaced") } }

  package var document: JSONValue {
    .members(["after": after, "before": before, "name": name])
  }
}

extension JSONValue {
  /// The value as JSON, without its middle where it is long.
  package var brief: String { (try? compactText()).map { Printable.cut($0, front: 60, back: 20) } ?? "" }
}
