internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// The questions that importers ask about the members of a kind.
struct KindShape {
  private let kind: RecordKind
  /// Whether the kind has `fields` and `secrets`. Otherwise unknown values are sealed under `extra`.
  private let hasCustomFields: Bool

  init(_ kind: RecordKind) {
    self.kind = kind
    hasCustomFields = kind.content.members.contains { $0.name == "secrets" }
  }

  /// The shape of a built-in kind; nil if there is no kind of this name.
  static func builtIn(_ name: String) -> KindShape? { KindCatalog.builtIn[name].map(KindShape.init) }

  var readableMap: String { hasCustomFields ? "fields" : RecordKind.extraMember }
  var secretMap: String { hasCustomFields ? "secrets" : RecordKind.extraMember }

  var notes: String { has("notes") || !has("text") ? "notes" : "text" }

  func has(_ member: String) -> Bool { kind.content.members.contains { $0.name.utf8.elementsEqual(member.utf8) } }

  /// Whether all names are members or paths of members.
  func hasAll(_ names: some Sequence<String>) -> Bool {
    names.allSatisfy { name in
      name == RecordEnvelope.memberName || name == VaultExport.kindPath || name == RecordKind.extraMember || has(name)
        || (try? MemberPath(parsing: name)).flatMap { kind.value(at: $0) } != nil
    }
  }

  /// Whether the members can be a record of the kind. A title can still be added.
  func takes(_ members: JSONObject) -> Bool {
    let required = kind.content.members.filter { $0.isRequired && $0.name != "title" }
    return required.allSatisfy { members[$0.name] != nil } && (try? kind.completed(members, before: nil)) != nil
  }

  /// Whether the member at a path takes text, or a value that text can stand for.
  func hasMember(at path: MemberPath) -> Bool {
    guard path.components.first != .member(RecordKind.extraMember), let schema = kind.value(at: path) else {
      return false
    }
    return switch schema.form {
    case .object, .list, .any: false
    default: true
    }
  }

  /// Whether the value at a path is readable without a key. False if the kind has no such member.
  func isReadable(_ path: MemberPath) -> Bool { kind.value(at: path).map { !$0.isSealed } ?? false }

  /// The value that a text stands for at a path; nil if the kind has no such member or refuses the text.
  func value(ofText text: String, at path: MemberPath) -> JSONValue? {
    guard hasMember(at: path), let schema = kind.value(at: path) else { return nil }
    let value = schema.value(ofText: text)
    return schema.accepts(value) ? value : nil
  }

  /// The title for lists; empty if no member names the record.
  func title(of members: JSONObject) -> String { kind.title(of: members) }

  func takes(_ item: String, inList name: String) -> Bool {
    kind.value(at: MemberPath([.member(name), .index(0)]))?.accepts(.string(item)) ?? false
  }
}
