import VaultCLI
import VaultDocument
import VaultMerge
import VaultPackSupport
import VaultRecords
import VaultSealing
import VaultTerminal

extension RecordComparison {
  init(from old: RecordFile?, to new: RecordFile?, kinds: KindCatalog) {
    let known = [old, new].compactMap { file in file.flatMap { kinds[$0.envelope.kind] } }
    self.init(from: old, to: new) { path in known.contains { $0.isSealed(path) } }
  }

  var lines: [String] { changes.map(\.line) + former.map(\.line) + attachments.map(\.line) }

  /// A line if the versions use different forms of their kind.
  var formLines: [String] {
    schemas.map { ["  migrated from form \($0.old) of its kind to form \($0.new)"] } ?? []
  }
}

extension RecordComparison.Change: DocumentValue {
  /// A short text about the change, without sealed content.
  var line: String {
    guard isSecret else { return ChangeLine.text(path, before: before?.brief, after: after?.brief) }
    switch kind {
    case .added: return ChangeLine.text(path, before: nil, after: Printable.mask)
    case .removed: return ChangeLine.text(path, before: Printable.mask, after: nil)
    case .changed, .restored, .replaced, .resealed, .moved, .sealed, .unsealed:
      return Printable.text("  \(path): \(Printable.mask) \(words)")
    }
  }

  var words: String {
    switch kind {
    case .added, .removed, .replaced, .resealed: kind.rawValue
    case .changed: "changed, NOT SEALED"
    case .restored: "restored from the former values"
    case .moved: "moved" + (origin.map { " from \($0)" } ?? "")
    case .sealed: "sealed now"
    case .unsealed: "NOT SEALED any more"
    }
  }

  var document: JSONValue {
    var members = JSONValue.members([
      "after": after, "before": before, "kind": kind.rawValue, "path": path.description,
    ]).object
    members?["from"] = origin.map { .string($0.description) }
    return .object(members ?? JSONObject())
  }
}

extension RecordComparison.FormerChange: DocumentValue {
  /// Such as `password: 2 former values dropped`.
  var line: String { Printable.text("  \(path): \(words)") }

  var words: String {
    let counts = [(dropped, "dropped"), (added, "added")].filter { $0.0 > 0 }
    return counts.map { "\(counted($0.0, "former value")) \($0.1)" }.joined(separator: ", ")
  }

  var document: JSONValue { .members(["added": added, "dropped": dropped, "path": path.description]) }
}

extension JSONValue {
  /// The value as JSON. The middle of a long value is cut.
  var brief: String { (try? compactText()).map { Printable.cut($0, front: 60, back: 20) } ?? "" }
}
