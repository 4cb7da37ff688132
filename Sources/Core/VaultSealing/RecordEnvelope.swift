public import VaultDocument

/// The `$vault` member of a record (format 1, section 6, Records).
public struct RecordEnvelope: Sendable {
  /// The name of the reserved member.
  public static let memberName = "$vault"
  /// The member of `$vault` that lists the attachments.
  public static let attachmentsMemberName = Attachment.memberName
  /// The only format that this program writes and reads.
  public static let format = 1

  /// The id of the record, which names its file.
  public let id: RecordID
  /// The name of its kind.
  public let kind: String
  /// The version of the encoded form of its members, from 1.
  public let schema: Int
  /// How many times it was written, from 1.
  public let revision: Int
  /// When it was added.
  public let createdAt: Timestamp
  /// The time of the last write.
  public let updatedAt: Timestamp
  /// The time of removal; only in the trash.
  public let deletedAt: Timestamp?
  /// The extensions of the format that a reader must know, ascending.
  public let requirements: [String]
  /// The attachments of the record, by id, ascending.
  public let attachments: [Attachment]
  /// The sealed values that were replaced or removed.
  public let former: FormerValues
  /// Its data key, wrapped by a root key.
  public let wrappedKey: WrappedKey
  /// 32 bytes.
  public let mac: [UInt8]

  private static let macByteCount = 32

  /// Reads the member strictly from the tree of a record file. Nothing is authentic before ``RecordSeal`` verifies it.
  ///
  /// - Throws: ``SealingError`` `.malformedEnvelope`, `.newerFormat`, `.malformedWrappedKey`.
  public init(of document: JSONValue) throws(SealingError) {
    guard case .object(let record) = document, case .object(let members)? = record[Self.memberName] else {
      throw SealingError(.malformedEnvelope, "has no $vault member: this is not a record")
    }
    try self.init(members)
  }

  private init(_ members: JSONObject) throws(SealingError) {
    guard try Self.number(members, "format") == JSONNumber(Self.format) else {
      throw SealingError(.newerFormat, "was written by a newer version of this program", path: "$vault.format")
    }
    requirements = try Self.requirements(members)
    attachments = try Self.attachments(members, requirements)
    former = try Self.former(members)
    id = try Self.identifier(members)
    kind = try Self.text(members, "kind")
    guard RecordKindName.isValid(kind) else { throw Self.malformed("kind") }
    schema = try Self.integer(members, "schema")
    revision = try Self.integer(members, "revision")
    guard schema >= 1 else { throw Self.malformed("schema") }
    guard revision >= 1 else { throw Self.malformed("revision") }
    createdAt = try Self.time(members, "created_at")
    updatedAt = try Self.time(members, "updated_at")
    deletedAt = members["deleted_at"] == nil ? nil : try Self.time(members, "deleted_at")
    wrappedKey = try WrappedKey(parsing: Self.text(members, "key"))
    guard let mac = try? Base64.decode(Self.text(members, "mac")), mac.count == Self.macByteCount else {
      throw Self.malformed("mac")
    }
    self.mac = mac
    // All known members that exist were read, so more members means an unknown one.
    let optionalCount =
      [deletedAt == nil, requirements.isEmpty, attachments.isEmpty, former.isEmpty].count { !$0 }
    guard members.count == Self.requiredMemberCount + optionalCount else {
      throw SealingError(.malformedEnvelope, "has a member in $vault that format 1 does not know")
    }
  }

  /// All but `attachments`, `deleted_at`, `former` and `requires`.
  private static let requiredMemberCount = 9

  private static func malformed(_ name: String) -> SealingError {
    SealingError(.malformedEnvelope, "is missing or not of format 1", path: "$vault.\(name)")
  }

  /// Read first, because an extension may change the form of other members.
  private static func requirements(_ members: JSONObject) throws(SealingError) -> [String] {
    guard let names = Requirements.names(in: members) else { throw malformed(Requirements.memberName) }
    if let refusal = Requirements.refusal(of: names) {
      throw SealingError(.newerFormat, refusal, path: "$vault.\(Requirements.memberName)")
    }
    return names
  }

  /// There are attachments exactly if the extension is required.
  private static func attachments(
    _ members: JSONObject, _ requirements: [String]
  ) throws(SealingError) -> [Attachment] {
    let value = members[Attachment.memberName]
    guard requirements.contains(Requirements.attachments) == (value != nil) else {
      throw malformed(Attachment.memberName)
    }
    guard let value else { return [] }
    guard let attachments = Attachment.all(in: value) else { throw malformed(Attachment.memberName) }
    return attachments
  }

  private static func former(_ members: JSONObject) throws(SealingError) -> FormerValues {
    guard let value = members[FormerValues.memberName] else { return FormerValues() }
    guard let former = FormerValues(value) else { throw malformed(FormerValues.memberName) }
    return former
  }

  private static func text(_ members: JSONObject, _ name: String) throws(SealingError) -> String {
    guard case .string(let text)? = members[name] else { throw malformed(name) }
    return text
  }

  private static func number(_ members: JSONObject, _ name: String) throws(SealingError) -> JSONNumber {
    guard case .number(let number)? = members[name] else { throw malformed(name) }
    return number
  }

  private static func integer(_ members: JSONObject, _ name: String) throws(SealingError) -> Int {
    guard let integer = try number(members, name).int else { throw malformed(name) }
    return integer
  }

  private static func time(_ members: JSONObject, _ name: String) throws(SealingError) -> Timestamp {
    guard let time = try? Timestamp(parsing: text(members, name)) else { throw malformed(name) }
    return time
  }

  private static func identifier(_ members: JSONObject) throws(SealingError) -> RecordID {
    guard let id = RecordID(parsing: try text(members, "id")) else { throw malformed("id") }
    return id
  }
}

/// The rule for names of record kinds: `[a-z][a-z0-9-]{0,63}`.
public enum RecordKindName {
  /// Whether `name` may name a kind.
  public static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return name.utf8.count <= 64
      && name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}
