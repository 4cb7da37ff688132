internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// What importers ask a kind about its members.
struct KindShape {
  private let kind: RecordKind
  /// Whether the kind has `fields` and `secrets`; else what it has no member for is sealed under `extra`.
  private let hasCustomFields: Bool

  init(_ kind: RecordKind) {
    self.kind = kind
    hasCustomFields = kind.content.members.contains { $0.name == "secrets" }
  }

  /// The shape of a kind of this program; nil when it has none of the name.
  static func builtIn(_ name: String) -> KindShape? { KindCatalog.builtIn[name].map(KindShape.init) }

  /// Where a readable value goes that the kind has no member for.
  var readableMap: String { hasCustomFields ? "fields" : RecordKind.extraMember }
  /// Where a secret one goes.
  var secretMap: String { hasCustomFields ? "secrets" : RecordKind.extraMember }

  /// The member that notes go to.
  var notes: String { has("notes") || !has("text") ? "notes" : "text" }

  func has(_ member: String) -> Bool { kind.content.members.contains { $0.name.utf8.elementsEqual(member.utf8) } }

  /// Whether all names are those of members, at the top or as paths.
  func hasAll(_ names: some Sequence<String>) -> Bool {
    names.allSatisfy { name in
      name == RecordEnvelope.memberName || name == VaultExport.kindPath || name == RecordKind.extraMember || has(name)
        || (try? MemberPath(parsing: name)).flatMap { kind.value(at: $0) } != nil
    }
  }

  /// Whether these can be a record of the kind; a title can still be added.
  func takes(_ members: JSONObject) -> Bool {
    let required = kind.content.members.filter { $0.isRequired && $0.name != "title" }
    return required.allSatisfy { members[$0.name] != nil } && (try? kind.completed(members, before: nil)) != nil
  }

  /// Whether there is a member for text or what text can stand for.
  func hasMember(at path: MemberPath) -> Bool {
    guard path.components.first != .member(RecordKind.extraMember), let schema = kind.value(at: path) else {
      return false
    }
    return switch schema.form {
    case .object, .list, .any: false
    default: true
    }
  }

  /// Whether whoever can read the vault reads what stands at a path; false also where the kind has no such member.
  func isReadable(_ path: MemberPath) -> Bool { kind.value(at: path).map { !$0.isSealed } ?? false }

  /// What a text stands for at a path; nil where the kind has no such member, or refuses it.
  func value(ofText text: String, at path: MemberPath) -> JSONValue? {
    guard hasMember(at: path), let schema = kind.value(at: path) else { return nil }
    let value = schema.value(ofText: text)
    return schema.accepts(value) ? value : nil
  }

  /// What names such a record in lists; empty where nothing does.
  func title(of members: JSONObject) -> String { kind.title(of: members) }

  /// Whether a list of the kind takes an item.
  func takes(_ item: String, inList name: String) -> Bool {
    kind.value(at: MemberPath([.member(name), .index(0)]))?.accepts(.string(item)) ?? false
  }
}
