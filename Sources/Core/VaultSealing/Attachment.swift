package import VaultCrypto
public import VaultDocument

/// An attachment of a record as its envelope describes it: name and size of the content, and the vault file that holds
/// it sealed (format 1, section 15, Attachments).
public struct Attachment: Sendable, Equatable {
  /// Names one written version of the content; its file has the same name and never changes.
  public let id: AttachmentID
  /// The name that a person gave it; not a path.
  public let name: String
  /// The size of the content, in bytes.
  public let byteCount: Int
  /// SHA-256 of the sealed file, 32 bytes.
  public let sha256: [UInt8]

  /// The largest content in bytes.
  public static let maximumByteCount = 1 << 30
  /// The most attachments of one record.
  public static let maximumCount = 4096
  private static let nameByteLimit = 255
  private static let chunk = (byteCount: 64 << 10, tagByteCount: 16)

  /// An attachment that was just written.
  ///
  /// - Precondition: the name is good.
  package init(id: AttachmentID, name: String, byteCount: Int, sha256: [UInt8]) {
    precondition(Self.isGood(name: name), "names are looked at before anything is written")
    (self.id, self.name, self.byteCount, self.sha256) = (id, name, byteCount, sha256)
  }

  /// The size of the sealed file in bytes: 16 more for each chunk of 64 KiB, and there is at least one chunk.
  public var storedByteCount: Int {
    let chunkCount = max(1, (byteCount + Self.chunk.byteCount - 1) / Self.chunk.byteCount)
    return byteCount + chunkCount * Self.chunk.tagByteCount
  }

  /// Whether a name is valid: 1 to 255 bytes, no `/`, no control character, and neither `.` nor `..`.
  public static func isGood(name: String) -> Bool {
    guard (1...nameByteLimit).contains(name.utf8.count), name != ".", name != ".." else { return false }
    return name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
  }
}

extension Attachment {
  /// The member of `$vault`, which is also the name of its extension.
  static let memberName = "attachments"
  private static let memberNames = (name: "name", byteCount: "size", sha256: "sha256")

  /// The attachments in a member; nil if the value does not have the form or not 1 to 4096 entries.
  static func all(in value: JSONValue) -> [Attachment]? {
    guard case .object(let members) = value, (1...maximumCount).contains(members.count) else { return nil }
    let found = members.compactMap { Attachment(id: $0.name, $0.value) }
    return found.count == members.count ? found.sorted { $0.id < $1.id } : nil
  }

  private init?(id text: String, _ value: JSONValue) {
    guard let id = AttachmentID(parsing: text), case .object(let members) = value, members.count == 3,
      let name = members[Self.memberNames.name]?.string, Self.isGood(name: name),
      let byteCount = members[Self.memberNames.byteCount]?.int, (0...Self.maximumByteCount).contains(byteCount),
      let sha256 = members[Self.memberNames.sha256]?.string.flatMap({ try? Hex.decode($0) }),
      sha256.count == SHA256.byteCount
    else { return nil }
    (self.id, self.name, self.byteCount, self.sha256) = (id, name, byteCount, sha256)
  }

  static func value(of attachments: [Attachment]) -> JSONValue {
    .object(
      JSONObject(
        ascending: attachments.sorted { $0.id < $1.id }.map { attachment in
          (
            attachment.id.text,
            .object(
              JSONObject(ascending: [
                (memberNames.name, .string(attachment.name)),
                (memberNames.sha256, .string(Hex.encode(attachment.sha256))),
                (memberNames.byteCount, .number(JSONNumber(attachment.byteCount))),
              ]))
          )
        }))
  }
}

extension RootKey {
  /// The key of the stream of an attachment, 32 bytes, derived from the record's data key (format 1, section 15,
  /// Attachments).
  package func attachmentKey(
    of id: AttachmentID, record: RecordID, _ wrapped: WrappedKey
  ) throws(SealingError) -> SecretBytes {
    try unwrapDataKey(wrapped, record: record).withBytes { key throws(SealingError) in
      try KeyDerivation.derive(
        from: key, label: "ecv/1/attachment", items: [record.bytes, id.bytes], salt: vaultID.bytes, byteCount: 32)
    }
  }
}

extension VerifiedRecord {
  /// The key of the stream of one of the record's attachments, 32 bytes.
  package func attachmentKey(of id: AttachmentID) throws(SealingError) -> SecretBytes {
    try root.attachmentKey(of: id, record: envelope.id, envelope.wrappedKey)
  }
}
