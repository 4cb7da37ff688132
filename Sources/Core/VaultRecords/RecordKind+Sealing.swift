public import VaultDocument
public import VaultSealing

extension RecordKind {
  /// Makes the members of a record from clear input: checked, and sealed with `context` where the kind seals.
  ///
  /// Input in the form of an older schema is taken as well.
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

  /// The members of a record as its type, or its description, encodes them: this is where everything is sealed.
  private func encoded(_ members: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject {
    guard let type else {
      return try encoded(.object(members), at: .root, in: context).object ?? JSONObject()
    }
    return try type.recode(members, context.reading(.clearText), context)
  }

  /// A value of one place of a record, encoded as the description says.
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

  /// Members in clear, of which another program has sealed those that the kind seals: they are opened with `context`.
  ///
  /// - Throws: ``RecordError`` `.sealing` with the path of the first that does not open.
  public func opened(_ members: JSONObject, in context: SealingContext) throws(RecordError) -> JSONObject {
    guard let seals else { return members }
    return try seals.opened(.object(members), at: .root, in: context).object ?? members
  }

  /// Checks clear input as ``sealed(clear:keepingUnknown:in:)`` does, and seals nothing.
  ///
  /// - Throws: ``RecordError`` as that, but `.sealing`.
  public func check(clear input: JSONObject) throws(RecordError) {
    guard input[RecordEnvelope.memberName] == nil else {
      throw RecordError(.reservedMember, "is reserved for the vault", path: RecordEnvelope.memberName)
    }
    var reader = InputReader(kind: name)
    guard case .object(let members) = try reader.read(.object(modernised(input)), as: whole) else { return }
    _ = try counted(completed(members, before: nil), before: nil, RecordKind.byteCount(ofClear:))
  }

  /// Unknown members by their paths.
  private static func extra(
    _ unknown: [(path: MemberPath, value: JSONValue)], besides given: JSONObject
  ) throws(RecordError) -> JSONObject {
    var extra = JSONObject()
    for (path, value) in unknown {
      let name = path.description
      guard given[name] == nil else {
        throw RecordError(.unknownMember, "is no field of the kind, and stands in extra already", path: name)
      }
      extra[name] = value
    }
    return extra
  }

  /// A token of a value that stands nowhere yet: of text as it is, of anything else as JSON.
  package static func token(of value: JSONValue, in context: SealingContext) throws(RecordError) -> String {
    do {
      let text = try SealedTree.plaintext(of: value, isText: true, at: .root)
      return try TreeEncoder(sealingWith: context).encode(EncryptedCodableString(text)).string ?? ""
    } catch {
      throw RecordError(coding: error)
    }
  }

  private static let extraPath = MemberPath([.member(extraMember)])

  /// Checks a clear value for one place of a record and seals in it what the kind seals.
  ///
  /// - Throws: ``RecordError`` as ``sealed(clear:keepingUnknown:in:)``, `.unknownMember` where the kind has no such
  ///   member.
  public func sealed(
    _ value: JSONValue, at path: MemberPath, in context: SealingContext
  ) throws(RecordError) -> JSONValue {
    guard let schema = self.value(at: path) else {
      throw RecordError(.unknownMember, "is no field of the kind \(name)", path: path.description)
    }
    var reader = InputReader(kind: name)
    return try encoded(reader.read(value, as: schema, at: path), at: path, in: context)
  }

  /// Checks a clear value for a sealed place and gives what its token holds.
  ///
  /// - Throws: ``RecordError`` as ``sealed(clear:keepingUnknown:in:)``.
  public func plaintext(of value: JSONValue, at path: MemberPath) throws(RecordError) -> String {
    guard let schema = self.value(at: path) else {
      throw RecordError(.unknownMember, "is no field of the kind \(name)", path: path.description)
    }
    var reader = InputReader(kind: name)
    let checked = try reader.read(value, as: schema, at: path)
    return try SealedTree.plaintext(of: checked, isText: schema.isText, at: path)
  }
}

extension JSONObject {
  /// These members and others, which differ from them in name.
  fileprivate func merging(_ others: JSONObject) -> JSONObject {
    var merged = self
    for (name, value) in others { merged[name] = value }
    return merged
  }
}
