public import VaultDocument
public import VaultRecords
public import VaultSealing
internal import VaultTrust

/// A record as its file has it: well formed, not verified.
public struct StoredRecord: Sendable {
  /// Its `$vault` member: id, kind, schema, revision and times, as the file claims them.
  public let envelope: RecordEnvelope
  /// The record's own members, sealed fields as tokens. A record of an older schema has the form of the present one.
  public let fields: JSONObject
  /// The record's own members in the form of the file.
  package let stored: JSONObject
  /// The kind of the record; nil if this program does not know it.
  public let kind: RecordKind?

  /// The id of the record.
  public var id: RecordID { envelope.id }

  /// The name of the record in lists: the member that its kind chooses, or for an unknown kind `name` or `title`.
  public var name: String { RecordTitle.of(fields, kind) }

  /// Reads the bytes of a record file, live or removed.
  package init(
    parsing bytes: [UInt8], file: String, id: RecordID, kinds: KindCatalog, isTrashed: Bool = false
  ) throws(VaultError) {
    let document = try parseDocument(bytes, file: file, record: id)
    try self.init(document, file: file, id: id, kinds: kinds, isTrashed: isTrashed)
  }

  /// Reads the parsed tree of a record file. A record is refused if it has another id, or a `deleted_at` that does not
  /// fit `isTrashed`.
  package init(
    _ document: JSONValue, file: String, id: RecordID, kinds: KindCatalog, isTrashed: Bool
  ) throws(VaultError) {
    envelope = try inSealing(file: file, record: id) { () throws(SealingError) in try RecordEnvelope(of: document) }
    guard envelope.id == id else {
      throw VaultError(.damaged, "is not the record that its file name says", file: file, record: id)
    }
    guard (envelope.deletedAt != nil) == isTrashed else {
      throw isTrashed ? .notRemoved(file: file, id) : .removed(file: file, id)
    }
    guard case .object(var fields) = document else { preconditionFailure("an envelope was read from an object") }
    fields[RecordEnvelope.memberName] = nil
    let kind = kinds[envelope.kind]
    self.kind = kind
    stored = fields
    if let kind { fields = RecordMigration.readable(fields, schema: envelope.schema, kind: kind) }
    self.fields = fields
  }
}

extension StoredRecord {
  package init(_ record: OpenRecord) {
    envelope = record.envelope
    fields = record.fields
    stored = record.stored
    kind = record.kind
  }
}

enum RecordTitle {
  static func of(_ fields: JSONObject, _ kind: RecordKind?) -> String {
    if let kind { return kind.title(of: fields) }
    for name in ["name", "title"] {
      if case .string(let text)? = fields[name], !SealedToken.hasTokenShape(text) { return text }
    }
    return ""
  }
}

/// One row of a list.
public struct RecordSummary: Sendable {
  /// The id of the record.
  public let id: RecordID
  /// The name of its kind.
  public let kind: String
  /// Its name in lists; may be empty.
  public let name: String
  /// The account or purpose: a readable user name, e-mail address, host or similar; may be empty.
  public let who: String
  /// How many times it was written, from 1.
  public let revision: Int
  /// When it was added.
  public let createdAt: Timestamp
  /// When it was written last.
  public let updatedAt: Timestamp
  /// A tag that distinguishes it from others with its name; empty if nobody has looked for one.
  var tag = ""

  package init(_ record: StoredRecord) {
    id = record.id
    kind = record.envelope.kind
    name = record.name
    who = RecordSubject.of(record.fields, record.kind)
    revision = record.envelope.revision
    createdAt = record.envelope.createdAt
    updatedAt = record.envelope.updatedAt
  }
}
