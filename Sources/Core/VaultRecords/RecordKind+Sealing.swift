public import VaultDocument
public import VaultSealing

extension RecordKind {
  /// Makes the members of a record from clear input: checks them, and seals with `context` the values that the kind
  /// seals.
  ///
  /// Input in the form of an older schema is accepted.
  ///
  /// - Parameter keepingUnknown: whether members that the kind does not have are sealed in ``extraMember``, by their
  ///   paths; otherwise they are refused.
  /// - Throws: ``RecordError`` `.reservedMember`, `.unknownMember`, `.missingMember`, `.wrongType`, `.invalidValue`,
  ///   `.sealing`.
  public func sealed(
    clear input: JSONObject, keepingUnknown: Bool = false, in context: SealingContext
  ) throws(RecordError) -> JSONObject {
    guard input[RecordEnvelope.memberName] == nil else {
      throw RecordError(.reservedMember, "is reserved for the vault", path: RecordEnvelope.memberName)
    }
    var reader = InputReader(kind: name, keepsUnknown: keepingUnknown)
    guard case .object(var members) = try reader.read(.object(modernised(input)), as: whole) else { return input }
    let given = members[Self.extraMember]?.object ?? JSONObject()
    let extra = given.merging(try Self.extra(reader.unknown, besides: given))
    members[Self.extraMember] = nil
    let whole = try counted(completed(members, before: nil), before: nil, RecordKind.byteCount(ofClear:))
    var sealed = try encoded(whole, in: context)
    if !extra.isEmpty { sealed[Self.extraMember] = try encoded(.object(extra), at: Self.extraPath, in: context) }
    return sealed
  }

  /// The members of a record as its type or its description encodes them. All sealing happens here.
  private func encoded(_ members: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject {
    guard let type else {
      return try encoded(.object(members), at: .root, in: context).object ?? JSONObject()
    }
    return try type.recode(members, context.reading(.clearText), context)
  }

  /// A value of one place of a record, encoded by the description.
  private func encoded(
    _ value: JSONValue, at path: MemberPath, in context: SealingContext
  ) throws(RecordError) -> JSONValue {
    do {
      let tree = SealedTree(value: value, seals: seals?.part(at: pathInCurrentSchema(path)), path: path)
      return try TreeEncoder(sealingWith: context).encode(tree)
    } catch {
      throw RecordError(coding: error)
    }
  }

  /// Opens, with `context`, the members that another program has sealed, where the kind seals.
  ///
  /// - Throws: ``RecordError`` `.sealing` with the path of the first value that does not open.
  public func opened(_ members: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject {
    guard let seals else { return members }
    return try seals.opened(.object(members), at: .root, in: context).object ?? members
  }

  /// Checks clear input like ``sealed(clear:keepingUnknown:in:)`` but seals nothing.
  ///
  /// - Throws: ``RecordError`` like that function, except `.sealing`.
  public func check(clear input: JSONObject) throws(RecordError) {
    guard input[RecordEnvelope.memberName] == nil else {
      throw RecordError(.reservedMember, "is reserved for the vault", path: RecordEnvelope.memberName)
    }
    var reader = InputReader(kind: name)
    guard case .object(let members) = try reader.read(.object(modernised(input)), as: whole) else { return }
    _ = try counted(completed(members, before: nil), before: nil, RecordKind.byteCount(ofClear:))
  }

  /// The unknown members by their paths. A path that `given`, the input for ``extraMember``, has too is refused.
  private static func extra(
    _ unknown: [(path: MemberPath, value: JSONValue)], besides given: JSONObject
  ) throws(RecordError) -> JSONObject {
    var extra = JSONObject()
    for (path, value) in unknown {
      let name = path.description
      guard given[name] == nil else {
        throw RecordError(.unknownMember, "is not a field of the kind, and is already in extra", path: name)
      }
      extra[name] = value
    }
    return extra
  }

  /// A token for a value without a place: of text as it is, of anything else as JSON.
  package static func token(of value: JSONValue, in context: SealingContext) throws(RecordError) -> String {
    do {
      let text = try SealedTree.plaintext(of: value, isText: true, at: .root)
      return try TreeEncoder(sealingWith: context).encode(EncryptedCodableString(text)).string ?? ""
    } catch {
      throw RecordError(coding: error)
    }
  }

  private static let extraPath = MemberPath([.member(extraMember)])

  /// Checks a clear value for one place of a record and seals the parts that the kind seals.
  ///
  /// - Throws: ``RecordError`` like ``sealed(clear:keepingUnknown:in:)``, `.unknownMember` if the kind does not have
  ///   the member.
  public func sealed(
    _ value: JSONValue, at path: MemberPath, in context: SealingContext
  ) throws(RecordError) -> JSONValue {
    guard let schema = self.value(at: path) else {
      throw RecordError(.unknownMember, "is not a field of the kind \(name)", path: path.description)
    }
    var reader = InputReader(kind: name)
    return try encoded(reader.read(value, as: schema, at: path), at: path, in: context)
  }

  /// Checks a clear value for a sealed place and returns the text of its token.
  ///
  /// - Throws: ``RecordError`` like ``sealed(clear:keepingUnknown:in:)``.
  public func plaintext(of value: JSONValue, at path: MemberPath) throws(RecordError) -> String {
    guard let schema = self.value(at: path) else {
      throw RecordError(.unknownMember, "is not a field of the kind \(name)", path: path.description)
    }
    var reader = InputReader(kind: name)
    let checked = try reader.read(value, as: schema, at: path)
    return try SealedTree.plaintext(of: checked, isText: schema.isText, at: path)
  }

  /// The text of the token of a former value, which need not fit the present rules of its place.
  ///
  /// - Throws: ``RecordError`` `.invalidValue` if the kind seals nothing at the path, or no such value.
  package func plaintext(ofFormer value: JSONValue, at path: MemberPath) throws(RecordError) -> String {
    guard case .sealed(let isText)? = seals?.part(at: pathInCurrentSchema(path))?.form else {
      throw RecordError(.invalidValue, "is not a sealed field, so it cannot have former values", path: path.description)
    }
    guard !isText || value.string != nil else {
      throw RecordError(.invalidValue, "has a former value that is not text", path: path.description)
    }
    return try SealedTree.plaintext(of: value, isText: isText, at: path)
  }
}

extension JSONObject {
  /// These members and others with different names.
  fileprivate func merging(_ others: JSONObject) -> JSONObject {
    var merged = self
    for (name, value) in others { merged[name] = value }
    return merged
  }
}
