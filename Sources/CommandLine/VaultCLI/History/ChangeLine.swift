package import VaultDocument
package import VaultMerge
package import VaultRecords
import VaultSealing
import VaultTerminal

package enum ChangeLine {
  /// `+ path: after`, `- path: before` or `path: before → after`; nil for a missing value.
  package static func text(_ path: some CustomStringConvertible, before: String?, after: String?) -> String {
    switch (before, after) {
    case (nil, let after): Printable.text("  + \(path): \(after ?? "")")
    case (let before, nil): Printable.text("  - \(path): \(before ?? "")")
    case (let before?, let after?): Printable.text("  \(path): \(before) → \(after)")
    }
  }
}

extension RecordComparison {
  package init(from old: RecordFile?, to new: RecordFile?, kinds: KindCatalog) {
    let known = [old, new].compactMap { file in file.flatMap { kinds[$0.envelope.kind] } }
    self.init(from: old, to: new) { path in known.contains { $0.isSealed(path) } }
  }

  package var lines: [String] { changes.map(\.line) + attachments.map(\.line) }

  /// A line if the versions use different forms of their kind.
  package var formLines: [String] {
    schemas.map { ["  migrated from form \($0.old) of its kind to form \($0.new)"] } ?? []
  }
}

extension RecordComparison.Change: DocumentValue {
  /// A short text about the change, without sealed content.
  package var line: String {
    guard isSecret else { return ChangeLine.text(path, before: before?.brief, after: after?.brief) }
    switch kind {
    case .added: return ChangeLine.text(path, before: nil, after: Printable.mask)
    case .removed: return ChangeLine.text(path, before: Printable.mask, after: nil)
    case .changed, .replaced, .resealed, .moved, .sealed, .unsealed:
      return Printable.text("  \(path): \(Printable.mask) \(words)")
    }
  }

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
  /// Such as `+ attachment scan.pdf: 2 MiB`.
  package var line: String { ChangeLine.text(place, before: beforeText, after: afterText) }

  /// The name in a line, which no field can have.
  package var place: String { "attachment \(name)" }

  package var beforeText: String? { before.map { ByteSize.text($0.byteCount) } }

  /// The size after, and whether the file was replaced under the same name.
  package var afterText: String? { after.map { ByteSize.text($0.byteCount) + (before == nil ? "" : ", replaced") } }

  package var document: JSONValue {
    .members(["after": after, "before": before, "name": name])
  }
}

extension JSONValue {
  /// The value as JSON. The middle of a long value is cut.
  package var brief: String { (try? compactText()).map { Printable.cut($0, front: 60, back: 20) } ?? "" }
}
