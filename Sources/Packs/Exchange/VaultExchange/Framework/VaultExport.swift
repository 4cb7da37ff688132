package import VaultDocument
package import VaultRecords
internal import VaultSealing

/// The kind of each record, which an export of several kinds adds to the members.
///
/// The kind is under `$vault`, as in the records of a vault, so no member can have the name.
package enum VaultExport {
  /// The path of the kind, which is also the column name in tables.
  static let kindPath = "\(RecordEnvelope.memberName).kind"

  package static func adding(kind: String, to members: JSONObject) -> JSONObject {
    var members = members
    members[RecordEnvelope.memberName] = .members(["kind": kind])
    return members
  }

  /// The kind of a record, and its members without it. Nil if the record has no kind, or more than an export writes.
  package static func taking(_ members: JSONObject) -> (kind: String, members: JSONObject)? {
    guard let own = members[RecordEnvelope.memberName]?.object, own.names == ["kind"], let kind = own["kind"]?.string
    else { return nil }
    var members = members
    members[RecordEnvelope.memberName] = nil
    return (kind, members)
  }

  /// The records of an exported document, each with its kind; nil for any other value.
  package static func records(of document: JSONValue) -> [JSONObject]? {
    guard document["schema"]?.int == 1, let items = document["records"]?.array else { return nil }
    var records: [JSONObject] = []
    for item in items {
      guard let record = item["record"]?.object, let kind = item["kind"]?.string,
        record[RecordEnvelope.memberName] == nil
      else { return nil }
      records.append(adding(kind: kind, to: record))
    }
    return records
  }
}

/// The kinds that records can name.
package struct VaultKinds: Sendable {
  private static let unknown = "is of a kind that this vault does not have"
  private static let other = "is not of the kind that was given"

  private let catalog: KindCatalog
  private let chosen: RecordKind?

  init(_ options: ImportOptions) { self.init(options.kinds, chosen: options.kind) }

  /// - Parameter chosen: the only kind that is accepted; nil for all.
  package init(_ catalog: KindCatalog, chosen: RecordKind?) { (self.catalog, self.chosen) = (catalog, chosen) }

  /// The kind of a record, or why the record is refused.
  package func kind(named name: String) -> (kind: RecordKind?, refusal: String) {
    guard let kind = catalog[name] else { return (nil, Self.unknown) }
    let isChosen = chosen.map { $0.name.utf8.elementsEqual(name.utf8) } ?? true
    return isChosen ? (kind, "") : (nil, Self.other)
  }

  /// The rule for a member path of our own export. A value without a place in the kind is sealed under its path.
  static func rule(for path: String, in shape: KindShape) -> LeafRule {
    path == VaultExport.kindPath ? .known(as: "kind") : FieldRules.rule(forPath: path, in: shape) ?? .secret(path)
  }
}
