public import VaultDocument

/// What a record's `$vault` member is made of before its MAC is.
public struct EnvelopeDraft: Sendable {
  public var id: RecordID
  public var kind: String
  public var schema: Int
  public var revision: Int
  /// As it is written, so that an update keeps the literal of the file.
  public var createdAtText: String
  public var updatedAt: Timestamp
  public var deletedAt: Timestamp?
  public var wrappedKey: WrappedKey

  /// The envelope of a new record: revision 1, both times `now`.
  public init(id: RecordID, kind: String, schema: Int, now: Timestamp, wrappedKey: WrappedKey) {
    self.id = id
    self.kind = kind
    self.schema = schema
    revision = 1
    createdAtText = now.text
    updatedAt = now
    self.wrappedKey = wrappedKey
  }

  /// The envelope of the next revision of a record that verified.
  public init(next record: VerifiedRecord, now: Timestamp) {
    id = record.envelope.id
    kind = record.envelope.kind
    schema = record.envelope.schema
    revision = record.envelope.revision + 1
    createdAtText = record.createdAtText
    updatedAt = now
    wrappedKey = record.envelope.wrappedKey
  }

  /// The envelope of a later revision of a record that did not verify, when a person has looked at it.
  ///
  /// - Parameter createdAtText: as the file writes it.
  public init(accepting envelope: RecordEnvelope, createdAtText: String, revision: Int, now: Timestamp) {
    id = envelope.id
    kind = envelope.kind
    schema = envelope.schema
    self.revision = revision
    self.createdAtText = createdAtText
    updatedAt = now
    wrappedKey = envelope.wrappedKey
  }

  func members() -> JSONObject {
    var members = JSONObject()
    members["created_at"] = .string(createdAtText)
    members["format"] = .number(JSONNumber(RecordEnvelope.format))
    members["id"] = .string(id.text)
    members["key"] = .string(wrappedKey.text)
    members["kind"] = .string(kind)
    members["revision"] = .number(JSONNumber(revision))
    members["schema"] = .number(JSONNumber(schema))
    members["updated_at"] = .string(updatedAt.text)
    if let deletedAt { members["deleted_at"] = .string(deletedAt.text) }
    return members
  }
}

/// A record whose MAC was verified; nothing of it was opened yet.
public struct VerifiedRecord: Sendable {
  public let envelope: RecordEnvelope
  /// The record's own members, sealed fields as tokens.
  public let fields: JSONObject
  public let keys: RecordKeys
  /// The whole tree of the file.
  let document: JSONValue
  let createdAtText: String

  /// The sealing context of this record.
  public func context(sealingAt time: Timestamp? = nil) -> SealingContext { keys.context(sealingAt: time) }
}

/// Makes and verifies record documents: own members, `$vault`, and the MAC over all of it.
public enum RecordSeal {
  /// Verifies the tree of a record file.
  ///
  /// - Parameters:
  ///   - id: the id that the file's name says.
  ///   - root: gives the root key whose id begins with the 8 bytes, or throws `.unknownRoot`.
  /// - Throws: ``SealingError`` `.malformedEnvelope`, `.newerFormat`, `.foreignToken` for another record's file,
  ///   `.unknownRoot`, `.authenticationFailed`.
  public static func verify(
    _ document: JSONValue, as id: RecordID, root: ([UInt8]) throws(SealingError) -> RootKey
  ) throws(SealingError) -> VerifiedRecord {
    let envelope = try RecordEnvelope(of: document)
    guard envelope.id == id else {
      throw SealingError(.malformedEnvelope, "holds the record of another file", path: "$vault.id")
    }
    let keys = try root(envelope.wrappedKey.rootHint).recordKeys(from: envelope.wrappedKey, record: id)
    guard case .object(var fields) = document, case .object(let members)? = fields[RecordEnvelope.memberName],
      case .string(let createdAtText)? = members["created_at"]
    else { throw SealingError(.malformedEnvelope, "has no $vault member: this is no record") }
    let expected = try mac(of: fields, keys)
    guard constantTimeEqual(expected, envelope.mac) else {
      throw SealingError(.authenticationFailed, "does not authenticate: it was changed or damaged")
    }
    fields[RecordEnvelope.memberName] = nil
    return VerifiedRecord(
      envelope: envelope, fields: fields, keys: keys, document: document, createdAtText: createdAtText)
  }

  /// Completes a record: every token must open under `keys`, one that stands twice is sealed afresh, and the MAC is made.
  ///
  /// - Parameter fields: the record's own members, sealed fields as tokens of `keys`.
  /// - Throws: ``SealingError`` `.reservedMember` when `fields` has a member `$vault`, `.tokenShapedText` when a readable
  ///   value looks like a token.
  public static func seal(
    _ fields: JSONObject, _ draft: EnvelopeDraft, keys: RecordKeys
  ) throws(SealingError) -> JSONValue {
    guard fields[RecordEnvelope.memberName] == nil else {
      throw SealingError(
        .reservedMember, "is reserved and cannot be a member of a record", path: RecordEnvelope.memberName)
    }
    var check = TokenCheck(keys: keys, time: draft.updatedAt)
    return try complete(check.checked(fields), draft, keys: keys)
  }

  /// Adds envelope and MAC to fields whose tokens are known to be good.
  static func complete(
    _ fields: JSONObject, _ draft: EnvelopeDraft, keys: RecordKeys
  ) throws(SealingError) -> JSONValue {
    var record = fields
    var members = draft.members()
    record[RecordEnvelope.memberName] = .object(members)
    members["mac"] = .string(Base64.encode(try mac(of: record, keys)))
    record[RecordEnvelope.memberName] = .object(members)
    return .object(record)
  }

  /// MAC input of format 1, section 6: everything but `$vault.mac` and `$vault.key`.
  private static func mac(of record: JSONObject, _ keys: RecordKeys) throws(SealingError) -> [UInt8] {
    var record = record
    if case .object(var members)? = record[RecordEnvelope.memberName] {
      members["mac"] = nil
      members["key"] = nil
      record[RecordEnvelope.memberName] = .object(members)
    }
    let tree = JSONValue.object(record).canonicalBytes()
    return try keys.authenticate(
      CanonicalEncoding.enc("ecv/1/record-mac", [keys.vaultID.bytes, keys.recordID.bytes, tree]))
  }
}

/// Walks the members of a record before it is written and looks at everything that has the shape of a token.
private struct TokenCheck {
  let keys: RecordKeys
  let time: Timestamp
  private var seen: Set<String> = []

  init(keys: RecordKeys, time: Timestamp) {
    self.keys = keys
    self.time = time
  }

  mutating func checked(_ fields: JSONObject) throws(SealingError) -> JSONObject {
    var tree = JSONValue.object(fields)
    try tree.mapStrings { path, text throws(SealingError) in
      SealedToken.hasTokenShape(text) ? try checked(text, at: path) : text
    }
    guard case .object(let members) = tree else { preconditionFailure("strings of an object were replaced") }
    return members
  }

  /// The token to write where `token` stands.
  private mutating func checked(_ token: String, at path: MemberPath) throws(SealingError) -> String {
    let secret: SealedState
    do throws(SealingError) {
      secret = try SealedState(reading: token, context: keys.context())
    } catch {
      if error.code == .memoryUnavailable || error.code == .cryptoFailed { throw error }
      throw SealingError(
        .tokenShapedText, "looks like a sealed value but is none of this record",
        path: path.description, underlying: error)
    }
    // Tokens that opened are ASCII, so equal strings are equal bytes.
    if seen.insert(token).inserted { return token }
    return try secret.secretText().withBytes { bytes throws(SealingError) in try keys.seal(bytes, at: time) }
  }
}
