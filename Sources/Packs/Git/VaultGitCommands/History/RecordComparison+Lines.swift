import VaultCLI
import VaultDocument
import VaultMerge
import VaultRecords
import VaultSealing
import VaultTerminal

extension RecordComparison {
  /// Compares two versions of a record of one of these kinds.
  init(from old: RecordFile?, to new: RecordFile?, kinds: KindCatalog) {
    let known = [old, new].compactMap { file in file.flatMap { kinds[$0.envelope.kind] } }
    self.init(from: old, to: new) { path in known.contains { $0.isSealed(path) } }
  }

  /// What is told of each change, a line each.
  var lines: [String] { changes.map(\.line) + attachments.map(\.line) }

  /// A line where both are in different forms of their kind.
  var formLines: [String] {
    schemas.map { ["  migrated from form \($0.old) of its kind to form \($0.new)"] } ?? []
  }
}

extension RecordComparison.Change {
  /// What is changed, in few words; nothing of what is sealed.
  var line: String {
    guard isSecret else { return ChangeLine.text(path, before: before?.brief, after: after?.brief) }
    switch kind {
    case .added: return ChangeLine.text(path, before: nil, after: Printable.mask)
    case .removed: return ChangeLine.text(path, before: Printable.mask, after: nil)
    case .changed, .replaced, .resealed, .moved, .sealed, .unsealed:
      return Printable.text("  \(path): \(Printable.mask) \(words)")
    }
  }

  /// What became of a sealed value.
  var words: String {
    switch kind {
    case .added, .removed, .replaced, .resealed: kind.rawValue
    case .changed: "changed, NOT SEALED"
    case .moved: "moved" + (origin.map { " from \($0)" } ?? "")
    case .sealed: "sealed now"
    case .unsealed: "NOT SEALED any more"
    }
  }

  var document: JSONValue {
    var members = JSONValue.members([
      "after": after ?? .null, "before": before ?? .null, "kind": .string(kind.rawValue),
      "path": .string(path.description),
    ]).object
    members?["from"] = origin.map { .string($0.description) }
    return .object(members ?? JSONObject())
  }
}

extension JSONValue {
  /// The value as JSON, without its middle where it is long.
  var brief: String { (try? compactText()).map { Printable.cut($0, front: 60, back: 20) } ?? "" }
}
