internal import VaultDocument
internal import VaultSealing

/// The fields of a kind as the objects that they stand in, to walk beside a record.
struct FieldTree: Sendable {
  private enum Node: Sendable {
    case field(RecordField)
    case object(FieldTree)
  }

  // Few, and found by bytes: a dictionary would take canonically equivalent names for equal.
  private var members: [(name: String, node: Node)] = []

  init(_ fields: [RecordField]) {
    for field in fields { insert(field, at: field.path.components[...]) }
  }

  private init() {}

  private mutating func insert(_ field: RecordField, at path: ArraySlice<MemberPath.Component>) {
    guard case .member(let name)? = path.first else { return }
    guard path.count > 1 else { return members.append((name, .field(field))) }
    let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    var tree = FieldTree()
    if let index, case .object(let known) = members[index].node { tree = known }
    tree.insert(field, at: path.dropFirst())
    if let index { members[index].node = .object(tree) } else { members.append((name, .object(tree))) }
  }

  /// Seals what the fields seal in clear input that has the encoded form of its type already: declared members alone, each
  /// a text, dates as they are written, nothing empty; nil when it has not, which may still be good input.
  ///
  /// - Throws: ``SealingError`` `.memoryUnavailable`, `.cryptoFailed`.
  func sealed(_ input: JSONObject, in context: SealingContext) throws(SealingError) -> JSONObject? {
    var result = input
    for (name, value) in input {
      guard let node = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.node else { return nil }
      switch (node, value) {
      case (.field(let field), .string(let text)) where field.isSealed:
        result[name] = .string(try context.sealedField(text))
      case (.field(let field), .string(let text)):
        guard !SealedToken.hasTokenShape(text), field.type == .text || Self.isWrittenDate(text) else { return nil }
      case (.object(let tree), .object(let object)):
        guard !object.isEmpty, let sealed = try tree.sealed(object, in: context) else { return nil }
        result[name] = .object(sealed)
      default: return nil
      }
    }
    return result
  }

  private static func isWrittenDate(_ text: String) -> Bool {
    (try? Timestamp(parsing: text))?.text.utf8.elementsEqual(text.utf8) ?? false
  }
}
