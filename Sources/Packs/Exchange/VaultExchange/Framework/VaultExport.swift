package import VaultDocument
package import VaultRecords
internal import VaultSealing

/// What an export of several kinds says of each record beside its members: of which kind it is.
///
/// It stands under `$vault`, where a record of a vault has it too, so that no member can have the name.
package enum VaultExport {
  /// The path of the kind, which tables have as the name of a column.
  static let kindPath = "\(RecordEnvelope.memberName).kind"

  /// The members of a record with its kind.
  package static func adding(kind: String, to members: JSONObject) -> JSONObject {
    var members = members
    members[RecordEnvelope.memberName] = .members(["kind": .string(kind)])
    return members
  }

  /// The kind that a record says, and its members without it; nil where it says none, or more than an export does.
  package static func taking(_ members: JSONObject) -> (kind: String, members: JSONObject)? {
    guard let own = members[RecordEnvelope.memberName]?.object, own.names == ["kind"], let kind = own["kind"]?.string
    else { return nil }
    var members = members
    members[RecordEnvelope.memberName] = nil
    return (kind, members)
  }

  /// The records of the document that an export writes, each with its kind; nil for any other value.
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

/// The kinds of records that say theirs.
package struct VaultKinds: Sendable {
  private static let unknown = "is of a kind that this vault does not have"
  private static let other = "is of another kind than the one that was named"

  private let catalog: KindCatalog
  private let chosen: RecordKind?

  init(_ options: ImportOptions) { self.init(options.kinds, chosen: options.kind) }

  /// - Parameter chosen: the only kind that is taken; nil for all.
  package init(_ catalog: KindCatalog, chosen: RecordKind?) { (self.catalog, self.chosen) = (catalog, chosen) }

  /// The kind of a record, or why it is not taken.
  package func kind(named name: String) -> (kind: RecordKind?, refusal: String) {
    guard let kind = catalog[name] else { return (nil, Self.unknown) }
    let isChosen = chosen.map { $0.name.utf8.elementsEqual(name.utf8) } ?? true
    return isChosen ? (kind, "") : (nil, Self.other)
  }

  /// What a member path of our own export means; what the kind has no place for is sealed under it.
  static func rule(for path: String, in shape: KindShape) -> LeafRule {
    path == VaultExport.kindPath ? .known(as: "kind") : FieldRules.rule(forPath: path, in: shape) ?? .secret(path)
  }
}
