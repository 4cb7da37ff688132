public import VaultDocument
public import VaultSealing

/// A kind of record as the untyped parts of the program see it: what is sealed, what is required, what names a record.
public struct RecordKind: Sendable {
  public let name: String
  public let schema: Int
  public let fields: [RecordField]
  public let titlePath: MemberPath
  private let isDescribedByFields: Bool
  private let tree: FieldTree
  private let recode: @Sendable (JSONObject, SealingContext, SealingContext) throws(RecordError) -> JSONObject
  private let decode: @Sendable (JSONObject, SealingContext) throws(RecordError) -> Void

  /// The kind of a type.
  public init<Record: VaultRecord>(of type: Record.Type) {
    name = type.kindName
    schema = type.schema
    fields = type.fields
    titlePath = RecordField(type.titlePath, "").path
    isDescribedByFields = type.isDescribedByFields
    tree = FieldTree(type.fields)
    recode = { members, reading, writing throws(RecordError) in
      try Record.decoded(from: members, in: reading).encoded(in: writing)
    }
    decode = { members, reading throws(RecordError) in _ = try Record.decoded(from: members, in: reading) }
  }

  /// The kinds that this program brings along.
  public static let builtIn: [RecordKind] = [RecordKind(of: Customer.self)]

  /// Names that a vault cannot declare for kinds of its own, whether this version has the kind or not (format 1,
  /// section 7).
  public static let reservedNames: Set<String> = [
    "customer", "login", "api-key", "ssh-key", "payment-card", "secure-note", "database", "custom",
  ]

  /// The kind with this name.
  ///
  /// - Throws: ``RecordError`` `.unknownKind`.
  public static func named(_ name: String) throws(RecordError) -> RecordKind {
    guard let kind = builtIn.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw RecordError(.unknownKind, "no kind has this name")
    }
    return kind
  }

  /// The field at a path, if the kind declares one.
  public func field(at path: MemberPath) -> RecordField? { fields.first { $0.path == path } }

  /// Makes the members of a record from clear input: decoded by the type, checked, and encoded with `context`, which
  /// seals what the type seals. Input that has the encoded form already is sealed member by member instead, where the fields
  /// say everything about the type: the result is the same, and the way there much shorter.
  ///
  /// - Throws: ``RecordError`` `.reservedMember`, `.unknownMember`, and as decoding does.
  public func sealed(clear input: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject {
    if isDescribedByFields, let sealed = try sealedByFields(input, in: context) { return sealed }
    try checkMembers(of: input)
    return try recode(input, context.reading(.clearText), context)
  }

  private func sealedByFields(_ input: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject? {
    let isComplete = fields.allSatisfy { !$0.isRequired || $0.isPresent(in: input) }
    guard isComplete else { return nil }
    do throws(SealingError) {
      return try tree.sealed(input, in: context)
    } catch {
      throw RecordError(.sealing, error.reason, underlying: error)
    }
  }

  /// Checks members as a file has them, sealed ones as tokens of `context`.
  ///
  /// - Throws: ``RecordError`` as decoding does.
  public func validate(_ members: JSONObject, in context: SealingContext) throws(RecordError) {
    try decode(members, context)
  }

  /// Whether members as a file has them decode, as far as the declared fields alone can tell; much faster than
  /// ``validate(_:in:)``. False says nothing. That sealed values open is not checked.
  public func surelyDecodes(_ members: JSONObject) -> Bool {
    isDescribedByFields && fields.allSatisfy { $0.fits(members) }
  }

  /// The first sealed field whose value is clear text; nil when all of them are tokens, absent or null.
  public func clearTextPath(in members: JSONObject) -> MemberPath? {
    let tree = JSONValue.object(members)
    for field in fields where field.isSealed {
      switch try? tree.value(at: field.path) {
      case nil, .null: continue
      case .string(let text) where SealedToken.hasTokenShape(text): continue
      default: return field.path
      }
    }
    return nil
  }

  /// Refuses members that the kind does not declare: they would be stored in clear without anybody having said so.
  ///
  /// - Throws: ``RecordError`` `.reservedMember`, `.unknownMember`.
  public func checkMembers(of input: JSONObject) throws(RecordError) {
    guard input[RecordEnvelope.memberName] == nil else {
      throw RecordError(.reservedMember, "is reserved for the vault", path: RecordEnvelope.memberName)
    }
    try checkMembers(of: input, below: .root)
  }

  private func checkMembers(
    of object: JSONObject, below parent: MemberPath
  ) throws(RecordError) {
    for (name, value) in object {
      let path = parent.appending(name)
      if field(at: path) != nil { continue }
      let isParent = fields.contains { $0.path.components.starts(with: path.components) }
      guard isParent else {
        throw RecordError(.unknownMember, "is no member of the kind \(self.name)", path: path.description)
      }
      if case .object(let members) = value { try checkMembers(of: members, below: path) }
    }
  }
}
