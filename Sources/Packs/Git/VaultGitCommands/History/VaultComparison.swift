import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTerminal

struct RecordDelta {
  let id: RecordID
  /// Nil if either version is not a record.
  let comparison: RecordComparison?
  /// Why the newer version cannot follow the older; nil if it can.
  let fault: VersionFault?
  /// The name, or the id.
  let name: String
  /// Nil if neither version is a record.
  let kind: String?

  /// Nil if the versions are equal.
  init?(_ id: RecordID, from old: StoredVersion?, to new: StoredVersion?, _ kinds: KindCatalog) {
    let version = HistoryVersion(nil, state: new, after: old, kinds: kinds)
    guard version.comparison?.event != .unchanged else { return nil }
    (self.id, comparison, fault) = (id, version.comparison, version.fault)
    let file = new?.record ?? old?.record
    kind = file?.envelope.kind
    let title = file.flatMap { file in kinds[file.envelope.kind]?.title(of: file.fields) } ?? ""
    name = title.isEmpty ? id.text : title
  }

  var event: String { comparison?.event.rawValue ?? "damaged" }

  /// Such as `changed login GitHub`.
  var line: String { "\(event) \(kind.map { $0 + " " } ?? "")\(Printable.cut(name, front: 60, back: 20))" }
}

struct VaultComparison {
  /// Sorted by id.
  var records: [RecordDelta] = []
  /// Nil if the headers are equal, or if one of them is unreadable.
  var header: HeaderComparison?
  /// Whether the headers differ, and one of them is unreadable.
  var hasUnreadableHeader = false

  func only(_ ids: Set<RecordID>) -> VaultComparison {
    VaultComparison(records: records.filter { ids.contains($0.id) })
  }

  /// The records that changed one of some fields, with only those changes.
  func touching(_ fields: [MemberPath]) -> VaultComparison {
    VaultComparison(
      records: records.filter { record in
        guard let comparison = record.comparison else { return false }
        return comparison.changes.contains { $0.isAbout(fields) } || comparison.former.contains { $0.isAbout(fields) }
      })
  }

  var isEmpty: Bool { records.isEmpty && header == nil && !hasUnreadableHeader }

  /// The changes of the header, one line each.
  var headerLines: [String] {
    if hasUnreadableHeader { return ["vault.json was changed, and is damaged or missing on one side"] }
    guard let header else { return [] }
    return (header.notes.isEmpty ? ["was changed"] : header.notes).map { "vault.json " + $0 }
  }

  var hasNewRoot: JSONValue { .bool(header?.hasOtherRoot ?? false) }

  var slots: JSONValue { .array(header?.slotDocuments ?? []) }
}

extension RecordComparison.Change {
  /// Whether the change is at one of these fields or inside it.
  func isAbout(_ fields: [MemberPath]) -> Bool { [path, origin].compactMap(\.self).contains { $0.isWithin(fields) } }
}

extension RecordComparison.FormerChange {
  /// Whether the values were those of one of these fields or of a field inside it.
  func isAbout(_ fields: [MemberPath]) -> Bool { path.isWithin(fields) }
}

extension MemberPath {
  fileprivate func isWithin(_ fields: [MemberPath]) -> Bool {
    fields.contains { components.starts(with: $0.components) }
  }
}
