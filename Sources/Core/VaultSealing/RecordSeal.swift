public import VaultDocument

/// The content of a record's `$vault` member before its MAC is computed.
public struct EnvelopeDraft: Sendable {
  /// The id of the record.
  public var id: RecordID
  /// The name of its kind.
  public var kind: String
  /// The version of the encoded form of its members, from 1.
  public var schema: Int
  /// The revision, which counts this write.
  public var revision: Int
  /// The literal text, so that an update keeps that of the file.
  public var createdAtText: String
  /// The time of this write.
  public var updatedAt: Timestamp
  /// `updatedAt` in the spelling of another version, which a merge keeps; nil for this program's own spelling.
  public var updatedAtText: String?
  /// The time of removal; nil for a live record.
  public var deletedAt: Timestamp?
  /// The extensions of the format that a reader must know, ascending. The extension of attachments may be left out.
  public var requirements: [String] = []
  /// The attachments of the record, sealed under its data key.
  public var attachments: [Attachment] = []
  /// The former values of the version before, sealed under its data key.
  public var former = FormerValues()
  /// How many former values of one path stay.
  public var formerCount = FormerValues.defaultCount
  /// The members of the version before, of the same data key, whose values become former ones if they are replaced.
  package var predecessor: JSONObject?
  /// Its data key, wrapped by a root key.
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

  /// The envelope of the next revision of a verified record, which is live even if the record was in the trash.
  public init(next record: VerifiedRecord, now: Timestamp) {
    id = record.envelope.id
    kind = record.envelope.kind
    schema = record.envelope.schema
    revision = record.envelope.revision + 1
    createdAtText = record.createdAtText
    updatedAt = now
    requirements = record.envelope.requirements
    attachments = record.envelope.attachments
    former = record.envelope.former
    predecessor = record.fields
    wrappedKey = record.envelope.wrappedKey
  }

  /// The envelope of a later revision of a record that did not verify, after a person has looked at it. The revision
  /// is live.
  ///
  /// - Parameter createdAtText: the text in the file.
  public init(accepting envelope: RecordEnvelope, createdAtText: String, revision: Int, now: Timestamp) {
    id = envelope.id
    kind = envelope.kind
    schema = envelope.schema
    self.revision = revision
    self.createdAtText = createdAtText
    updatedAt = now
    requirements = envelope.requirements
    attachments = envelope.attachments
    former = envelope.former
    wrappedKey = envelope.wrappedKey
  }

  /// With null in place of the MAC, which does not cover itself.
  func members() -> JSONObject {
    var members: [JSONObject.Element] = []
    members.reserveCapacity(13)
    let requirements = Requirements.names(
      requirements, naming: Requirements.attachments, !attachments.isEmpty)
    if !attachments.isEmpty { members.append((Attachment.memberName, Attachment.value(of: attachments))) }
    members.append(("created_at", .string(createdAtText)))
    if let deletedAt { members.append(("deleted_at", .string(deletedAt.text))) }
    members.append(("format", .number(JSONNumber(RecordEnvelope.format))))
    if !former.isEmpty { members.append((FormerValues.memberName, former.value)) }
    members.append(("id", .string(id.text)))
    members.append(("key", .string(wrappedKey.text)))
    members.append(("kind", .string(kind)))
    members.append(("mac", .null))
    if !requirements.isEmpty { members.append(("requires", .array(requirements.map { .string($0) }))) }
    members.append(("revision", .number(JSONNumber(revision))))
    members.append(("schema", .number(JSONNumber(schema))))
    members.append(("updated_at", .string(updatedAtText ?? updatedAt.text)))
    return JSONObject(ascending: members)
  }
}

/// A record whose MAC was verified; no field has been opened yet.
public struct VerifiedRecord: Sendable {
  /// Its `$vault` member.
  public let envelope: RecordEnvelope
  /// The record's own members, sealed fields as tokens.
  public let fields: JSONObject
  /// The keys that open and seal its fields.
  public let keys: RecordKeys
  let root: RootKey
  /// The whole tree of the file.
  let document: JSONValue
  let createdAtText: String

  /// The sealing context of this record.
  public func context(sealingAt time: Timestamp? = nil) -> SealingContext { keys.context(sealingAt: time) }

  /// The context for callers that may not look at every field: values keep their tokens until they are used.
  ///
  /// Until then they hold no locked memory. If another process has the root key, fields are opened when they are read,
  /// because that process would be asked for each field.
  ///
  /// - Parameter onReveal: called when such a value was opened for its text, and not when values are compared.
  public func contextOpeningOnDemand(onReveal: (@Sendable () -> Void)? = nil) -> SealingContext {
    root.holder == nil ? keys.context(openedBy: root, envelope.wrappedKey, onReveal) : keys.context()
  }
}

/// A newly made document of a record, and the identity of this version.
public struct SealedRecord: Sendable {
  /// The whole tree of the file, with `$vault` and its MAC.
  public let document: JSONValue
  /// The id of the record.
  public let id: RecordID
  /// Its revision, from 1.
  public let revision: Int
  /// 32 bytes.
  public let mac: [UInt8]
  /// The time of removal; nil for a live record.
  public let deletedAt: Timestamp?
}

/// Makes and verifies record documents: own members, `$vault`, and the MAC over all of it.
public enum RecordSeal {
  /// Verifies the tree of a record file.
  ///
  /// - Parameters:
  ///   - id: the id in the file's name.
  ///   - root: gives the root key whose id begins with the 8 bytes, or throws `.unknownRoot`.
  /// - Throws: ``SealingError`` `.malformedEnvelope`, `.newerFormat`, `.foreignToken` for another record's file,
  ///   `.unknownRoot`, `.authenticationFailed`.
  public static func verify(
    _ document: JSONValue, as id: RecordID, root: ([UInt8]) throws(SealingError) -> RootKey
  ) throws(SealingError) -> VerifiedRecord {
    let envelope = try RecordEnvelope(of: document)
    guard envelope.id == id else {
      throw SealingError(.malformedEnvelope, "the id and the file name differ", path: "$vault.id")
    }
    let root = try root(envelope.wrappedKey.rootHint)
    let keys = try root.recordKeys(from: envelope.wrappedKey, record: id)
    guard case .object(var fields) = document, case .object(let members)? = fields[RecordEnvelope.memberName],
      case .string(let createdAtText)? = members["created_at"]
    else { throw SealingError(.malformedEnvelope, "has no $vault member: this is not a record") }
    let expected = try mac(of: fields, keys)
    guard constantTimeEqual(expected, envelope.mac) else {
      throw SealingError(.authenticationFailed, "does not authenticate: it was changed or damaged")
    }
    fields[RecordEnvelope.memberName] = nil
    return VerifiedRecord(
      envelope: envelope, fields: fields, keys: keys, root: root, document: document, createdAtText: createdAtText)
  }

  /// Completes a record: checks that every token opens under `keys`, seals repeated tokens again, keeps replaced
  /// values of the version before as former ones, and makes the MAC.
  ///
  /// - Parameter fields: the record's own members, sealed fields as tokens of `keys`.
  /// - Throws: ``SealingError`` `.reservedMember` if `fields` has a member `$vault`, `.tokenShapedText` if a readable
  ///   value looks like a token.
  public static func seal(
    _ fields: JSONObject, _ draft: EnvelopeDraft, keys: RecordKeys
  ) throws(SealingError) -> SealedRecord {
    guard fields[RecordEnvelope.memberName] == nil else {
      throw SealingError(
        .reservedMember, "is reserved and cannot be a member of a record", path: RecordEnvelope.memberName)
    }
    var check = TokenCheck(keys: keys, time: draft.updatedAt)
    let checked = try check.checked(fields)
    var draft = draft
    draft.former = draft.former.following(draft.predecessor, by: checked, keys, atMost: draft.formerCount)
    return try complete(checked, draft, keys: keys)
  }

  /// Adds envelope and MAC to fields without `$vault`. The caller knows that all their tokens open under `keys`.
  static func complete(
    _ fields: JSONObject, _ draft: EnvelopeDraft, keys: RecordKeys
  ) throws(SealingError) -> SealedRecord {
    var members = draft.members()
    var record = fields.adding(RecordEnvelope.memberName, .object(members))
    let mac = try mac(of: record, keys)
    members["mac"] = .string(Base64.encode(mac))
    record[RecordEnvelope.memberName] = .object(members)
    return SealedRecord(
      document: .object(record), id: draft.id, revision: draft.revision, mac: mac, deletedAt: draft.deletedAt)
  }

  /// MAC input of format 1, section 6, Records: everything except `$vault.mac` and `$vault.key`.
  private static func mac(of record: JSONObject, _ keys: RecordKeys) throws(SealingError) -> [UInt8] {
    var input = CanonicalEncoding.Builder("ecv/1/record-mac", itemCount: 3)
    input.append(keys.vaultID)
    input.append(keys.recordID)
    input.append(canonical: record, leavingOut: ["mac", "key"], in: RecordEnvelope.memberName)
    return try keys.authenticate(input.finish())
  }
}

/// Walks the members of a record before it is written and checks everything that has the shape of a token.
private struct TokenCheck {
  let keys: RecordKeys
  let time: Timestamp
  private var seen = TokenSet()

  init(keys: RecordKeys, time: Timestamp) {
    self.keys = keys
    self.time = time
  }

  /// Refuses tokens that do not open under `keys`. In the result, each repetition of a token is sealed again.
  mutating func checked(_ fields: JSONObject) throws(SealingError) -> JSONObject {
    var tree = JSONValue.object(fields)
    // A token that was opened when it was sealed need not be opened again, so no path is needed for an error.
    var isRepeated = false
    let areKnown = tree.allStrings { text in
      guard SealedToken.hasTokenShape(text) else { return true }
      if !seen.insert(text) { isRepeated = true }
      return keys.hasSealed(text)
    }
    guard try areKnown ? isRepeated : openAll(tree) else { return fields }
    seen = TokenSet()
    try tree.mapStrings { _, text throws(SealingError) in
      guard SealedToken.hasTokenShape(text), !seen.insert(text) else { return text }
      return try keys.sealingAgain(text, at: time)
    }
    guard case .object(let members) = tree else { preconditionFailure("strings of an object were replaced") }
    return members
  }

  /// Opens every token and returns whether one occurs twice.
  private mutating func openAll(_ tree: JSONValue) throws(SealingError) -> Bool {
    var isRepeated = false
    seen = TokenSet()
    try tree.forEachString { path, text throws(SealingError) in
      guard SealedToken.hasTokenShape(text) else { return }
      try requireOwn(text, at: path)
      // Tokens that opened are ASCII, so equal strings are equal bytes.
      if !seen.insert(text) { isRepeated = true }
    }
    return isRepeated
  }

  /// Errors of memory or the library are thrown as they are, because they say nothing about the token.
  private func requireOwn(_ token: String, at path: MemberPath) throws(SealingError) {
    guard !keys.hasSealed(token) else { return }
    do throws(SealingError) {
      try keys.checkOpens(token)
    } catch {
      if error.code == .memoryUnavailable || error.code == .cryptoFailed { throw error }
      throw SealingError(
        .tokenShapedText, "is written like a sealed value, but is not one of this record",
        path: path.description, underlying: error)
    }
  }
}
