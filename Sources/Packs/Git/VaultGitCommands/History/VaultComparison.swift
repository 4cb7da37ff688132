import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTerminal

/// A record in which two states of a vault differ.
struct RecordDelta {
  let id: RecordID
  /// Nil where one of the two is no record.
  let comparison: RecordComparison?
  /// Why the newer cannot follow the older; nil for a good one.
  let fault: VersionFault?
  /// What it is called, else its id.
  let name: String
  /// Nil where neither is a record.
  let kind: String?

  /// Nil where both are the same.
  init?(_ id: RecordID, from old: StoredVersion?, to new: StoredVersion?, _ kinds: KindCatalog) {
    let version = HistoryVersion(nil, state: new, after: old, kinds: kinds)
    guard version.comparison?.event != .unchanged else { return nil }
    (self.id, comparison, fault) = (id, version.comparison, version.fault)
    let file = new?.record ?? old?.record
    kind = file?.envelope.kind
    let title = file.flatMap { file in kinds[file.envelope.kind]?.title(of: file.fields) } ?? ""
    name = title.isEmpty ? id.text : title
  }

  /// What became of it, in a word.
  var event: String { comparison?.event.rawValue ?? "damaged" }

  /// `changed login GitHub`
  var line: String { "\(event) \(kind.map { $0 + " " } ?? "")\(Printable.cut(name, front: 60, back: 20))" }
}

/// Two states of a vault, compared.
struct VaultComparison {
  /// In the order of their ids.
  var records: [RecordDelta] = []
  /// Nil where both have the same header, or one of them has none that can be read.
  var header: HeaderComparison?
  /// Whether both have other headers, and one of them has none that can be read.
  var hasUnreadableHeader = false

  /// The same of some records alone.
  func only(_ ids: Set<RecordID>) -> VaultComparison {
    VaultComparison(records: records.filter { ids.contains($0.id) })
  }

  /// The records that changed one of some fields, with those changes alone.
  func touching(_ fields: [MemberPath]) -> VaultComparison {
    VaultComparison(
      records: records.filter { record in record.comparison?.changes.contains { $0.isAbout(fields) } ?? false })
  }

  var isEmpty: Bool { records.isEmpty && header == nil && !hasUnreadableHeader }

  /// What became of the header, a line each.
  var headerLines: [String] {
    if hasUnreadableHeader { return ["vault.json was changed, and is damaged or missing on one side"] }
    guard let header else { return [] }
    return (header.notes.isEmpty ? ["was changed"] : header.notes).map { "vault.json " + $0 }
  }

  var hasNewRoot: JSONValue { .bool(header?.hasOtherRoot ?? false) }

  var slots: JSONValue { .array(header?.slotDocuments ?? []) }
}

extension RecordComparison.Change {
  /// Whether it is of one of these fields, or of what is within them.
  func isAbout(_ fields: [MemberPath]) -> Bool {
    [path, origin].compactMap { $0?.components }.contains { path in
      fields.contains { path.starts(with: $0.components) }
    }
  }
}
