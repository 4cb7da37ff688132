public import VaultCrypto
public import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// One change of one member of a record.
public struct FieldEdit: Sendable {
  enum Change: Sendable {
    case readable(JSONValue)
    case secret(SecretBytes)
    case removal
  }

  public let path: MemberPath
  let change: Change

  /// Gives a readable member a value.
  public static func set(_ path: MemberPath, to value: JSONValue) -> FieldEdit {
    FieldEdit(path: path, change: .readable(value))
  }

  /// Gives a sealed member a value of UTF-8 bytes.
  public static func seal(_ path: MemberPath, _ secret: SecretBytes) -> FieldEdit {
    FieldEdit(path: path, change: .secret(secret))
  }

  /// Takes a member away.
  public static func unset(_ path: MemberPath) -> FieldEdit { FieldEdit(path: path, change: .removal) }
}

/// Applies edits to the members of a verified record.
struct FieldEditor {
  let record: OpenRecord
  let kind: RecordKind?
  let now: Timestamp

  init(_ record: OpenRecord, now: Timestamp) {
    self.record = record
    kind = try? RecordKind.named(record.envelope.kind)
    self.now = now
  }

  /// The members after the edits; equal to the old ones where an edit changes nothing.
  ///
  /// - Throws: ``VaultError`` `.noSuchMember`, `.usage`, `.inputRefused`.
  func edited(_ edits: [FieldEdit]) throws(VaultError) -> JSONObject {
    if let kind, record.envelope.schema > kind.schema {
      throw VaultError(
        .newerFormat, "was written by a newer version of this program and is read-only here", file: record.file,
        record: record.id)
    }
    var tree = JSONValue.object(record.fields)
    for edit in edits { try apply(edit, to: &tree) }
    guard case .object(let members) = tree else { preconditionFailure("edits below the top leave an object") }
    guard members != record.fields else { return record.fields }
    do throws(RecordError) {
      try kind?.validate(members, in: record.verified.context())
    } catch {
      throw VaultError(record: error, id: record.id, input: true)
    }
    return members
  }

  private func apply(_ edit: FieldEdit, to tree: inout JSONValue) throws(VaultError) {
    guard edit.path.components.first != .member(RecordEnvelope.memberName) else {
      throw refused(edit.path, "belongs to the vault")
    }
    switch edit.change {
    case .removal: try remove(edit.path, from: &tree)
    case .readable(let value): try put(try checked(value, at: edit.path, in: tree), at: edit.path, into: &tree)
    case .secret(let secret): try put(try sealed(secret, at: edit.path, in: tree), at: edit.path, into: &tree)
    }
  }

  private func remove(_ path: MemberPath, from tree: inout JSONValue) throws(VaultError) {
    _ = try record.value(at: path)
    do throws(DocumentError) {
      try tree.remove(at: path)
    } catch {
      throw refused(path, error.reason)
    }
  }

  private func put(_ value: JSONValue, at path: MemberPath, into tree: inout JSONValue) throws(VaultError) {
    do throws(DocumentError) {
      try tree.set(value, at: path)
    } catch {
      throw refused(path, error.reason)
    }
  }

  /// A readable value, refused where the member is sealed.
  private func checked(
    _ value: JSONValue, at path: MemberPath, in tree: JSONValue
  ) throws(VaultError) -> JSONValue {
    guard try !isSealed(path, in: tree) else {
      throw VaultError(
        .usage, "is a sealed member: its value must not be an argument", record: record.id, field: path.description,
        hints: ["use --secret \(path), --secret-stdin \(path) or --secret-file \(path)=FILE"])
    }
    guard let field = kind?.field(at: path), field.type == .date, case .string(let text) = value else { return value }
    guard let date = try? Timestamp(parsing: text) else { throw refused(path, "is not a date in ISO 8601") }
    if case .string(let old)? = try? tree.value(at: path), (try? Timestamp(parsing: old)) == date {
      return .string(old)
    }
    return .string(date.text)
  }

  /// A token of `secret`; the old one where the secret is the same.
  private func sealed(
    _ secret: SecretBytes, at path: MemberPath, in tree: JSONValue
  ) throws(VaultError) -> JSONValue {
    guard try isSealed(path, in: tree) else {
      throw VaultError(
        .usage, "is a readable member of the kind \(record.envelope.kind)", record: record.id,
        field: path.description, hints: ["give it as \(path)=VALUE"])
    }
    do throws(SealingError) {
      if case .string(let old)? = try? tree.value(at: path), SealedToken.hasTokenShape(old),
        try record.verified.keys.opens(old, to: secret)
      {
        return .string(old)
      }
      return .string(try record.verified.keys.seal(secret, at: now))
    } catch {
      throw VaultError(sealing: error, record: record.id)
    }
  }

  /// What the kind says, or for an unknown kind what the record has there.
  private func isSealed(_ path: MemberPath, in tree: JSONValue) throws(VaultError) -> Bool {
    if let field = kind?.field(at: path) { return field.isSealed }
    if let kind { throw refused(path, "is no member of the kind \(kind.name)") }
    guard case .string(let text)? = try? tree.value(at: path) else { return false }
    return SealedToken.hasTokenShape(text)
  }

  private func refused(_ path: MemberPath, _ reason: String) -> VaultError {
    VaultError(.inputRefused, reason, record: record.id, field: path.description)
  }
}

extension Vault {
  /// Changes single members of a record and touches nothing else in it.
  ///
  /// - Parameter expected: the record that the edits were made from; nil takes it as it is now.
  /// - Returns: whether anything changed; nothing is written otherwise.
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.noSuchMember`, `.usage`, `.inputRefused`, `.changedUnderneath` when the
  ///   record is no longer the expected one, `.damaged`, and as ``add(_:)``.
  @discardableResult
  public func edit(
    _ id: RecordID, _ edits: [FieldEdit], expecting expected: OpenRecord? = nil
  ) async throws(VaultError) -> Bool {
    try writing { lock throws(VaultError) in
      let old = try verifiedRecord(id)
      if let expected, expected.bytes != old.bytes {
        throw VaultError(
          .changedUnderneath, "was changed by someone else meanwhile", file: old.file, record: id,
          hints: ["look at the record again and repeat the change"])
      }
      return try replace(old, with: FieldEditor(old, now: options.now()).edited(edits), lock)
    }
  }
}
