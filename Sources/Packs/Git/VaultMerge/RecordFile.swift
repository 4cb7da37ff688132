package import VaultDocument
package import VaultSealing

/// One version of a record's file, read strictly but not verified.
package struct RecordFile: Sendable {
  package let document: JSONValue
  /// Its `$vault` member, as the file claims it.
  package let envelope: RecordEnvelope
  /// The record's own members, sealed fields as tokens.
  package let fields: JSONObject
  /// The members of `$vault`.
  let members: JSONObject

  /// Reads the bytes of a file; nil if it is not a record of this format.
  package init?(parsing bytes: [UInt8]) {
    guard let document = try? JSONParser.parse(bytes) else { return nil }
    self.init(document)
  }

  /// Reads a tree; nil if it is not a record of this format.
  package init?(_ document: JSONValue) {
    guard let envelope = try? RecordEnvelope(of: document), case .object(var fields) = document,
      case .object(let members)? = fields[RecordEnvelope.memberName]
    else { return nil }
    fields[RecordEnvelope.memberName] = nil
    (self.document, self.envelope, self.fields, self.members) = (document, envelope, fields, members)
  }
}

extension RecordFile {
  /// The text in the file.
  var createdAtText: String { members["created_at"]?.string ?? "" }

  /// The text in the file.
  var updatedAtText: String { members["updated_at"]?.string ?? "" }

  package var isRemoved: Bool { envelope.deletedAt != nil }

  /// Whether both are equal except for the wrap of the data key, which no MAC covers.
  func equals(exceptKey other: RecordFile) -> Bool {
    guard fields == other.fields else { return false }
    var (own, others) = (members, other.members)
    (own["key"], others["key"]) = (nil, nil)
    return own == others
  }

  /// Whether both have the same MAC but different content: one of them was changed without a key.
  func contradicts(_ other: RecordFile) -> Bool { envelope.mac == other.envelope.mac && !equals(exceptKey: other) }

  /// The same file with another wrap of its data key.
  func withKey(_ key: WrappedKey) -> RecordFile {
    guard case .object(var document) = document else { preconditionFailure("what has an envelope is an object") }
    var members = members
    members["key"] = .string(key.text)
    document[RecordEnvelope.memberName] = .object(members)
    guard let file = RecordFile(.object(document)) else { preconditionFailure("another wrap changes no form") }
    return file
  }

  /// Whether this is the later version: by revision, then time, then MAC.
  package func isLater(than other: RecordFile) -> Bool {
    let (own, others) = (envelope.revision, other.envelope.revision)
    return own == others ? laterSide(beside: other) == .ours : own > others
  }

  /// The hints of its tokens, which identify their data key, 8 bytes each; empty if nothing is sealed.
  var tokenHints: Set<[UInt8]> {
    var hints: Set<[UInt8]> = []
    for token in fields.tokens.map(\.1) + envelope.former.all.map(\.token) {
      if let token = try? SealedToken(parsing: token) { hints.insert(token.hint) }
    }
    return hints
  }
}

extension RecordFile {
  /// The changes of attachments since an older version, in the order of names.
  package func attachmentChanges(after older: RecordFile) -> [AttachmentChange] {
    AttachmentChange.changes(from: older.envelope.attachments, to: envelope.attachments)
  }

  package var attachmentIDs: [AttachmentID] { envelope.attachments.map(\.id) }

  func hasAttachments(of other: RecordFile) -> Bool { envelope.attachments == other.envelope.attachments }
}

extension RecordEnvelope {
  /// The requirements except that of attachments, which may differ between the sides.
  var requirementsBesideAttachments: [String] { requirements.filter { $0 != Requirements.attachments } }
}
