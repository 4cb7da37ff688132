package import VaultDocument
package import VaultRecords
internal import VaultSealing

/// The kind of each record, which an export of several kinds adds to the members.
///
/// The kind is under `$vault`, as in the records of a vault, so no member can have the name.
package enum VaultExport {
  /// The path of the kind, which is also the column name in tables.
  static let kindPath = "\(RecordEnvelope.memberName).kind"

  /// The path of the former values.
  package static let formerPath = "\(RecordEnvelope.memberName).\(FormerValues.memberName)"

  /// - Parameter former: the former values of the record by path; nil to leave them out.
  package static func adding(kind: String, former: JSONObject? = nil, to members: JSONObject) -> JSONObject {
    var members = members
    var own = JSONObject()
    own["kind"] = .string(kind)
    if let former, !former.isEmpty { own[FormerValues.memberName] = .object(former) }
    members[RecordEnvelope.memberName] = .object(own)
    return members
  }

  /// The former values of a record in an export, the newest of each member first.
  package static func document(of former: [ExportedFormerValue]) -> JSONObject {
    var lists = JSONObject()
    for value in former {
      let item = JSONValue.members(["sealed_at": value.sealedAt, "value": value.value])
      let name = value.path.description
      lists[name] = .array((lists[name]?.array ?? []) + [item])
    }
    return lists
  }

  /// A record of an export.
  package struct Record {
    package let kind: String
    package let members: JSONObject
    /// Nil if the list of former values is not of the form that an export writes.
    package let former: [ImportedFormerValue]?
  }

  /// The kind of a record, its former values, and its members without them. Nil if the record has no kind, or more than
  /// an export writes.
  package static func taking(_ members: JSONObject) -> Record? {
    guard let own = members[RecordEnvelope.memberName]?.object, let kind = own["kind"]?.string,
      own.names.allSatisfy({ ["kind", FormerValues.memberName].contains($0) })
    else { return nil }
    var members = members
    members[RecordEnvelope.memberName] = nil
    return Record(kind: kind, members: members, former: own[FormerValues.memberName].map(values) ?? [])
  }

  private static func values(_ lists: JSONValue) -> [ImportedFormerValue]? {
    guard let lists = lists.object else { return nil }
    var values: [ImportedFormerValue] = []
    for (name, list) in lists {
      guard let path = try? MemberPath(parsing: name), let items = list.array else { return nil }
      for item in items {
        guard item.object?.names == ["sealed_at", "value"], let value = item["value"],
          let time = item["sealed_at"]?.string.flatMap({ try? Timestamp(parsing: $0) })
        else { return nil }
        values.append(ImportedFormerValue(path: path, value: value, setAt: time))
      }
    }
    return values
  }

  /// Whether a path of an entry leads to a part of its former values.
  static func isFormer(_ path: MemberPath) -> Bool {
    path.components.starts(with: [.member(RecordEnvelope.memberName), .member(FormerValues.memberName)])
  }

  /// The records of an exported document, each with its kind; nil for any other value.
  package static func records(of document: JSONValue) -> [JSONObject]? {
    guard document["schema"]?.int == 1, let items = document["records"]?.array else { return nil }
    var records: [JSONObject] = []
    for item in items {
      guard let record = item["record"]?.object, let kind = item["kind"]?.string,
        record[RecordEnvelope.memberName] == nil
      else { return nil }
      records.append(adding(kind: kind, former: item[FormerValues.memberName]?.object, to: record))
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
